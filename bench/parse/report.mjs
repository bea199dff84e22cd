/** Ratios, the bars they are held against, and the tables: on the terminal and in RESULTS.md. */
import { cpus, totalmem } from "node:os";

export const OURS = "siteatlas";

/** What siteatlas has to reach: how many times as fast as another parser. */
const bars = [
  { corpus: "plain", than: "saxes", times: 4 },
  { corpus: "plain", than: "htmlparser2", times: 4.5 },
  { corpus: "minified", than: "saxes", times: 3 },
  { corpus: "rich", than: "saxes", times: 3 },
  { corpus: "index", than: "saxes", times: 3 },
  { corpus: "entities", than: "saxes", times: 2.5 },
  { corpus: "irregular", than: "saxes", times: 2 },
];
const GUNZIP_BAR = 0.35;

/** Loose on purpose: they are to catch a lost fast path on any machine, not a bad day of one. */
export const guardBars = bars
  .filter(({ than }) => than === "saxes")
  .map((bar) => ({ ...bar, times: bar.corpus === "plain" ? 2.5 : 1.5 }));

export const best = (samples) => Math.min(...samples);

/** How many times as fast `engine` is as `than`; undefined when one of them did not run. */
export function ratio(result, engine, than) {
  const own = result.samples[engine];
  const other = result.samples[than];
  return own && other ? best(other) / best(own) : undefined;
}

function geometricMean(numbers) {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}

const times = (number) => (number === undefined ? "–" : number.toFixed(2));

function table(head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(" | ")} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

function summary(results, names) {
  const head = ["MB/s", ...results.map(({ corpus }) => corpus), "× saxes", "× htmlparser2"];
  const rows = names.map((name) => {
    const rates = results.map(({ samples, bytes }) => (bytes / 1e3 / best(samples[name])).toFixed(1));
    const means = ["saxes", "htmlparser2"].map((than) =>
      names.includes(than) ? geometricMean(results.map((result) => ratio(result, name, than))) : undefined,
    );
    return [name, ...rates, ...means.map(times)];
  });
  return table(head, rows);
}

function details({ corpus, about, bytes, entries, samples }, names) {
  const result = { samples };
  const rows = names.map((name) => {
    const ms = best(samples[name]);
    return [
      name,
      ms.toFixed(1),
      (bytes / 1e3 / ms).toFixed(1),
      Math.round((entries / ms) * 1000).toLocaleString("en"),
      times(ratio(result, name, "saxes")),
      times(ratio(result, name, "htmlparser2")),
    ];
  });
  const head = ["", "ms", "MB/s", "URLs/s", "× saxes", "× htmlparser2"];
  const size = `${(bytes / 1e6).toFixed(1)} MB, ${entries.toLocaleString("en")} entries`;
  return `### ${corpus}: ${about} (${size})\n\n${table(head, rows)}`;
}

/** Each bar with what was measured; undefined where it was not. */
function judge(results, gunzip) {
  const verdicts = bars.map(({ corpus, than, times: bar }) => {
    const result = results.find((candidate) => candidate.corpus === corpus);
    return { what: `${corpus}: × ${than}`, bar, measured: result && ratio(result, OURS, than) };
  });
  verdicts.push({
    what: "plain: rate of gunzip + siteatlas / bare gunzip",
    bar: GUNZIP_BAR,
    measured: gunzip?.ratio,
  });
  return verdicts;
}

function barTable(verdicts) {
  const rows = verdicts.map(({ what, bar, measured }) => {
    const verdict = measured === undefined ? "not measured" : measured >= bar ? "reached" : "not reached";
    return [what, String(bar), times(measured), verdict];
  });
  return table(["siteatlas", "bar", "measured", ""], rows);
}

function gunzipTable({ alone, parse, bytes, ratio: share }) {
  const row = (name, ms) => [name, ms.toFixed(1), (bytes / 1e3 / ms).toFixed(0)];
  return `${table(["", "wall-clock ms", "MB/s"], [row("bare gunzip", alone), row("gunzip + siteatlas", parse)])}\n\nRatio of the rates: ${share.toFixed(2)}`;
}

const urlWays = {
  shortcut: "siteatlas' own shortcut (last two origins and safe characters), `new URL` for the rest",
  canparse: "`URL.canParse` for those in their normal form, `new URL` for the rest",
  href: "`new URL(loc).href` for each",
};

/** The whole report as Markdown. */
export function renderReport({ results, gunzip, engines, options, clock, load, command }) {
  const names = engines.map(({ name }) => name);
  const versions = engines.map(({ name, version }) => `${name} ${version()}`).join(", ");
  const lacks = engines
    .filter((engine) => engine.lacks)
    .map(({ name, lacks: what }) => `${name} gives ${what}.`);
  const { length: cores, 0: cpu } = cpus();
  return [
    options.isFull ? "# bench:parse, last full run" : "# bench:parse, partial run",
    `Written by \`${command}\`; see [the README](../README.md) for what is measured and how.`,
    [
      `- Machine: ${cores} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${cpu?.model ?? "unknown CPU"}, ${process.platform} ${process.arch}`,
      `- Load average at the start: ${load.toFixed(2)}`,
      `- Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`,
      `- Parsers: ${versions}`,
      `- Time: ${clock}, best of ${options.rounds} interleaved rounds (of 3 for who is six times as slow as the fastest); every parser in a process of its own`,
      `- URLs of the other parsers: ${urlWays[options.urls]}`,
    ].join("\n"),
    names.includes(OURS)
      ? `All records were checked equal to siteatlas' before the time was taken. ${lacks.join(" ")}`.trim()
      : "Nothing was checked: siteatlas was not among the parsers.",
    ...(options.quick
      ? ["A quick run shows that it works; its figures are those of code that is not warm."]
      : ["## Bars", barTable(judge(results, gunzip))]),
    "## All corpora",
    "MB/s of each; the last two columns are geometric means.",
    summary(results, names),
    ...(gunzip ? ["## Against gunzip", gunzipTable(gunzip)] : []),
    "## Each corpus",
    ...results.map((result) => details(result, names)),
  ].join("\n\n");
}
