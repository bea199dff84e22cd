/**
 * Limits the memory of brotli decoders. A brotli stream says how large its window is, up to 16 MiB (RFC 7932 section
 * 9.1), and a walk decodes up to 16 documents at the same time. If the windows of all decoders together would be too
 * large, further bodies wait before they are decoded.
 *
 * Most servers use windows of at most 4 MiB. Bodies with such windows never wait because of larger windows: a part of
 * the memory is reserved for them.
 */
const MIB = 1024 * 1024;

/** Maximum size of all windows together, in bytes: twelve windows of the usual size. */
const MAX_WINDOWS = 48 * MIB;
/** Maximum size of all large windows together. */
const MAX_LARGE_WINDOWS = 16 * MIB;
/** The default window size of brotli libraries. A window above this size counts as large. */
const USUAL_WINDOW = 4 * MIB;

interface Waiting {
  readonly bytes: number;
  admit(): void;
}

export class WindowBudget {
  #used = 0;
  #usedByLarge = 0;
  readonly #waiting: Set<Waiting> = new Set();

  /** Reserves memory for a window if there is enough. Returns whether it was reserved. */
  take(bytes: number): boolean {
    const isLarge = bytes > USUAL_WINDOW;
    if (this.#used + bytes > MAX_WINDOWS) return false;
    // This limit does not apply if no other large window is in use. Otherwise a body with two layers of brotli, which
    // may need more, would wait forever.
    if (isLarge && this.#usedByLarge > 0 && this.#usedByLarge + bytes > MAX_LARGE_WINDOWS) return false;
    this.#used += bytes;
    if (isLarge) this.#usedByLarge += bytes;
    return true;
  }

  /** Waits until memory for a window is reserved. @throws the reason of the abort */
  wait(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        bytes,
        admit: () => {
          this.#waiting.delete(waiting);
          signal.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(waiting);
    });
  }

  /** Frees the memory of a window. All waiting bodies whose windows now fit are decoded. */
  release(bytes: number): void {
    this.#used -= bytes;
    if (bytes > USUAL_WINDOW) this.#usedByLarge -= bytes;
    for (const waiting of this.#waiting) if (this.take(waiting.bytes)) waiting.admit();
  }
}
