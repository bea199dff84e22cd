/**
 * Ctrl-C and SIGTERM: the first one asks everybody to come to an end, which closes files properly and tells
 * what is known so far; the second ends at once.
 */
import { EXIT, type ExitCode } from "./exit-codes.ts";

type Signal = "SIGINT" | "SIGTERM";

const CODES: Readonly<Record<Signal, ExitCode>> = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated };

/** The reason of the abort: somebody wants us to stop. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly exitCode: ExitCode;

  constructor(signal: Signal) {
    super(`Stopped by ${signal}`);
    this.exitCode = CODES[signal];
  }
}

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the signals back to the system. */
  close(): void;
}

export function listenForInterrupt(onFirst: (signal: Signal) => void): Interrupt {
  const controller = new AbortController();
  const listener = (signal: NodeJS.Signals): void => {
    const given = signal as Signal;
    if (controller.signal.aborted) process.exit(CODES[given]);
    onFirst(given);
    controller.abort(new Interruption(given));
  };
  process.on("SIGINT", listener);
  process.on("SIGTERM", listener);
  return {
    signal: controller.signal,
    close: () => {
      process.off("SIGINT", listener);
      process.off("SIGTERM", listener);
    },
  };
}
