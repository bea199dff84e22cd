/**
 * Checks the limits of one document while it is read: its decompressed size, its compression ratio, and the CPU time of
 * the parser. The document is parsed in pieces. Between two pieces, other tasks of the process can run.
 */

import { timeLeft } from "../../fetch/timeout-signal.ts";
import type { FilledLimits } from "../../model/generated/limits.ts";
import type { Page } from "../../model/model.ts";
import { type Breach, breachOf, type LimitName } from "../budget.ts";
import { EventLoopYield } from "../event-loop-yield.ts";
import type { WalkLimits } from "../options.ts";

/** Minimum size of a compression bomb. The compression ratio of smaller documents is not checked. */
const MIN_BOMB = 8 * 1024 * 1024;

/**
 * Maximum number of bytes that are parsed without a pause. This takes a few ms, or tens of ms if each line has an issue
 * (sec-T09).
 */
const PIECE_SIZE = 64 * 1024;

/**
 * Size of the first piece. The first pieces are small, because the memory that their pages need is not known yet. If
 * the URL of the sitemap itself has 8 KB, 64 KiB of relative URLs become 21 MB of pages.
 */
const FIRST_PIECE = 8 * 1024;
/**
 * If the URLs of the pages in a piece have more than `MAX_GROWTH` characters per byte of the piece, all later pieces
 * have this size. Real sitemaps have fewer than 2 characters per byte.
 */
const SMALL_PIECE = 2 * 1024;
const MAX_GROWTH = 8;

/**
 * A share of the limit `cpuMs`. Until a document has used this share, only wall time is measured, because reading the
 * CPU time is a slow system call.
 */
const QUICK = 0.1;

/** Clocks in milliseconds. Only differences between two readings of the same clock are meaningful. */
export interface ProcessClock {
  readonly wallMs: () => number;
  /** CPU time of all threads of the process. */
  readonly cpuMs: () => number;
  /** A value of `cpuMs` that is at most 20 ms old. */
  readonly recentCpuMs: () => number;
}

/** Maximum age of the cached CPU time. Reading the CPU time takes as long as parsing a small document. */
const RECENT_MS = 20;
const recent = { wallMs: -Infinity, cpuMs: 0 };

const PROCESS_CLOCK: ProcessClock = {
  wallMs: () => performance.now(),
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  recentCpuMs: () => {
    const wallMs = performance.now();
    if (wallMs - recent.wallMs > RECENT_MS) {
      recent.wallMs = wallMs;
      recent.cpuMs = PROCESS_CLOCK.cpuMs();
    }
    return recent.cpuMs;
  },
};

export class DocumentLimits {
  /** The first limit that was reached. */
  breach: Breach | undefined;
  /** Number of bytes that were passed to the parser. */
  decoded = 0;
  readonly #limits: FilledLimits<WalkLimits>;
  readonly #usedBytes: () => number;
  readonly #clock: ProcessClock;
  /** Number of bytes that each layer of compression has produced. */
  readonly #layers: number[] = [];
  /** Number of bytes that the outermost layer of compression has read. */
  #taken: number | undefined;
  readonly #yield = new EventLoopYield(PIECE_SIZE);
  #pieceSize = FIRST_PIECE;
  #cpuMs = 0;
  /**
   * CPU time of the process at the start of the current piece. While only wall time is measured (see `QUICK`): at the
   * start of the first piece.
   */
  #cpuFrom: number | undefined;

  /** `usedBytes`: returns the number of received bytes that were needed to decode the body so far. */
  constructor(
    limits: FilledLimits<WalkLimits>,
    usedBytes: () => number,
    clock: ProcessClock = PROCESS_CLOCK,
  ) {
    this.#limits = limits;
    this.#usedBytes = usedBytes;
    this.#clock = clock;
  }

  /** Called for each chunk that the outermost decompressor reads, with its size. */
  readonly takeBytes = (bytes: number): void => {
    this.#taken = (this.#taken ?? 0) + bytes;
  };

  /** Whether a layer of compression may produce `bytes` more bytes. The limits apply to each layer separately. */
  readonly mayInflate = (bytes: number, layer: number): boolean => {
    const before = this.#layers[layer] ?? 0;
    this.#layers[layer] = before + bytes;
    // Allow the chunk that crosses the size limit, because `pieces` drops its bytes beyond the limit. Refuse the chunks
    // after it.
    if (before > this.#limits.decodedBytes) this.#reach("decodedBytes", before + bytes);
    this.#checkRatio(before);
    return this.breach === undefined;
  };

  /** Splits a chunk into pieces, which are parsed one at a time. Drops all bytes beyond `limits.decodedBytes`. */
  *pieces(chunk: Uint8Array): Generator<Uint8Array> {
    const room = this.#limits.decodedBytes - this.decoded;
    this.decoded += chunk.length;
    const end = Math.min(chunk.length, room);
    for (let at = 0; at < end; ) {
      const piece = chunk.subarray(at, Math.min(end, at + this.#pieceSize));
      at += piece.length;
      yield piece;
    }
    if (chunk.length > room) this.#reach("decodedBytes", this.decoded);
    this.#checkRatio(this.decoded);
  }

  /**
   * Adapts the size of the next pieces to the pages of the last piece, so that only few pages are in memory at the same
   * time.
   */
  adaptPieces(bytes: number, pages: readonly Page[]): void {
    if (this.#pieceSize === SMALL_PIECE) return;
    const isSmall = lengthOf(pages) > MAX_GROWTH * Math.max(bytes, SMALL_PIECE);
    this.#pieceSize = isSmall ? SMALL_PIECE : Math.min(PIECE_SIZE, 2 * this.#pieceSize);
  }

  /**
   * Runs the parser and adds its CPU time to the total. The CPU time is the smaller of two values: wall time, which
   * includes the time of other processes, and CPU time of this process, which includes the time of other threads. For a
   * document that is parsed quickly, only wall time is measured (see `QUICK`).
   */
  measure(parse: () => void): void {
    const { wallMs, cpuMs, recentCpuMs } = this.#clock;
    const quickMs = QUICK * this.#limits.cpuMs;
    if (this.#cpuMs > quickMs) this.#cpuFrom = cpuMs();
    else this.#cpuFrom ??= recentCpuMs();
    const wall = wallMs();
    parse();
    const ms = wallMs() - wall;
    this.#cpuMs += this.#cpuMs + ms <= quickMs ? ms : Math.min(ms, cpuMs() - this.#cpuFrom);
    if (timeLeft(this.#limits.cpuMs, this.#cpuMs) < 0) this.#reach("cpuMs", this.#cpuMs);
  }

  /** Lets other tasks run, if enough bytes were parsed since the last pause. */
  rest(parsed: number): Promise<void> {
    return this.#yield.after(parsed);
  }

  #checkRatio(bytes: number): void {
    // Do not use the number of received bytes. The socket is several hundred KiB ahead of the decompressor, so the
    // ratio would be too low (sec-E01).
    const used = Math.max(1, Math.min(this.#taken ?? Number.POSITIVE_INFINITY, this.#usedBytes()));
    if (bytes > MIN_BOMB && bytes > this.#limits.compressionRatio * used) {
      this.#reach("compressionRatio", bytes / used);
    }
  }

  #reach(name: LimitName, observed: number): void {
    this.breach ??= breachOf(this.#limits, name, observed);
  }
}

/**
 * Total length of the URLs in these pages. Other texts do not count, because they are not longer in memory than in the
 * document.
 */
function lengthOf(pages: readonly Page[]): number {
  let length = 0;
  for (const { url, images, alternates, media } of pages) {
    length += url.length;
    for (const list of [images, alternates, media]) {
      if (list !== undefined) for (const item of list) length += item.url.length;
    }
  }
  return length;
}
