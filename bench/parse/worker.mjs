/**
 * A process with one parser in it, so that no parser runs on code that another one has shaped or cleans up
 * another one's garbage. The bench asks, one process at a time: load a corpus, check the records, run once.
 *
 * Garbage is collected before each run, with the parser of the run before still held. Without it the engine
 * forgets with the last parser what it had learnt about the shapes of its objects, and after some collections
 * ours and saxes alike run four to five times slower; in a program that parses all day one is mostly alive.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { cpuClock } from "./cpu-clock.mjs";
import { engines } from "./engines.mjs";
import { gunzipAlone, loadGunzipAndParse } from "./gunzip.mjs";
import { canonicalLine } from "./records.mjs";

const CHUNK_SIZE = 64 * 1024;
const [engineName, urls] = process.argv.slice(2);

function split(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += CHUNK_SIZE) pieces.push(bytes.subarray(at, at + CHUNK_SIZE));
  return pieces;
}

async function parserRequests() {
  const run = await engines.find(({ name }) => name === engineName).load(urls);
  const held = {};
  let document;

  async function lines(given) {
    const kept = [];
    const keep = (record) => kept.push(canonicalLine(record, given));
    await run(document, { onPage: keep, onChild: keep });
    return kept;
  }

  return {
    load({ path, isIndex }) {
      const file = readFileSync(path);
      const bytes = new Uint8Array(file.buffer, file.byteOffset, file.length);
      document = { chunks: split(bytes), buffers: split(file), isIndex };
    },
    async check({ given }) {
      const kept = await lines(given);
      return { count: kept.length, digest: createHash("sha256").update(kept.join("\n")).digest("hex") };
    },
    async dump({ given, path }) {
      writeFileSync(path, (await lines(given)).join("\n"));
    },
    async run() {
      let count = 0;
      const onPage = () => {
        count++;
      };
      globalThis.gc?.();
      const start = cpuClock.now();
      const used = await run(document, { onPage, onChild: onPage });
      const ms = cpuClock.now() - start;
      held.parser = used;
      return { ms, count };
    },
  };
}

async function gunzipRequests() {
  const parse = await loadGunzipAndParse();
  const tasks = { alone: gunzipAlone, parse };
  const held = {};
  let buffers;
  return {
    load({ path }) {
      const file = readFileSync(path);
      buffers = split(file);
      return { bytes: gunzipSync(file).length };
    },
    async run({ task }) {
      globalThis.gc?.();
      const start = performance.now();
      const { count, held: used } = await tasks[task](buffers);
      const ms = performance.now() - start;
      held[task] = used;
      return { ms, count };
    },
  };
}

const requests = await (engineName === "gunzip" ? gunzipRequests() : parserRequests());

process.on("message", async ({ request, ...details }) => {
  try {
    process.send({ result: (await requests[request](details)) ?? {} });
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
});
process.send({ result: { clock: cpuClock.name } });
