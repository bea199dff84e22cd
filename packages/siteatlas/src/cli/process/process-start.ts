/** Identifies a process by its start time, because a later process may get the same process id. */
import { readFileSync } from "node:fs";

/** Index of the start time in the fields of /proc/PID/stat that follow the name of the program (fields 3 to 52). */
const START_TIME = 19;

/** State of a process that has ended, but whose parent has not noticed this yet. */
const ZOMBIE = "Z";

/**
 * Returns the boot id of the machine and the start time of the process, as one text. For a zombie, which has ended, the
 * time is `ended`. Returns undefined if the process is unknown, and on systems other than Linux.
 */
export function processStart(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    const facts = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in parentheses, and may contain parentheses and spaces.
    const fields = facts.slice(facts.lastIndexOf(")") + 2).split(" ");
    const time = fields[0] === ZOMBIE ? "ended" : fields[START_TIME];
    return time === undefined ? undefined : `${boot} ${time}`;
  } catch {
    return undefined;
  }
}
