/**
 * Lines on the terminal that are drawn over again and again. When data go to the same terminal, the lines
 * make room for them first.
 */

export interface Live {
  draw(lines: readonly string[]): void;
  /** Takes the lines away; the next `draw` brings them back. */
  clear(): void;
  close(): void;
}

/** Loads what draws them: nobody pays for it in a pipe. */
export async function openLive(): Promise<Live> {
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(process.stderr, { showCursor: true });
  let isShown = false;
  const clear = (): void => {
    if (isShown) update.clear();
    isShown = false;
  };
  const { stdout } = process;
  const write = stdout.write;
  // The same terminal: data must not be written into the middle of our lines.
  if (stdout.isTTY) {
    stdout.write = ((...args: Parameters<typeof write>) => {
      clear();
      return write.apply(stdout, args);
    }) as typeof write;
  }
  return {
    draw: (lines) => {
      update(lines.join("\n"));
      isShown = true;
    },
    clear,
    close: () => {
      clear();
      stdout.write = write;
    },
  };
}
