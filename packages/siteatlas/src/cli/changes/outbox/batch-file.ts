/**
 * A file of the outbox: the deliveries of one run, one body per line, in order.
 *
 *     siteatlas-outbox 1 0000000000
 *     {"kind":"changes","id":"6N0jyGkTqCmT5mAr-1",…}
 *     end 1 9f86d081884c7d65…
 *
 * The number in the first line counts the deliveries that were accepted. The last line has the number of
 * deliveries and the SHA-256 of their lines. If the last line is missing or does not match, no delivery of the file is
 * sent.
 */
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { terminalText } from "../../../escape/terminal.ts";
import { DeliveryError } from "../delivery.ts";
import { deliveryId } from "./delivery-body.ts";

const MAGIC = "siteatlas-outbox 1 ";
const DIGITS = 10;
const HEADER_BYTES = MAGIC.length + DIGITS + 1;
/** The last line is shorter than this. */
const END_BYTES = 128;
const CHUNK_LENGTH = 256 * 1024;
/**
 * Maximum length of a line, so that a damaged file without line feeds does not fill the memory. Long lines are
 * possible: a change of a page that 10,000 sitemaps list takes some megabytes.
 */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEW_LINE = 0x0a;

/** A file of the outbox is damaged, or siteatlas did not write it. */
class OutboxError extends DeliveryError {}

function damaged(path: string, why: string): OutboxError {
  return new OutboxError(
    `${terminalText(path)} cannot be sent: ${why}`,
    "Restore the file, or move it away to go on with later changes: those in the file are then not delivered.",
  );
}

// ---------------------------------------------------------------- write

/** Writes a batch. The file is valid only when `end` has resolved. */
export class BatchWriter {
  readonly #file: FileHandle;
  readonly #hash = createHash("sha256");
  #text = "";
  #count = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<BatchWriter> {
    const writer = new BatchWriter(await open(path, "wx", 0o600));
    await writer.#file.writeFile(`${MAGIC}${"0".repeat(DIGITS)}\n`);
    return writer;
  }

  async add(body: string): Promise<void> {
    this.#text += `${body}\n`;
    this.#count++;
    if (this.#text.length >= CHUNK_LENGTH) await this.#flush();
  }

  /** Resolves when everything is on the disk. */
  async end(): Promise<void> {
    await this.#flush();
    await this.#file.writeFile(`end ${this.#count} ${this.#hash.digest("hex")}\n`);
    await this.#file.sync();
    await this.close();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    this.#hash.update(bytes);
    await this.#file.writeFile(bytes);
  }
}

// ---------------------------------------------------------------- read

export interface Delivery {
  readonly id: string;
  readonly body: Buffer<ArrayBuffer>;
}

interface Place {
  readonly id: string;
  readonly at: number;
  readonly length: number;
}

export class Batch {
  readonly #file: FileHandle;
  readonly #places: readonly Place[];
  readonly run: string;
  #sent: number;

  private constructor(file: FileHandle, places: readonly Place[], run: string, sent: number) {
    this.#file = file;
    this.#places = places;
    this.run = run;
    this.#sent = sent;
  }

  /**
   * Opens a file and checks it completely, so that no part of a damaged file is sent.
   *
   * @param site URL of the site that every delivery must name. Its scheme may differ: http or https
   * @throws {OutboxError}
   */
  static async open(path: string, site: string): Promise<Batch> {
    const file = await open(path, "r+");
    try {
      const { places, run } = await readPlaces(file, path, site);
      const sent = await readSent(file, path);
      if (sent > places.length) throw damaged(path, "its first line counts more deliveries than it has");
      return new Batch(file, places, run, sent);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Number of deliveries that were not accepted yet. */
  get waiting(): number {
    return this.#places.length - this.#sent;
  }

  /** Returns the next delivery. Undefined if all were accepted. */
  async next(): Promise<Delivery | undefined> {
    const place = this.#places[this.#sent];
    return place && this.#read(place);
  }

  /** Yields all deliveries of the run, also those that were accepted. */
  async *all(): AsyncGenerator<Delivery> {
    for (const place of this.#places) yield await this.#read(place);
  }

  async #read({ id, at, length }: Place): Promise<Delivery> {
    const body = Buffer.alloc(length);
    await this.#file.read(body, 0, length, at);
    return { id, body };
  }

  /** Counts the delivery as accepted. If a power failure loses the new count, the delivery is sent again. */
  async accept(): Promise<void> {
    this.#sent++;
    const digits = String(this.#sent).padStart(DIGITS, "0");
    await this.#file.write(digits, MAGIC.length, "latin1");
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** Returns the number of deliveries that wait. Reads only the first and the last line. 0 if the file is damaged. */
export async function waitingIn(path: string): Promise<number> {
  const file = await open(path, "r");
  try {
    const sent = await readSent(file, path);
    const { size } = await file.stat();
    const length = Math.min(size, END_BYTES);
    const end = Buffer.alloc(length);
    await file.read(end, 0, length, size - length);
    const [, count = 0] = /\nend (\d+) [\da-f]{64}\n$/.exec(end.toString("latin1")) ?? [];
    return Math.max(0, Number(count) - sent);
  } catch (error) {
    if (error instanceof OutboxError) return 0;
    throw error;
  } finally {
    await file.close();
  }
}

async function readSent(file: FileHandle, path: string): Promise<number> {
  const header = Buffer.alloc(HEADER_BYTES);
  await file.read(header, 0, HEADER_BYTES, 0);
  const [, digits] = /^siteatlas-outbox 1 (\d{10})\n$/.exec(header.toString("latin1")) ?? [];
  if (digits === undefined) throw damaged(path, "siteatlas did not write it");
  return Number(digits);
}

async function readPlaces(
  file: FileHandle,
  path: string,
  site: string,
): Promise<{ places: readonly Place[]; run: string }> {
  await readSent(file, path);
  const hash = createHash("sha256");
  const places: Place[] = [];
  let run = "";
  let hasLast = false;
  let end: string | undefined;
  for await (const { at, line } of linesOf(file, path)) {
    if (end !== undefined) throw damaged(path, "text follows its last line");
    if (line.subarray(0, 4).equals(Buffer.from("end "))) {
      end = line.toString("latin1");
      continue;
    }
    const head = readHead(line);
    const sequence = places.length + 1;
    if (places.length === 0) run = head?.run ?? "";
    const isNext = head?.run === run && head.sequence === sequence && isSame(head.site, site) && !hasLast;
    if (!isNext) throw damaged(path, `delivery ${sequence} is not valid`);
    hasLast = head.isLast;
    hash.update(line).update("\n");
    places.push({ id: deliveryId(run, sequence), at, length: line.length });
  }
  if (end === undefined || !hasLast) throw damaged(path, "it is truncated");
  if (end !== `end ${places.length} ${hash.digest("hex")}`)
    throw damaged(path, "its checksum does not match");
  return { places, run };
}

/** Whether both URLs name the same site. http and https of a site have the same snapshot and the same outbox. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((url) => url.replace(/^https?:/, ""));
  return first === second;
}

interface Head {
  readonly run: string;
  readonly sequence: number;
  readonly site: string;
  readonly isLast: boolean;
}

function readHead(line: Buffer): Head | undefined {
  try {
    const { kind, schema, id, run, sequence, site, isLast } = JSON.parse(line.toString()) as Record<
      string,
      unknown
    >;
    const isKnown = (kind === "changes" || kind === "failure") && schema === 1;
    const isRun = typeof run === "string" && /^[\w-]{16}$/.test(run) && typeof sequence === "number";
    if (!isKnown || !isRun || id !== deliveryId(run, sequence)) return undefined;
    return { run, sequence, site: String(site), isLast: isLast === true };
  } catch {
    return undefined;
  }
}

/** Yields the lines after the first one, without their line feeds. */
async function* linesOf(file: FileHandle, path: string): AsyncGenerator<{ at: number; line: Buffer }> {
  let rest = Buffer.alloc(0);
  let at = HEADER_BYTES;
  for (;;) {
    const chunk = Buffer.alloc(CHUNK_LENGTH);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_LENGTH, at + rest.length);
    if (bytesRead === 0) break;
    let bytes =
      rest.length === 0 ? chunk.subarray(0, bytesRead) : Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE)) {
      yield { at, line: bytes.subarray(0, end) };
      at += end + 1;
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > MAX_LINE_BYTES) throw damaged(path, "a line is too long");
    rest = bytes;
  }
  if (rest.length > 0) throw damaged(path, "it is truncated");
}
