/**
 * Ctrl-C, SIGTERM and SIGHUP (the terminal was closed): the first one ends the run in order, with complete files and a
 * summary; a second Ctrl-C or SIGTERM at once.
 */
import { EXIT, type ExitCode } from "./exit-codes.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Signal = (typeof SIGNALS)[number];

const CODES: Readonly<Record<Signal, ExitCode>> = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.hungUp,
};

/** The reason of the abort. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly exitCode: ExitCode;

  constructor(signal: Signal) {
    super(`Stopped by ${signal}`);
    this.exitCode = CODES[signal];
  }
}

interface Interrupt {
  readonly signal: AbortSignal;
  /** Removes the listeners. */
  close(): void;
}

export function listenForInterrupt(onFirst: (signal: Signal) => void): Interrupt {
  const controller = new AbortController();
  const listener = (signal: NodeJS.Signals): void => {
    const given = signal as Signal;
    // The shell and the kernel may both send a SIGHUP when a terminal is closed.
    if (controller.signal.aborted && given === "SIGHUP") return;
    if (controller.signal.aborted) process.exit(CODES[given]);
    onFirst(given);
    controller.abort(new Interruption(given));
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    signal: controller.signal,
    close: () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}
