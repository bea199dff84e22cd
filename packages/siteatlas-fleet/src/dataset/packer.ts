/**
 * Writes the rows of many legs into packs, which are part files with the rows of many sites, and commits these legs
 * together. A file per site would be most of the cost of a short visit.
 *
 * A leg waits here until its pack is written: after `everyMs`, when there are enough rows, or when `flush` is called.
 * Meanwhile its worker keeps its lease. A pack is written and committed before the next one begins, so more legs share
 * a pack while the store or the database is slow.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate, setTimeout as wait } from "node:timers/promises";
import { ParquetTable } from "siteatlas/output";
import { isConnectionLoss } from "../database/connection-loss.ts";
import type { CommitItem, CommitVerdict, Frontier, Pack } from "../database/frontier.ts";
import { hostHash } from "../model/site-name.ts";
import { DATASETS } from "../model/visit.ts";
import type { VisitStore } from "../store/object-store.ts";
import { valuesFile } from "./leg-rows.ts";
import { MIXED_SHARD, packKey } from "./part-paths.ts";
import { readRowTexts } from "./row-text.ts";

export interface PackerOptions {
  readonly frontier: Pick<Frontier, "beginUpload" | "commitPack">;
  readonly store: VisitStore;
  /** Folder for temporary files. */
  readonly folder: string;
  /** Maximum time that a leg waits before its pack is written. */
  readonly everyMs: number;
}

interface WaitingLeg {
  readonly item: CommitItem;
  readonly resolve: (verdict: CommitVerdict) => void;
  readonly reject: (reason: unknown) => void;
}

/** Enough for a pack: number of legs, and length of their rows as text (about 50,000 pages). */
const MAX_LEGS = 1000;
const MAX_TEXT = 8 * 1024 * 1024;
/** After this number of legs, the encoder lets the worker do other things, such as renewing its leases. */
const LEGS_AT_ONCE = 20;
/** How long to wait for a store that is full or unreachable, and the time between two attempts. */
const STORE_WAIT_MS = 60_000;
const STORE_RETRY_MS = 1000;
/** How long to wait for a database that is down, and the time between two attempts. */
const DATABASE_WAIT_MS = 300_000;
const DATABASE_RETRY_MS = 500;

export class Packer {
  readonly #options: PackerOptions;
  #waiting: WaitingLeg[] = [];
  /** Length of the rows that wait, and of those that are being written. */
  #waitingLength = 0;
  #writingLength = 0;
  #isWriting = false;
  /** Whether the waiting legs must be written without waiting for more. */
  #isDue = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PackerOptions) {
    this.#options = options;
  }

  /** Whether no further walk should begin, because rows of 16 million characters are in memory. */
  get isFull(): boolean {
    return this.#waitingLength + this.#writingLength >= 2 * MAX_TEXT;
  }

  /** Adds the result of a leg. Resolves when it is committed or refused. */
  commit(item: CommitItem): Promise<CommitVerdict> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#waitingLength += lengthOf(item);
      if (this.#waiting.length >= MAX_LEGS || this.#waitingLength >= MAX_TEXT) this.flush();
      else this.#startTimer();
    });
  }

  /** Writes the waiting legs now, or after the pack that is being written. */
  flush(): void {
    this.#isDue = true;
    if (!this.#isWriting) void this.#writeAll();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.flush(), this.#options.everyMs);
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#isDue && this.#waiting.length > 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      const legs = this.#take();
      this.#isDue = this.#waiting.length > 0;
      await this.#write(legs);
      this.#writingLength = 0;
    }
    this.#isDue = false;
    this.#isWriting = false;
    if (this.#waiting.length > 0) this.#startTimer();
  }

  /** Takes the legs of the next pack. They are of one day, and of different sites. */
  #take(): WaitingLeg[] {
    const day = this.#waiting[0]!.item.result.unpacked?.day;
    const hosts = new Set<string>();
    const taken: WaitingLeg[] = [];
    const left: WaitingLeg[] = [];
    for (const leg of this.#waiting) {
      const { request, result } = leg.item;
      const fits = result.unpacked?.day === day && !hosts.has(request.host) && taken.length < MAX_LEGS;
      (fits ? taken : left).push(leg);
      hosts.add(request.host);
    }
    this.#waiting = left;
    this.#waitingLength = left.reduce((sum, { item }) => sum + lengthOf(item), 0);
    this.#writingLength = taken.reduce((sum, { item }) => sum + lengthOf(item), 0);
    return taken;
  }

  /** Writes and commits a pack. Never throws: each leg gets its verdict or the error. */
  async #write(legs: readonly WaitingLeg[]): Promise<void> {
    let left = legs;
    try {
      while (left.length > 0) left = await this.#attempt(left);
    } catch (error) {
      if (left.length === 1 || !isCausedByLeg(error)) {
        for (const { reject } of left) reject(error);
        return;
      }
      // The rows of one leg cannot be written or committed. Halve the pack until this leg is alone.
      const middle = left.length >> 1;
      await this.#write(left.slice(0, middle));
      await this.#write(left.slice(middle));
    }
  }

  /** Writes and commits a pack. Returns the legs that must be written again, without those that were refused. */
  async #attempt(legs: readonly WaitingLeg[]): Promise<readonly WaitingLeg[]> {
    const { frontier, folder: parent } = this.#options;
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(parent, "pack-"));
    try {
      const files = await encode(legs, folder);
      const packs = files.map(({ pack }) => pack);
      await patiently(() => frontier.beginUpload(packs.map(({ key }) => key)));
      const puts = await Promise.all(files.map(({ pack, path }) => this.#put(pack.key, path)));
      if (puts.includes(false)) return legs;
      const items = legs.map(({ item }) => item);
      const answer = await patiently(() => frontier.commitPack(packs, items));
      if (answer.kind === "expired") return legs;
      if (answer.kind === "committed") {
        for (const [at, { resolve }] of legs.entries()) resolve(answer.verdicts[at]!);
        return [];
      }
      const isRefused = ({ item }: WaitingLeg): boolean => answer.hosts.has(item.request.host);
      for (const { resolve } of legs.filter(isRefused)) resolve("refused");
      return legs.filter((leg) => !isRefused(leg));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Moves a file into the store. Retries if the store is full or unreachable, because walking the sites again would cost
   * more. Returns false if the file is gone: it was moved, but the answer was lost.
   */
  async #put(key: string, path: string): Promise<boolean> {
    for (const startedAt = performance.now(); ; ) {
      try {
        await this.#options.store.put(key, path);
        return true;
      } catch (error) {
        if (!existsSync(path)) return false;
        if (performance.now() - startedAt > STORE_WAIT_MS) throw new Error((error as Error).message);
        await wait(STORE_RETRY_MS);
      }
    }
  }
}

interface EncodedPack {
  readonly pack: Pack;
  readonly path: string;
}

/** Writes the rows of these legs into one local file per dataset. */
async function encode(legs: readonly WaitingLeg[], folder: string): Promise<EncodedPack[]> {
  await ParquetTable.load();
  const day = legs[0]!.item.result.unpacked!.day;
  const name = randomBytes(12).toString("hex");
  const packs: EncodedPack[] = [];
  for (const dataset of DATASETS) {
    const file = valuesFile(dataset, join(folder, `${dataset}.parquet`));
    const hosts: number[] = [];
    try {
      for (const [at, { item }] of legs.entries()) {
        if (at % LEGS_AT_ONCE === LEGS_AT_ONCE - 1) await setImmediate();
        const text = item.result.unpacked!.texts[dataset];
        if (text === undefined) continue;
        hosts.push(hostHash(item.request.host));
        for (const row of readRowTexts(dataset, item.request.host, text)) file.add(row);
      }
      if (!(await file.end())) continue;
    } catch (error) {
      file.discard();
      throw error;
    }
    const { rowCount, byteCount, path } = file;
    const key = packKey(dataset, day, name);
    packs.push({ pack: { dataset, key, shard: MIXED_SHARD, day, rowCount, byteCount, hosts }, path });
  }
  return packs;
}

function lengthOf({ result }: CommitItem): number {
  return Object.values(result.unpacked?.texts ?? {}).reduce((sum, { length }) => sum + length, 0);
}

/** Whether the rows or values of a leg are invalid: JSON, Parquet, or PostgreSQL's classes 22 and 23 refuse them. */
function isCausedByLeg(error: unknown): boolean {
  const isInvalid = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  return isInvalid || /^2[23]/.test((error as { code?: string }).code ?? "");
}

async function patiently<T>(run: () => Promise<T>): Promise<T> {
  for (const startedAt = performance.now(); ; ) {
    try {
      return await run();
    } catch (error) {
      if (!isConnectionLoss(error) || performance.now() - startedAt > DATABASE_WAIT_MS) throw error;
      await wait(DATABASE_RETRY_MS);
    }
  }
}
