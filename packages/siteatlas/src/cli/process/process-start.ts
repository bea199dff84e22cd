/** When a process was started. Tells a process from a later one that got the same process id. */
import { readFileSync } from "node:fs";

/** Position of the start time in /proc/PID/stat (field 22), after the name of the program, which is field 2. */
const START_TIME = 19;

/** State of a process that was killed, and whose parent has not noticed it yet. */
const ZOMBIE = "Z";

/**
 * Returns the boot of the machine and the start time since then. Undefined if the system does not tell: only Linux
 * does. For a process that was killed, the time is `ended`.
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
