/**
 * npm run bench: the whole road, from the socket to the last page, ours beside others and beside what nobody can
 * be faster than. What is measured, and how, is in bench/README.md.
 *
 *   --only a,b       these scenarios: ten, large, sites, scaling, memory
 *   --rounds N       so many rounds (3); the median counts
 *   --quick          small sizes, one round, only peers that are installed: does it run
 *   --no-peers       ours and the floors alone
 *   --no-build       take dist/ as it is
 *   --port N         the first of three ports on 127.0.0.1 (18080)
 *
 * Only a whole run writes bench/RESULTS.md.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { cacheFolder, installPeers } from "../parse/peers.mjs";
import { startServer } from "./measure.mjs";
import { renderReport } from "./report.mjs";
import { openSites, scenarios, sizesFor } from "./scenarios.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(cacheFolder, "end-to-end");

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      rounds: { type: "string" },
      quick: { type: "boolean", default: false },
      "no-peers": { type: "boolean", default: false },
      "no-build": { type: "boolean", default: false },
      port: { type: "string" },
    },
  });
  const names = values.only?.split(",").map((name) => name.trim());
  for (const name of names ?? []) {
    if (!scenarios.some((scenario) => scenario.name === name)) {
      throw new RangeError(
        `Cannot find ${name} among ${scenarios.map((scenario) => scenario.name).join(", ")}`,
      );
    }
  }
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError(`Cannot run ${values.rounds} rounds`);
  return {
    scenarios: scenarios.filter(({ name }) => names?.includes(name) ?? true),
    rounds,
    isQuick: values.quick,
    hasPeers: !values["no-peers"],
    isWhole: names === undefined && !values.quick && !values["no-peers"] && rounds >= 3,
    build: !values["no-build"],
    // Quick runs may be several at once; what is kept for the others belongs to its port.
    port: Number(values.port ?? (values.quick ? 20_000 + 3 * (process.pid % 4000) : 18_080)),
  };
}

/** A copy of what is built: who builds again meanwhile changes nothing here. */
function takeBuild() {
  const source = join(root, "packages/siteatlas");
  const target = join(folder, "siteatlas");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  cpSync(join(source, "package.json"), join(target, "package.json"));
  cpSync(join(source, "dist"), join(target, "dist"), { recursive: true });
  return { folder, main: join(target, "dist/cli/main.js"), library: join(target, "dist/index.js") };
}

const options = readOptions();
const startedAt = performance.now();
const [load] = loadavg();
if (options.build && spawnSync("npm", ["run", "build"], { cwd: root, stdio: "ignore" }).status !== 0)
  throw new Error("Cannot build siteatlas");
if (options.hasPeers && !options.isQuick) installPeers();
const build = takeBuild();

const server = startServer();
const results = [];
try {
  const sizes = sizesFor(options.isQuick);
  const sites = await openSites(server, options.port, sizes, !options.isQuick);
  const bench = {
    ...options,
    server,
    sites,
    sizes,
    build,
    env: { BENCH_SITEATLAS: pathToFileURL(build.library).href },
    say: (text) => console.log(text),
  };
  for (const { name, run } of options.scenarios) results.push({ name, ...(await run(bench)) });
} finally {
  server.stop();
}

const command = ["npm run bench", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(
  " ",
);
const minutes = (performance.now() - startedAt) / 60_000;
const report = renderReport({ results, options, load, command, minutes });
console.log(`\n${report}`);
writeFileSync(join(folder, "samples.json"), JSON.stringify(results, null, 2));
if (options.isWhole) writeFileSync(new URL("../RESULTS.md", import.meta.url), `${report}\n`);
