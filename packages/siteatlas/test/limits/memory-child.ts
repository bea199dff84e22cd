/**
 * Measures the memory for streaming one large document through `parseEntries`, dropping each entry. Usage: node
 * --expose-gc memory-child.mjs SHAPE SIZE [keep]. Prints a MemoryFigures as JSON.
 */
import { createGzip } from "node:zlib";
import { parseEntries } from "../../src/parse/index.ts";
import { largeShapes, type MemoryShape, otherShapes } from "./memory-shapes.ts";

export interface MemoryFigures {
  /** Size of the document before compression. */
  readonly bytes: number;
  readonly seconds: number;
  /** Growth of the resident set, its highest sample. */
  readonly rss: number;
  /** Growth of heap and external memory after a forced collection at the end. */
  readonly after: number;
  /** The same while the document is being read, the highest of several. */
  readonly during: number;
  readonly entries: number;
  /** How many entries there should be. */
  readonly expected: number;
  readonly codes: readonly string[];
}

const CHUNK = 64 * 1024;
/** How often live memory is measured while the document is read. */
const STOPS = 10;

const collect = (): void => (globalThis as { gc?: () => void }).gc?.();

/** Live heap and external memory. The second collection frees what finalizers of the first released. */
function alive(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The document in chunks, each with its own memory, as from a network. */
function* chunksOf(
  { head, filler, tail, encoding = "latin1" }: MemoryShape,
  fillers: number,
): Generator<Buffer> {
  // One byte per character, except in UTF-16: shapes are ASCII or Latin-1.
  const encode = (text: string): Buffer => Buffer.from(text, encoding);
  let parts = [encode(head)];
  let size = parts[0]!.length;
  for (let n = 0; n < fillers; ) {
    // Several fillers at a time, each with its number.
    const batch = Math.min(fillers - n, Math.max(1, Math.floor(CHUNK / 4 / filler.length)));
    let text = "";
    if (!filler.includes("{n}")) text = filler.repeat(batch);
    else for (let i = 0; i < batch; i++) text += filler.replaceAll("{n}", String(n + i).padStart(8, "0"));
    n += batch;
    parts.push(encode(text));
    size += parts.at(-1)!.length;
    if (size < CHUNK) continue;
    const all = Buffer.concat(parts);
    yield* wholeChunks(all);
    parts = [all.subarray(all.length - (all.length % CHUNK))];
    size = parts[0]!.length;
  }
  yield Buffer.concat([...parts, encode(tail)]);
}

function* wholeChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at + CHUNK <= bytes.length; at += CHUNK) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK);
    bytes.copy(chunk, 0, at);
    yield chunk;
  }
}

async function* gzipped(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1 });
  const feed = async (): Promise<void> => {
    for (const chunk of chunks) {
      if (!gzip.write(chunk)) await new Promise((resolve) => gzip.once("drain", resolve));
    }
    gzip.end();
  };
  void feed();
  for await (const chunk of gzip) yield chunk;
}

/** Keeps all entries, to see the measured memory grow. */
const kept: unknown[] = [];
const keeps = process.argv[4] === "keep";

interface Run {
  readonly entries: number;
  readonly codes: ReadonlySet<string>;
}

async function parse(shape: MemoryShape, fillers: number, onChunk: (at: number) => void): Promise<Run> {
  async function* source(): AsyncGenerator<Buffer> {
    let at = 0;
    for await (const chunk of shape.gzip ? gzipped(chunksOf(shape, fillers)) : chunksOf(shape, fillers)) {
      onChunk(at++);
      yield chunk;
    }
  }
  let entries = 0;
  const codes = new Set<string>();
  for await (const entry of parseEntries(source(), { url: shape.url ?? "https://www.example.com/sitemap" })) {
    if (entry.kind === "issue") codes.add(entry.issue.code);
    else entries++;
    if (keeps) kept.push(entry);
  }
  return { entries, codes };
}

async function measure(shape: MemoryShape, size: number, twice: boolean): Promise<MemoryFigures> {
  const width = shape.encoding === "utf-16le" ? 2 : 1;
  const each = width * shape.filler.replaceAll("{n}", "00000000").length;
  const fillers = Math.ceil(size / each);
  // Warms up: compiles all code paths of the large document and fills the caches.
  await parse(shape, Math.ceil((2 * CHUNK) / each), () => {});
  const base = alive();
  const baseRss = process.memoryUsage.rss();
  let rss = 0;
  const sampleRss = (): void => {
    rss = Math.max(rss, process.memoryUsage.rss() - baseRss);
  };
  let during = -Infinity;
  const every = Math.ceil(size / CHUNK / STOPS);
  const stop = (at: number): void => {
    if (at % every === every - 1) during = Math.max(during, alive() - base);
  };
  const start = performance.now();
  // Forced collections keep the resident set small, so it is measured in a separate run.
  const run = await parse(shape, fillers, (at) => {
    sampleRss();
    if (!twice) stop(at);
  });
  const seconds = (performance.now() - start) / 1000;
  sampleRss();
  const after = alive() - base;
  if (twice) await parse(shape, fillers, stop);
  const expected = shape.entries === "each" ? fillers : shape.entries;
  return {
    bytes: fillers * each,
    seconds,
    rss,
    after,
    // A document that was rejected early has no sample.
    during: Math.max(during, after),
    entries: run.entries,
    expected,
    codes: [...run.codes],
  };
}

const [, , name = "", size = "0"] = process.argv;
const large = largeShapes[name];
const shape = large ?? otherShapes[name];
if (shape === undefined) throw new RangeError(`No such shape: ${name}`);
console.log(JSON.stringify(await measure(shape, Number(size), large !== undefined)));
