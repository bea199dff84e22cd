/** The tables: on the terminal, and in bench/RESULTS.md. */
import { readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { peerVersion } from "../parse/peers.mjs";
import { PEERS } from "./contestants.mjs";
import { median, medianOf } from "./measure.mjs";

export function markdownTable(head, cells) {
  const rows = cells.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(" | ")} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

const HEAD = [
  "",
  "URLs",
  "s (least–most)",
  "÷ BASE",
  "s inside",
  "CPU s",
  "peak RSS MB",
  "requests",
  "rounds",
];

/** One row for each contestant; one column is its time divided by that of `base`. */
function contestantTable({ rows, base }) {
  const baseMs = medianOf(
    rows.find(({ name }) => name === base),
    "wallMs",
  );
  const cells = rows.map((row) => {
    const { name, samples } = row;
    const walls = samples.map(({ wallMs }) => wallMs / 1000);
    const inner = median(samples.map(({ innerMs, processMs }) => innerMs ?? processMs));
    const found = [...new Set(samples.map((sample) => (sample.failed ? "failed" : (sample.found ?? "–"))))];
    return [
      name,
      found.join(", "),
      `${median(walls).toFixed(2)} (${Math.min(...walls).toFixed(2)}–${Math.max(...walls).toFixed(2)})`,
      (medianOf(row, "wallMs") / baseMs).toFixed(2),
      figure(inner, 1000, 2),
      figure(medianOf(row, "cpuSeconds"), 1, 2),
      figure(medianOf(row, "peakBytes"), 1e6, 0),
      figure(medianOf(row, "requests"), 1, 0),
      String(samples.length),
    ];
  });
  return markdownTable(
    HEAD.map((text) => text.replace("BASE", base)),
    cells,
  );
}

const figure = (number, unit, digits) => (number === undefined ? "–" : (number / unit).toFixed(digits));

const verdict = (reached) => (reached === undefined ? "–" : reached ? "reached" : "**not reached**");

export function targetTable(targets) {
  return markdownTable(
    ["target", "measured", ""],
    targets.map(({ target, measured, reached }) => [target, measured, verdict(reached)]),
  );
}

/** How fast the server is for whoever only drops its bytes. */
function serverLine(results) {
  const table = results.flatMap(({ tables }) => tables).find(({ rows }) => rows?.some(isServer));
  const server = table?.rows.find(isServer);
  if (server === undefined) return undefined;
  const rate = median(server.samples.map(({ bytes, innerMs }) => bytes / 1e3 / innerMs));
  return `- The server alone: ${rate.toFixed(0)} MB/s, ${table.title}, to sockets that drop what comes`;
}

const isServer = ({ name }) => name.startsWith("sockets");

function versions() {
  const manifest = (path) =>
    JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")).version;
  return [
    `siteatlas ${manifest("packages/siteatlas/package.json")} (this tree)`,
    `undici ${manifest("node_modules/undici/package.json")}`,
    ...PEERS.map((name) => `${name} ${peerVersion(name) ?? "not installed"}`),
  ].join(", ");
}

/** All of it as Markdown. */
export function renderReport({ results, options, load, command, minutes }) {
  const { length: cores, 0: cpu } = cpus();
  const machine = `${cores} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${cpu?.model ?? "unknown CPU"}`;
  return [
    options.isWhole ? "# bench, last whole run" : "# bench, partial run",
    `Written by \`${command}\`; [the README](README.md) says what is measured, and how.`,
    [
      `- Machine: ${machine}, ${process.platform} ${process.arch}; load average at the start ${load.toFixed(2)}`,
      `- Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}; ${minutes.toFixed(0)} minutes`,
      `- Versions: ${versions()}`,
      serverLine(results),
    ]
      .filter(Boolean)
      .join("\n"),
    ...(options.isQuick
      ? ["A quick run shows that everything works. Its figures mean nothing, and no target is judged."]
      : ["## Targets", targetTable(results.flatMap(({ targets }) => targets))]),
    ...results.flatMap(({ tables }) =>
      tables.flatMap((table) => [
        `## ${table.title}`,
        table.rows === undefined ? markdownTable(table.head, table.cells) : contestantTable(table),
      ]),
    ),
  ].join("\n\n");
}
