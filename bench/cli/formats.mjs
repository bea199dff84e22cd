/**
 * The same site of 2.6 million pages through the real command line, as NDJSON, CSV, Parquet and SQLite:
 * `npm run bench:cli`. All four are read back and must hold the same records; each process may take 300 MB
 * (Parquet 700), and no more for 2.6 million pages than for 1.3 million.
 *
 *     npm run bench:cli -- --quick   a tenth of the site, nothing is written
 *
 * Memory is the most that the process ever had (maxRSS of getrusage, as it ends). SQLite needs Node 22.13: an
 * older Node takes the one that `npm run test:nodes -- 22` installs. The sources are bundled first, so that
 * no stale build is measured. Writes bench/cli/RESULTS.md.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildCli } from "../../scripts/build-cli.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const isQuick = process.argv.includes("--quick");
const MB = 1e6;
/** What large-site.mjs makes: 34,667 pages in each sitemap. */
const SIZES = isQuick ? [2, 4, 8] : [8, 38, 75];
const FORMATS = ["ndjson", "csv", "parquet", "sqlite"];
const MAX_MB = { ndjson: 300, csv: 300, parquet: 700, sqlite: 300 };
/** From the middle size to the largest. Garbage comes and goes; 1.3 million URLs would be 100 MB. */
const MAX_GROWTH_MB = 40;

const node22 = join(
  root,
  ".cache/nodes/22/node_modules",
  `node-${process.platform}-${process.arch}`,
  "bin/node",
);

/** The Node for a format, or undefined. */
function nodeFor(format) {
  if (format !== "sqlite" || process.getBuiltinModule?.("node:sqlite") !== undefined) return process.execPath;
  return existsSync(node22) ? node22 : undefined;
}

async function bundle() {
  const folder = join(root, ".cache/bench/cli");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, "packages/siteatlas/package.json"), join(folder, "package.json"));
  await buildCli(join(folder, "dist/cli"));
  // What the fields are and how dates are spelt, for reading them back.
  const source = (name) => join(root, "packages/siteatlas/src", name);
  await build({
    entryPoints: { record: source("output/page-fields.ts"), "date-text": source("model/format-date.ts") },
    outdir: join(folder, "dist"),
    bundle: true,
    format: "esm",
    platform: "node",
  });
  return join(folder, "dist");
}

async function openSite(sitemaps) {
  const server = spawn(process.execPath, [path("../site/large-site.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, SITEMAPS: String(sitemaps) },
  });
  const [url] = await once(createInterface(server.stdout), "line");
  return { url, close: () => server.kill() };
}

async function list(url, format, file, dist) {
  const args = ["--require", path("report-memory.cjs"), join(dist, "cli/main.js"), "ls", url];
  const startedAt = performance.now();
  const child = spawn(
    nodeFor(format),
    [
      ...args,
      "--no-known",
      ...(/^[ct]sv$/.test(format) ? ["--csv-raw"] : []),
      "-o",
      file,
      "--progress",
      "none",
    ],
    {
      stdio: ["ignore", "inherit", "pipe", "pipe"],
    },
  );
  const [said, kilobytes, [code]] = await Promise.all([
    text(child.stderr),
    text(child.stdio[3]),
    once(child, "close"),
  ]);
  if (code !== 0) throw new Error(`${format} ended with ${code}: ${said}`);
  return {
    said: said.trim(),
    peakMb: (Number(kilobytes) * 1024) / MB,
    seconds: (performance.now() - startedAt) / 1000,
    fileMb: statSync(file).size / MB,
  };
}

function readBack(format, file, dist) {
  const { status, stdout } = spawnSync(
    nodeFor(format),
    ["--no-warnings", path("read-records.mjs"), file, dist],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  if (status !== 0) throw new Error(`Cannot read ${file}`);
  return JSON.parse(stdout);
}

const formats = FORMATS.filter((format) => {
  if (nodeFor(format) !== undefined) return true;
  console.log(`${format} is left out: it needs Node 22.13, see npm run test:nodes -- 22`);
  return false;
});
const dist = await bundle();
const folder = mkdtempSync(join(tmpdir(), "siteatlas-bench-"));
const results = new Map(formats.map((format) => [format, []]));
const failures = [];
let digest;
try {
  for (const sitemaps of SIZES) {
    const site = await openSite(sitemaps);
    const isLargest = sitemaps === SIZES.at(-1);
    for (const format of formats) {
      const file = join(folder, `pages.${format}`);
      const result = await list(site.url, format, file, dist);
      const records = isLargest ? readBack(format, file, dist) : undefined;
      rmSync(file);
      results.get(format).push({ ...result, records });
      console.log(
        `${format.padEnd(8)} ${result.said}: ${result.peakMb.toFixed(0)} MB, ${result.seconds.toFixed(1)} s${records ? `, read back ${records.count}, digest ${records.digest}` : ""}`,
      );
      if (records === undefined) continue;
      digest ??= JSON.stringify(records);
      if (JSON.stringify(records) !== digest)
        failures.push(`${format} holds other records than ${formats[0]}`);
    }
    site.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const [format, list_] of results) {
  const [, middle, largest] = list_;
  if (largest.peakMb > MAX_MB[format]) failures.push(`${format} took ${largest.peakMb.toFixed(0)} MB`);
  // A small site does not fill what the engine takes anyway.
  if (!isQuick && largest.peakMb - middle.peakMb > MAX_GROWTH_MB)
    failures.push(`${format} grows with the site`);
}

const rows = [...results].map(([format, list_]) => {
  const { seconds, fileMb, records } = list_.at(-1);
  const peaks = list_.map(({ peakMb }) => peakMb.toFixed(0)).join(" | ");
  return `| ${format} | ${peaks} | ${MAX_MB[format]} | ${seconds.toFixed(1)} | ${fileMb.toFixed(0)} | ${records.count.toLocaleString("en")} | \`${records.digest}\` |`;
});
const pages = SIZES.map((sitemaps) => `${((sitemaps * 34_667) / 1e6).toFixed(2)} million`);
const versions = new Set(
  formats.map((format) => spawnSync(nodeFor(format), ["--version"], { encoding: "utf8" }).stdout.trim()),
);
const report = `# \`siteatlas ls\` by format

${new Date().toISOString().slice(0, 10)}, Node ${[...versions].join(" (SQLite: ")}${versions.size > 1 ? ")" : ""}, ${cpus().length} × ${cpus()[0].model}, ${(totalmem() / 1e9).toFixed(0)} GB. \`npm run bench:cli\`

The most memory that the process ever had, in MB, by the size of the site; then, for the largest: the limit, seconds (the site is made on the fly by another process of the same machine), the size of the file in MB, and what was read back from it. The digest is that of all records, whatever their order.

| format | ${pages.join(" | ")} | limit | s | file | records | digest |
|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
console.log(`\n${report}`);
if (!isQuick) writeFileSync(path("RESULTS.md"), report);
for (const failure of failures) console.error(`FAILED: ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
