/**
 * Parses documents of many shapes by turns in one process, with garbage collections in between, as a walker of the
 * fleet does. Compares this build with another one, by turns, in new processes.
 *
 * `npm run bench:mixed -- --before ../other-checkout` (its `packages/siteatlas/dist` must be built). `--processes 5`,
 * `--rounds 30` and `--pages 1000` change the size. Without `--before`, only this build is measured.
 */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    processes: { type: "string", default: "5" },
    rounds: { type: "string", default: "30" },
    pages: { type: "string", default: "1000" },
  },
});
const processes = Number(values.processes);
const here = fileURLToPath(new URL("../..", import.meta.url));
const builds = [{ name: "now", folder: here }];
if (values.before !== undefined) builds.unshift({ name: "before", folder: resolve(values.before) });

const worker = fileURLToPath(new URL("mixed-worker.mjs", import.meta.url));
const runs = new Map(builds.map(({ name }) => [name, []]));
for (let i = 0; i < processes; i++) {
  for (const { name, folder } of i % 2 === 0 ? builds : builds.toReversed()) {
    const entry = pathToFileURL(resolve(folder, "packages/siteatlas/dist/index.js")).href;
    const output = execFileSync(
      process.execPath,
      ["--expose-gc", worker, entry, values.rounds, values.pages],
      { encoding: "utf8" },
    );
    runs.get(name).push(JSON.parse(output));
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const shapeNames = Object.keys(runs.get("now")[0]);
const table = {};
for (const shape of shapeNames) {
  const row = {};
  for (const { name } of builds) row[name] = median(runs.get(name).map((run) => run[shape]));
  if (builds.length > 1) row.ratio = row.now / row.before;
  table[shape] = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value.toFixed(2)]));
}
console.log("CPU time of the main thread in µs per page, median of the processes:");
console.table(table);

const meanOf = (run) => shapeNames.reduce((sum, shape) => sum + run[shape], 0) / shapeNames.length;
const means = Object.fromEntries(builds.map(({ name }) => [name, runs.get(name).map(meanOf)]));
for (const { name } of builds) {
  const [best, worst] = [Math.min(...means[name]), Math.max(...means[name])];
  console.log(
    `${name}: mean of the shapes ${median(means[name]).toFixed(2)} (${best.toFixed(2)} to ${worst.toFixed(2)})`,
  );
}
if (builds.length > 1) {
  const ratio = median(means.now) / median(means.before);
  const worst = Math.max(...means.now) / median(means.before);
  console.log(`ratio ${ratio.toFixed(2)}, worst process ${worst.toFixed(2)}`);
}
