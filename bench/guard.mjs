/**
 * npm run bench:guard: has a fast path been lost? Ratios within one run, on inputs that take half a minute: our
 * parser against saxes, gunzip with our parser behind it against gunzip alone, and a whole walk over loopback
 * against undici and gunzip. Exit code 1 when one of them is below `LOOSE` of what is normal.
 *
 * The best of several interleaved rounds counts, and processor time where zlib's threads play no part: another
 * program on the machine slows both sides down. `npm run bench` has the exact figures.
 */
import { fork } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { nodeContestant } from "./end-to-end/contestants.mjs";
import { runRounds, startServer } from "./end-to-end/measure.mjs";
import { corpora, generateCorpus } from "./parse/corpora.mjs";

/** So much of the normal ratio has to be there. A lost fast path costs more, a noisy machine less. */
const LOOSE = 0.6;

/** What was measured on a quiet machine with the tree in order; to be raised with the parser. */
const NORMAL = {
  plain: 2.9,
  rich: 1.8,
  index: 3.2,
  entities: 2.4,
  gunzip: 0.2,
  walk: 0.17,
};

const ROUNDS = 15;
const WALK_ROUNDS = 3;
const ENTRIES = { plain: 10_000, rich: 2000, index: 10_000, entities: 10_000 };

const best = (list) => Math.min(...list);
const dist = new URL("../packages/siteatlas/dist/index.js", import.meta.url);

/** A process of bench:parse with one parser in it. */
async function startWorker(name) {
  const worker = new URL("parse/worker.mjs", import.meta.url);
  const child = fork(worker, [name, "shortcut"], { execArgv: ["--expose-gc"] });
  const answer = () =>
    new Promise((resolve, reject) => {
      const onExit = (code) => reject(new Error(`${name} ended with ${code}`));
      child.once("exit", onExit);
      child.once("message", ({ result, error }) => {
        child.off("exit", onExit);
        if (error === undefined) resolve(result);
        else reject(new Error(`${name}: ${error}`));
      });
    });
  await answer();
  const ask = (request, details = {}) => {
    child.send({ request, ...details });
    return answer();
  };
  return { ask, stop: () => child.disconnect() };
}

/** How many times as fast as saxes, by corpus. */
async function againstSaxes(folder) {
  const [ours, saxes] = [await startWorker("siteatlas"), await startWorker("saxes")];
  const ratios = {};
  for (const [name, entries] of Object.entries(ENTRIES)) {
    const path = join(folder, `${name}.xml`);
    const corpus = corpora.find((candidate) => candidate.name === name);
    writeFileSync(path, generateCorpus(corpus, entries));
    for (const worker of [ours, saxes]) await worker.ask("load", { path, isIndex: name === "index" });
    const samples = { ours: [], saxes: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const first = await ours.ask("run");
      const second = await saxes.ask("run");
      if (first.count !== second.count)
        throw new Error(`${name}: ${first.count} and ${second.count} records`);
      samples.ours.push(first.ms);
      samples.saxes.push(second.ms);
    }
    ratios[name] = best(samples.saxes) / best(samples.ours);
  }
  ours.stop();
  saxes.stop();
  return ratios;
}

/** The rate of gunzip with our parser behind it, in that of gunzip alone. */
async function againstGunzip(folder) {
  const path = join(folder, "plain.xml.gz");
  const plain = corpora.find(({ name }) => name === "plain");
  writeFileSync(path, gzipSync(generateCorpus(plain, 2 * ENTRIES.plain)));
  const worker = await startWorker("gunzip");
  await worker.ask("load", { path });
  const samples = { alone: [], parse: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const task of ["alone", "parse"]) samples[task].push((await worker.ask("run", { task })).ms);
  }
  worker.stop();
  return best(samples.alone) / best(samples.parse);
}

/** Processor time of undici and gunzip that count bytes, in that of `streamPages`, over the same sitemaps. */
async function againstUndici() {
  const server = startServer();
  try {
    const [bodies, pages] = [6, 25_000];
    const port = 20_000 + 3 * (process.pid % 4000);
    const { origin } = await server.ask("open", { name: "site", kind: "large", port, bodies, pages });
    await server.ask("show", { name: "site", count: bodies, isGzip: true });
    const sitemaps = Array.from({ length: bodies }, (_, i) => `${origin}/sitemap-${i}.xml.gz`);
    const contestants = [
      nodeContestant("ours", "streamPages", "ours:stream"),
      nodeContestant("floor", "undici", "floor:undici"),
    ];
    const env = { BENCH_SITEATLAS: dist.href };
    const options = { server, rounds: WALK_ROUNDS, env, say() {} };
    const [ours, floor] = await runRounds(contestants, { origin, sitemaps }, options);
    for (const { found } of ours.samples) {
      if (found !== bodies * pages) throw new Error(`streamPages found ${found} of ${bodies * pages} pages`);
    }
    const seconds = ({ samples }) => best(samples.map(({ innerCpuSeconds }) => innerCpuSeconds));
    return seconds(floor) / seconds(ours);
  } finally {
    server.stop();
  }
}

if (!existsSync(dist)) throw new Error("There is no build: npm run build");
const folder = mkdtempSync(join(tmpdir(), "siteatlas-guard-"));
const measured = {};
try {
  Object.assign(measured, await againstSaxes(folder));
  measured.gunzip = await againstGunzip(folder);
  measured.walk = await againstUndici();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const WORDS = { gunzip: "gunzip with the parser, in gunzip alone", walk: "undici + gunzip, in streamPages" };
for (const [name, normal] of Object.entries(NORMAL)) {
  const least = LOOSE * normal;
  const isEnough = measured[name] >= least;
  if (!isEnough) process.exitCode = 1;
  const what = WORDS[name] ?? `${name}: times as fast as saxes`;
  console.log(
    `${isEnough ? "ok    " : "FAILED"} ${what}: ${measured[name].toFixed(2)}, at least ${least.toFixed(2)}`,
  );
}
