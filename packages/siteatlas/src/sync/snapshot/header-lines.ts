/**
 * Reads the lines of a snapshot's header. The file is untrusted. Limits stop it before it fills the memory. They apply
 * to the decompressed bytes, the length of a line and of a string, the depth and the number of JSON values. A gzip
 * member of 1 MB can decompress to 1 GB, and `JSON.parse` needs 60 bytes of memory for the two bytes of `{}`.
 */
import { SnapshotError } from "./snapshot-error.ts";

/** Maximum number of decompressed bytes. 50,000 sitemaps, the default limit of a walk, usually take 30 MB. */
const MAX_BYTES = 512 * 1024 * 1024;
/**
 * Maximum number of commas, brackets and line feeds outside of strings: about 35 per sitemap, and 3 for each one that
 * it lists.
 */
const MAX_VALUES = 8_000_000;
/**
 * Longest line in bytes. An index that lists 50,000 sitemaps usually takes 10 MB. With the default limits, it lists at
 * most 64 MiB of URLs. JSON doubles their length if they consist of backslashes.
 */
const MAX_LINE = 160 * 1024 * 1024;
/** Longest string or number. */
const MAX_TOKEN = 1024 * 1024;
/** Deepest nesting: `{"children":[["https://…"]]}` */
const MAX_DEPTH = 3;

const [QUOTE, BACKSLASH, LINE_FEED, COMMA] = [0x22, 0x5c, 0x0a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** @throws {SnapshotError} `too-large` or `invalid`. `name` is the file, for messages. */
export async function* readHeaderLines(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
  const meter = new JsonMeter(name);
  /** The start of a line that the next chunk continues. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw tooLarge(name);
    meter.add(chunk);
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...held, chunk.subarray(start, end)]).toString();
      held = [];
      heldBytes = 0;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    held.push(chunk.subarray(start));
    heldBytes += chunk.length - start;
    if (heldBytes > MAX_LINE) throw tooLarge(name);
  }
  if (held.length > 0) throw new SnapshotError("invalid", `${name} is not valid: its header has no end`);
}

/**
 * Yields the lines of a header as bytes, if `readHeaderLines` would accept them.
 *
 * @throws {SnapshotError} `too-large`, which is possible only with raised limits. `name` is the file, for messages
 */
export function* checkedHeaderLines(lines: Iterable<string>, name: string): Generator<Buffer> {
  const meter = new JsonMeter(name);
  let bytes = 0;
  for (const line of lines) {
    const text = Buffer.from(line);
    bytes += text.length;
    if (bytes > MAX_BYTES || text.length > MAX_LINE) throw tooLarge(name);
    meter.add(text);
    yield text;
  }
}

export function tooLarge(name: string): SnapshotError {
  return new SnapshotError("too-large", `${name} is too large: its header exceeds a limit of siteatlas`);
}

/**
 * Counts the values and the depth of a JSON text, byte by byte, so that a forged header is refused before `JSON.parse`
 * fills memory. It does not check the syntax.
 */
class JsonMeter {
  readonly #name: string;
  #values = 0;
  #depth = 0;
  /** Length of the current string or number. */
  #token = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(name: string) {
    this.#name = name;
  }

  add(bytes: Buffer): void {
    for (const byte of bytes) {
      this.#token++;
      if (this.#isInString) this.#addToString(byte);
      else if (byte === QUOTE) this.#isInString = true;
      else if (byte === COMMA || byte === LINE_FEED) this.#end(0);
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#end(1);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#end(-1);
    }
    if (this.#values > MAX_VALUES || this.#token > MAX_TOKEN) throw tooLarge(this.#name);
  }

  #addToString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  /** Counts a token that has ended. `deeper`: how the depth changes. */
  #end(deeper: -1 | 0 | 1): void {
    if (this.#token > MAX_TOKEN) throw tooLarge(this.#name);
    this.#token = 0;
    this.#values++;
    this.#depth += deeper;
    if (this.#depth <= MAX_DEPTH) return;
    throw new SnapshotError("invalid", `${this.#name} is not valid: its header is nested too deeply`);
  }
}
