/**
 * How long the command line takes to start: `npm run bench:start`. An empty script, `--version`, and `ls` up to
 * its first line on a site of 75 sitemaps, in turns, so that whatever else the machine does falls on all three.
 * The aim is 300 ms for the first line. Prints medians, and how many files each run loads.
 *
 *     npm run bench:start -- --rounds 31   15 unless told
 *
 * The command line is bundled from the sources first. The site is a process of its own whose answers are ready
 * (ready-site.mjs). The time is on the wall, from `spawn` to the first byte; the process is ended then.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildCli } from "../../scripts/build-cli.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const at = process.argv.indexOf("--rounds");
const ROUNDS = at < 0 ? 15 : Number(process.argv[at + 1]);

const folder = join(root, ".cache/bench/start");
const main = join(folder, "dist/cli/main.js");

async function prepare() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, "packages/siteatlas/package.json"), join(folder, "package.json"));
  writeFileSync(join(folder, "empty.js"), "");
  await buildCli(join(folder, "dist/cli"));
}

/** Certificates that it names are read at each start of Node, in more time than all the rest takes. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;

/** Milliseconds until it says something, or ends. */
async function timeOf(args) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  await Promise.race([once(child.stdout, "data"), ended]);
  const ms = performance.now() - startedAt;
  child.kill("SIGKILL");
  await ended;
  return ms;
}

/** How many files of ours a run loads. */
function filesOf(args) {
  const report = mkdtempSync(join(tmpdir(), "siteatlas-bench-"));
  spawnSync(process.execPath, args, { env: { ...env, NODE_V8_COVERAGE: report } });
  const scripts = readdirSync(report).flatMap(
    (name) => JSON.parse(readFileSync(join(report, name), "utf8")).result,
  );
  rmSync(report, { recursive: true });
  return new Set(scripts.map(({ url }) => url).filter((url) => url.startsWith("file:"))).size;
}

await prepare();
const site = spawn(process.execPath, [path("ready-site.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
try {
  const [url] = await once(createInterface(site.stdout), "line");
  const runs = {
    "empty script": [join(folder, "empty.js")],
    "--version": [main, "--version"],
    "ls, first line": [main, "ls", url, "--format", "urls", "--quiet"],
  };
  const times = new Map(Object.keys(runs).map((name) => [name, []]));
  // The server has its first request behind it.
  await timeOf(runs["ls, first line"]);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, args] of Object.entries(runs)) times.get(name).push(await timeOf(args));
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0].model}, ${ROUNDS} rounds\n`);
  console.log("| | median ms | quartiles | least | files |\n|---|---|---|---|---|");
  for (const [name, list] of times) {
    list.sort((a, b) => a - b);
    const quantile = (part) => list[Math.floor(part * (list.length - 1))].toFixed(0);
    const files = filesOf(name.startsWith("ls") ? [...runs[name], "--limit", "1"] : runs[name]);
    console.log(
      `| ${name} | ${quantile(0.5)} | ${quantile(0.25)} to ${quantile(0.75)} | ${quantile(0)} | ${files} |`,
    );
  }
} finally {
  site.kill();
}
