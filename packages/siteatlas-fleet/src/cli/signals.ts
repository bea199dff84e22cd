/** Resolves at the first SIGINT or SIGTERM. A second signal of the same kind ends the process immediately. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
