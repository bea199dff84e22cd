/**
 * Who is measured: how each is started, and what of its output says how many pages it found. `site` is what a
 * scenario shows: `origin`, `index` (the URL of the sitemap index) and `sitemaps` (those of its sitemaps).
 */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { peerVersion } from "../parse/peers.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const USAGE = ["--require", path("report-usage.cjs")];

/** A process of contestant.mjs. */
export function nodeContestant(group, name, task, details = {}, flags = []) {
  return {
    group,
    name,
    start: (site) => ({
      file: process.execPath,
      args: [...USAGE, ...flags, path("contestant.mjs"), task, JSON.stringify({ ...site, ...details })],
    }),
  };
}

/** The command line, as it is installed; what it writes is dropped, but for files. */
function cliContestant(format, { main, folder }) {
  const file = join(folder, `pages.${format}`);
  const output = format === "parquet" ? ["-o", file] : [];
  return {
    group: "ours",
    name: `siteatlas ls -f ${format}`,
    start: ({ origin }) => {
      rmSync(file, { force: true });
      const args = ["ls", origin, "-f", format, ...output, "--progress", "json"];
      return { file: process.execPath, args: [...USAGE, main, ...args] };
    },
    read: (_, stderr) => {
      const lines = stderr.trim().split("\n");
      const { pages, exitCode } = JSON.parse(lines.at(-1));
      if (exitCode !== 0) throw new Error(`siteatlas ls ended with ${exitCode}: ${lines.at(-1)}`);
      return { found: pages };
    },
  };
}

export const oursContestants = (build) => ({
  stream: nodeContestant("ours", "streamPages", "ours:stream"),
  batches: nodeContestant("ours", "streamPageBatches", "ours:batches"),
  tree: nodeContestant("ours", "sitemapTreeForHomepage", "ours:tree"),
  urls: cliContestant("urls", build),
  ndjson: cliContestant("ndjson", build),
  parquet: cliContestant("parquet", build),
});

const hasProgram = (name) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

/** Bytes through programs that everybody has; the shell tells the processor time of both. */
function curlContestant() {
  return {
    group: "floor",
    name: "curl | zcat >/dev/null",
    start: ({ sitemaps }) => {
      const unpack = sitemaps[0].endsWith(".gz") ? "zcat" : "cat";
      const script = `TIMEFORMAT='%U %S'; time { curl -sS --globoff "$@" | ${unpack} >/dev/null; }`;
      return { file: "bash", args: ["-c", script, "bash", ...sitemaps] };
    },
    read: (_, stderr) => {
      const [user, system] = stderr.trim().split("\n").at(-1).replaceAll(",", ".").split(" ").map(Number);
      return { cpuSeconds: user + system };
    },
  };
}

export function floorContestants(say) {
  const missing = ["bash", "curl", "zcat"].filter((name) => !hasProgram(name));
  if (missing.length > 0) say(`skipped: curl | zcat (there is no ${missing.join(", ")})`);
  return {
    sockets: nodeContestant("floor", "sockets (the server alone)", "floor:sockets"),
    undici: nodeContestant("floor", "undici + gunzip, 2 at once", "floor:undici"),
    undiciLoop: nodeContestant("floor", "undici + gunzip, one by one", "floor:undici", { atOnce: 1 }),
    ...(missing.length === 0 && { curl: curlContestant() }),
    regex: nodeContestant("floor", "regex over the text", "floor:regex"),
  };
}

export const PEERS = ["@crawlee/utils", "sitemapper", "sitemap", "sitemapd", "get-sitemap-links"];

export function peerContestants(say) {
  const there = PEERS.filter((name) => peerVersion(name) !== undefined);
  const missing = PEERS.filter((name) => !there.includes(name));
  if (missing.length > 0) say(`skipped: ${missing.join(", ")} (not installed)`);
  const peers = there.map((name) => nodeContestant("peer", `${name} ${peerVersion(name)}`, `peer:${name}`));
  const usp = uspContestant(say);
  return usp === undefined ? peers : [...peers, usp];
}

/** From a checkout of the caller's: it is under the GPL, and only run. */
function uspContestant(say) {
  const checkout = process.env.USP_CHECKOUT;
  const reason =
    checkout === undefined
      ? "USP_CHECKOUT names no checkout"
      : !existsSync(join(checkout, "usp", "tree.py"))
        ? "there is no usp/tree.py in USP_CHECKOUT"
        : !hasProgram("python3") && "there is no python3";
  if (reason) {
    say(`skipped: USP (${reason})`);
    return undefined;
  }
  return {
    group: "usp",
    name: "USP (python)",
    start: ({ origin }) => ({
      file: "python3",
      args: [path("run-usp.py"), `${origin}/`],
      env: { PYTHONPATH: checkout, PYTHONDONTWRITEBYTECODE: "1" },
    }),
  };
}
