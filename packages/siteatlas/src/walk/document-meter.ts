/**
 * The bounds of one document while it is read: bytes after decompression, how much they grew by it, time to
 * parse. Gives the process to others now and then: a stranger's file must not be all that it does.
 */
import { timeLeft } from "../fetch/deadline.ts";
import { type Breach, breachOf, type LimitName } from "./budget.ts";
import type { WalkLimits } from "./options.ts";
import { Turns } from "./turns.ts";

/** Fewer bytes are no bomb, whatever they were before. Real sitemaps reach 158:1. */
const MIN_BOMB = 8 * 1024 * 1024;

/** So many bytes are parsed in one go: a few milliseconds, or tens of them where each line is to be reported (sec-T09). */
const STEP = 64 * 1024;

/** A document is, up to this share of the limit. */
const QUICK = 0.1;

/** In milliseconds, each from some time on. */
export interface ProcessClock {
  readonly wallMs: () => number;
  /** Of all threads of the process. */
  readonly cpuMs: () => number;
  /** The same as it was a moment ago. */
  readonly recentCpuMs: () => number;
}

/** To ask for the time of the process is a system call that takes as long as a small document. */
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

export class DocumentMeter {
  /** The bound that was reached. */
  breach: Breach | undefined;
  /** Bytes that were parsed, or were about to be. */
  decoded = 0;
  readonly #limits: Required<WalkLimits>;
  readonly #usedBytes: () => number;
  readonly #clock: ProcessClock;
  /** What each layer of compression gave. */
  readonly #layers: number[] = [];
  /** Bytes that the outermost layer took for what it gave. */
  #taken: number | undefined;
  readonly #turns = new Turns(STEP);
  #cpuMs = 0;
  /** The time of the process before this piece, or before the first one. */
  #cpuFrom: number | undefined;

  /** `usedBytes`: how many on the wire the body given so far was made of. */
  constructor(limits: Required<WalkLimits>, usedBytes: () => number, clock: ProcessClock = PROCESS_CLOCK) {
    this.#limits = limits;
    this.#usedBytes = usedBytes;
    this.#clock = clock;
  }

  /** The outermost layer took so many bytes more. */
  readonly takeBytes = (bytes: number): void => {
    this.#taken = (this.#taken ?? 0) + bytes;
  };

  /** Whether a layer may go on that gives so many bytes more. Counts those of inner layers, too, which nobody sees. */
  readonly mayInflate = (bytes: number, layer: number): boolean => {
    const before = this.#layers[layer] ?? 0;
    this.#layers[layer] = before + bytes;
    // The piece that goes too far is given: `pieces` cuts it.
    if (before > this.#limits.decodedBytes) this.#reach("decodedBytes", before + bytes);
    this.#checkRatio(before);
    return this.breach === undefined;
  };

  /** Cuts a chunk into what may be parsed in one go, up to the bound. */
  *pieces(chunk: Uint8Array): Generator<Uint8Array> {
    const room = this.#limits.decodedBytes - this.decoded;
    this.decoded += chunk.length;
    const end = Math.min(chunk.length, room);
    for (let at = 0; at < end; at += STEP) yield chunk.subarray(at, Math.min(end, at + STEP));
    if (chunk.length > room) this.#reach("decodedBytes", this.decoded);
    this.#checkRatio(this.decoded);
  }

  /**
   * Runs the parser and measures it. The time of the process is that of all its threads, the time on the wall
   * is that of others, too, on a busy machine: the parser took at most the smaller of the two. As long as a
   * document is quick, the first is not asked for.
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

  /** Lets others run, once enough was parsed. */
  rest(parsed: number): Promise<void> {
    return this.#turns.rest(parsed);
  }

  #checkRatio(bytes: number): void {
    // Not by what has come: the socket is some hundred KiB ahead of the decompressor (sec-E01).
    const used = Math.max(1, Math.min(this.#taken ?? Number.POSITIVE_INFINITY, this.#usedBytes()));
    if (bytes > MIN_BOMB && bytes > this.#limits.compressionRatio * used) {
      this.#reach("compressionRatio", bytes / used);
    }
  }

  #reach(name: LimitName, observed: number): void {
    this.breach ??= breachOf(this.#limits, name, observed);
  }
}
