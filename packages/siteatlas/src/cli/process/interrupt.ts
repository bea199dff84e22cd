/**
 * Handles Ctrl-C, SIGTERM and SIGHUP (the terminal was closed). After the first signal, the run completes its files and
 * writes a summary. A second Ctrl-C or SIGTERM ends the process immediately.
 */
import { EXIT, type ExitCode } from "./exit-codes.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Signal = (typeof SIGNALS)[number];

const CODES: Readonly<Record<Signal, ExitCode>> = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.hungUp,
};

/** The reason with which a run is aborted after a signal. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly exitCode: ExitCode;

  constructor(signal: Signal) {
    super(`Stopped by ${signal}`);
    this.exitCode = CODES[signal];
  }
}

/**
 * Call this at the end of a run. After a signal, ends the process at once if there is a DNS lookup: Node waits for
 * lookups, and a resolver may need a minute to give up. The process sends itself the signal again, because
 * `process.exit` waits too.
 */
export function endLookups(code: ExitCode): void {
  const signal = SIGNALS.find((name) => CODES[name] === code);
  if (signal === undefined || !process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap")) return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Ends the process after a signal, without waiting for anything. */
export function endProcess(code: ExitCode): void {
  endLookups(code);
  process.exit(code);
}

interface Interrupt {
  readonly signal: AbortSignal;
  /** Sets the function that SIGHUP calls from now on. SIGHUP then no longer ends the run. */
  onHangUp(listener: () => void): void;
  /** Stops listening to signals. */
  close(): void;
}

/**
 * Whether SIGHUP reads the list of sites again. On a terminal, SIGHUP must end the watch, because a terminal that is
 * closed sends it.
 */
export function reloadsOnHangUp({ hosts }: { readonly hosts?: string }): boolean {
  return hosts !== undefined && process.stdin.isTTY !== true;
}

export function listenForInterrupt(onFirst: (signal: Signal) => void): Interrupt {
  const controller = new AbortController();
  let onHangUp: (() => void) | undefined;
  const listener = (signal: NodeJS.Signals): void => {
    const given = signal as Signal;
    if (given === "SIGHUP" && onHangUp !== undefined) return onHangUp();
    // When a terminal is closed, the shell and the kernel may both send SIGHUP. The second one must not end the
    // process.
    if (controller.signal.aborted && given === "SIGHUP") return;
    if (controller.signal.aborted) endProcess(CODES[given]);
    onFirst(given);
    controller.abort(new Interruption(given));
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    signal: controller.signal,
    onHangUp: (act) => {
      onHangUp = act;
    },
    close: () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}
