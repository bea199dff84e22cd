/** Lines on stderr that are redrawn in place. They are cleared before data is written to the same terminal. */

export interface Live {
  draw(lines: readonly string[]): void;
  /** Removes the lines until the next `draw`. */
  clear(): void;
  close(): void;
}

/** Opens live lines. Loads log-update only now, because output to a pipe does not need it. */
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
