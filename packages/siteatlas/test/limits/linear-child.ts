/**
 * Measures the CPU time for a document and for one of twice the size. Usage: node linear-child.mjs SHAPE, or
 * `depth` for a document of
 * 20,000 levels. Prints a LinearFigures as JSON. Calls the synchronous core of the parser directly and measures
 * CPU time, so that neither waiting nor other processes count.
 */
import { DocumentParser } from "../../src/parse/document.ts";
import { type LinearShape, linearShapes } from "./linear-shapes.ts";

export interface LinearFigures {
  /** Length of the smaller document. */
  readonly bytes: number;
  /** How many times it was parsed in one measurement. */
  readonly times: number;
  /** CPU time of the smaller document, best of 5. */
  readonly once: number;
  /** And of the larger one. */
  readonly twice: number;
}

export interface DepthFigures {
  readonly first: number;
  readonly best: number;
}

const MIN_MS = 20;
const ROUNDS = 5;
const CHUNK = 64 * 1024;

/** Reuses objects: half a million of them would measure the garbage collector, not the parser. */
const SINGLE_BYTES = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

function chunksOf(text: string, size = CHUNK): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  if (size === 1) return Array.from(bytes, (byte) => SINGLE_BYTES[byte]!);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

let sum = 0;

function parse(chunks: readonly Uint8Array[], url = "https://www.example.com/sitemap"): void {
  const parser = new DocumentParser({
    url,
    strict: false,
    isText: false,
    onPage: (page) => {
      sum += page.url.length;
    },
    onChild: (child) => {
      sum += child.url.length;
    },
  });
  for (const chunk of chunks) parser.push(chunk);
  sum += parser.end(false).kind.length;
}

/** CPU time in milliseconds that `times` calls take. */
function cpuTime(run: () => void, times: number): number {
  const start = process.cpuUsage();
  for (let i = 0; i < times; i++) run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

interface Job {
  readonly bytes: number;
  readonly run: () => void;
}

function jobOf({ text, chunk, url, at, run }: LinearShape, n: number): Job {
  const document = text(n);
  if (run !== undefined) return { bytes: document.length, run: () => run(document) };
  // Below the limits of the parser everything is in one chunk, so that both sizes take the same code paths.
  const chunks = chunksOf(document, chunk ?? (at === undefined ? CHUNK : 4 * document.length));
  return { bytes: document.length, run: () => parse(chunks, url) };
}

/** Increases the size or the repetitions until the smaller document takes long enough. */
function measure(shape: LinearShape): LinearFigures {
  for (let n = shape.at ?? 1000, times = 1; ; ) {
    const small = jobOf(shape, n);
    const quick = Math.min(cpuTime(small.run, times), cpuTime(small.run, times));
    if (quick >= MIN_MS) {
      const { once, twice } = compare(small, jobOf(shape, 2 * n), times);
      // Code that was compiled in the meantime may have made it too fast.
      if (once >= MIN_MS) return { bytes: small.bytes, times, once, twice };
    }
    const factor = Math.min(8, Math.max(2, Math.ceil((1.2 * MIN_MS) / Math.max(quick, 1))));
    if (shape.at === undefined) n *= factor;
    else times *= factor;
  }
}

/** CPU times of both, measured in turns: best of 5, or best of 30 if that is not enough. Noise can only add time. */
function compare(small: Job, large: Job, times: number): Pick<LinearFigures, "once" | "twice"> {
  let once = Infinity;
  let twice = Infinity;
  for (let round = 0; round < 6 * ROUNDS; round++) {
    once = Math.min(once, cpuTime(small.run, times));
    twice = Math.min(twice, cpuTime(large.run, times));
    if (round + 1 >= ROUNDS && twice < 2.8 * once) break;
  }
  return { once, twice };
}

function measureDepth(): DepthFigures {
  const depth = 20_000;
  const chunks = chunksOf(`<urlset>${"<a>".repeat(depth)}${"</a>".repeat(depth)}</urlset>`);
  parse(chunksOf("<urlset><url><loc>https://www.example.com/</loc></url></urlset>"));
  const rounds = Array.from({ length: ROUNDS }, () => cpuTime(() => parse(chunks), 1));
  return { first: rounds[0]!, best: Math.min(...rounds) };
}

const [, , name = ""] = process.argv;
const shape = linearShapes[name];
if (shape === undefined && name !== "depth") throw new RangeError(`No such shape: ${name}`);
console.log(JSON.stringify(shape === undefined ? measureDepth() : measure(shape)));
if (sum < 0) throw new Error("Nothing was parsed");
