/**
 * npm run bench:parse: our parser beside others and beside bare gunzip. What is measured, and how, is in
 * bench/README.md.
 *
 *   --rounds N        best of N (9), of 3 for who is six times as slow as the fastest
 *   --only a,b        these corpora: plain, minified, rich, index, entities, irregular
 *   --engines a,b     these parsers
 *   --entries N       entries in each corpus, instead of up to 50,000
 *   --urls WAY        how the other parsers' URLs are validated: shortcut (ours), canparse, href
 *   --quick           small corpora, two rounds: does it run
 *   --guard           small corpora, ours and saxes, loose ratios; exit code 1 when one is missed
 *   --no-build        take dist/ as it is
 *
 * Only a full run writes RESULTS.md.
 */
import { fork, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { corpora, generateCorpus } from "./corpora.mjs";
import { engines, givenBy } from "./engines.mjs";
import { cacheFolder, installPeers } from "./peers.mjs";
import { EVERYTHING, urlModes } from "./records.mjs";
import { best, guardBars, OURS, ratio, renderReport } from "./report.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string" },
      only: { type: "string" },
      engines: { type: "string" },
      entries: { type: "string" },
      urls: { type: "string", default: "shortcut" },
      quick: { type: "boolean", default: false },
      guard: { type: "boolean", default: false },
      "no-build": { type: "boolean", default: false },
    },
  });
  const { quick, guard } = values;
  if (!urlModes.includes(values.urls)) throw new RangeError(`Cannot use --urls ${values.urls}`);
  const preset = quick ? { rounds: 2, entries: 1000 } : guard ? { rounds: 9, entries: 5000 } : { rounds: 9 };
  return {
    quick,
    guard,
    urls: values.urls,
    build: !values["no-build"],
    rounds: values.rounds ? positive("rounds", values.rounds) : preset.rounds,
    entries: values.entries ? positive("entries", values.entries) : preset.entries,
    corpora: choose(corpora, values.only),
    engines: choose(engines, guard ? `${OURS},saxes` : values.engines),
    isFull: !(
      quick ||
      guard ||
      values.only ||
      values.engines ||
      values.entries ||
      values.urls !== urlModes[0]
    ),
  };
}

function positive(name, text) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new RangeError(`Cannot use --${name} ${text}: no positive integer`);
  return number;
}

/** The items of a comma-separated list of names, in their usual order. */
function choose(items, names) {
  if (names === undefined) return items;
  const wanted = names.split(",").map((name) => name.trim());
  for (const name of wanted) {
    if (!items.some((item) => item.name === name)) {
      throw new RangeError(`Cannot find ${name} among ${items.map((item) => item.name).join(", ")}`);
    }
  }
  return items.filter(({ name }) => wanted.includes(name));
}

/** Builds the library when its sources are newer than what was built of them. */
function buildIfStale() {
  const folder = join(root, "packages", "siteatlas");
  const built = join(folder, "dist", "parse", "document.js");
  const sources = readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true });
  const newest = Math.max(...sources.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs > newest) return;
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", folder], { stdio: "inherit" });
  if (status !== 0) throw new Error("Cannot build siteatlas");
}

/** Starts a process for one parser; `ask` gives its answer to a request. */
async function startWorker(name, urls) {
  const child = fork(new URL("worker.mjs", import.meta.url), [name, urls], { execArgv: ["--expose-gc"] });
  const answer = () =>
    new Promise((resolve, reject) => {
      const onExit = (code) => reject(new Error(`${name} ended with code ${code}`));
      child.once("exit", onExit);
      child.once("message", ({ result, error }) => {
        child.off("exit", onExit);
        if (error === undefined) resolve(result);
        else reject(new Error(`${name}: ${error}`));
      });
    });
  const { clock } = await answer();
  const ask = (request, details = {}) => {
    child.send({ request, ...details });
    return answer();
  };
  return { name, clock, ask, stop: () => child.disconnect() };
}

/** Writes a corpus where the workers can read it. */
function writeCorpus(corpus, entries) {
  const folder = join(cacheFolder, "corpora");
  mkdirSync(folder, { recursive: true });
  const bytes = generateCorpus(corpus, entries);
  const path = join(folder, `${corpus.name}.xml`);
  writeFileSync(path, bytes);
  return { path, bytes: bytes.length };
}

/** Throws unless every parser's records equal ours in all that the parser gives. Gives their number. */
async function checkRecords(workers, reference, corpus) {
  // Asked once for each set of fields: every question is a run, and warms our code alone.
  const asked = new Map();
  const ourRecords = async (given) => {
    const key = given.join();
    if (!asked.has(key)) asked.set(key, await reference.ask("check", { given }));
    return asked.get(key);
  };
  for (const worker of workers.filter((candidate) => candidate !== reference)) {
    const engine = engines.find(({ name }) => name === worker.name);
    const given = givenBy(engine, corpus);
    const ours = await ourRecords(given);
    const theirs = await worker.ask("check", { given });
    if (theirs.digest === ours.digest) continue;
    throw new Error(await describeDifference(worker, reference, { corpus, given }));
  }
  const { count } = await ourRecords(EVERYTHING);
  if (count === 0) throw new Error(`No records in ${corpus}`);
  return count;
}

async function describeDifference(worker, reference, { corpus, given }) {
  const dump = async (source, name) => {
    const path = join(cacheFolder, `${name}.jsonl`);
    await source.ask("dump", { given, path });
    return readFileSync(path, "utf8").split("\n");
  };
  const theirs = await dump(worker, "theirs");
  const ours = await dump(reference, "ours");
  const at = ours.findIndex((line, index) => line !== theirs[index]);
  const place = at < 0 ? ours.length : at;
  const counts = `${ours.length} records against ${theirs.length}`;
  return `${worker.name} and ${OURS} differ on ${corpus} (${counts}), record ${place}:\n${ours[place]}\n${theirs[place]}`;
}

/** After so many rounds, who takes so many times as long as the first is left alone: no bar is near. */
const ENOUGH_ROUNDS = 3;
const FAR_BEHIND = 6;

/** Runs all parsers in turn, round by round, each round starting with another one. */
async function measure(workers, rounds, expected) {
  const samples = Object.fromEntries(workers.map(({ name }) => [name, []]));
  let racing = workers;
  for (let round = 0; round < rounds; round++) {
    if (round === ENOUGH_ROUNDS) {
      const first = Math.min(...workers.map(({ name }) => best(samples[name])));
      racing = workers.filter(({ name }) => best(samples[name]) < FAR_BEHIND * first);
    }
    for (let i = 0; i < racing.length; i++) {
      const worker = racing[(round + i) % racing.length];
      const { ms, count } = await worker.ask("run");
      if (expected !== undefined && count !== expected)
        throw new Error(`${worker.name} gave ${count} of ${expected} records`);
      samples[worker.name].push(ms);
    }
  }
  return samples;
}

async function measureCorpora(workers, options) {
  const results = [];
  const reference = workers.find(({ name }) => name === OURS);
  for (const corpus of options.corpora) {
    const entries = Math.min(options.entries ?? corpus.entries, corpus.entries);
    const { path, bytes } = writeCorpus(corpus, entries);
    for (const worker of workers) await worker.ask("load", { path, isIndex: corpus.name === "index" });
    const count = reference && (await checkRecords(workers, reference, corpus.name));
    const samples = await measure(workers, options.rounds, count);
    results.push({ corpus: corpus.name, about: corpus.about, bytes, entries, samples });
    const line = Object.entries(samples).map(([name, list]) => `${name} ${best(list).toFixed(1)}`);
    console.log(`${corpus.name}: ${line.join(", ")} ms`);
  }
  return results;
}

async function measureGunzip(options) {
  const plain = corpora.find(({ name }) => name === "plain");
  const { path } = writeCorpus(plain, Math.min(options.entries ?? plain.entries, plain.entries));
  const packed = `${path}.gz`;
  writeFileSync(packed, gzipSync(readFileSync(path)));
  const worker = await startWorker("gunzip", options.urls);
  const { bytes } = await worker.ask("load", { path: packed });
  const samples = { alone: [], parse: [] };
  for (let round = 0; round < 2 * options.rounds; round++) {
    for (const task of ["alone", "parse"]) samples[task].push((await worker.ask("run", { task })).ms);
  }
  worker.stop();
  const [alone, parse] = [best(samples.alone), best(samples.parse)];
  return { alone, parse, bytes, ratio: alone / parse, samples };
}

function guard(results) {
  let ok = true;
  for (const { corpus, than, times } of guardBars) {
    const result = results.find((candidate) => candidate.corpus === corpus);
    if (result === undefined) continue;
    const measured = ratio(result, OURS, than);
    const reached = measured >= times;
    ok &&= reached;
    console.log(
      `${reached ? "ok    " : "FAILED"} ${corpus}: ${measured.toFixed(2)} × ${than}, at least ${times}`,
    );
  }
  return ok;
}

const options = readOptions();
const [load] = loadavg();
if (options.build) buildIfStale();
if (options.engines.some(({ isPeer }) => isPeer)) installPeers();

const workers = [];
for (const { name } of options.engines) workers.push(await startWorker(name, options.urls));
const results = await measureCorpora(workers, options);
for (const worker of workers) worker.stop();

if (options.guard) {
  process.exitCode = guard(results) ? 0 : 1;
} else {
  const withGunzip =
    options.engines.some(({ name }) => name === OURS) && options.corpora.some(({ name }) => name === "plain");
  const gunzip = withGunzip ? await measureGunzip(options) : undefined;
  const command = [
    "npm run bench:parse",
    ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : []),
  ].join(" ");
  const report = renderReport({
    results,
    gunzip,
    engines: options.engines,
    options,
    clock: workers[0].clock,
    load,
    command,
  });
  console.log(`\n${report}`);
  writeFileSync(join(cacheFolder, "samples.json"), JSON.stringify({ results, gunzip }, null, 2));
  if (options.isFull) writeFileSync(new URL("RESULTS.md", import.meta.url), `${report}\n`);
}
