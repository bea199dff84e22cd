/** Messages about the inputs of a comparison: what was dropped, what cannot be read, and which flags may help. */
import type { ComparisonSummary } from "../../compare/comparison.ts";
import type { DropReason, SourceFacts, SourceProblem } from "../../compare/source-facts.ts";
import type { Reporter } from "../messages/reporter.ts";
import { UsageError } from "../process/usage-error.ts";
import { count, joined, number } from "../terminal/format-text.ts";

const PROBLEMS: Readonly<Record<SourceProblem, readonly [text: string, hint: string]>> = {
  binary: [
    "is not a text file",
    "compare reads lists of URLs, CSV, TSV, NDJSON, server logs, sitemaps and snapshots. Export a spreadsheet as CSV.",
  ],
  "no-column": [
    "has no column with URLs",
    "Name the column: --column NAME. Paths need --origin https://example.com.",
  ],
  "no-origin": ["has paths without a host", "Name the site: --origin https://example.com"],
  "snapshot-stream": ["is a snapshot, which cannot be read from a pipe", "Use the name of the file."],
};

/** The error for an input that cannot be read. */
export function inputProblem(name: string, problem: SourceProblem): UsageError {
  const [text, hint] = PROBLEMS[problem];
  return new UsageError(`${name} ${text}`, hint);
}

/** Reasons that the user should know without -v. The others are what the user asked for. */
const LOSSES: Readonly<Partial<Record<DropReason, string>>> = {
  broken: "cannot be read",
  invalid: "not a URL",
  relative: "a path without a host",
  "too-long": "too long",
};

const WANTED: Readonly<Partial<Record<DropReason, string>>> = {
  request: "another method, status or user agent",
  host: "another host",
  filter: "excluded by --include or --exclude",
};

/** `3 lines dropped (2 cannot be read, 1 not a URL)`. Empty if nothing was dropped for these reasons. */
function droppedText({ dropped }: SourceFacts, texts: Readonly<Partial<Record<DropReason, string>>>): string {
  const found = Object.entries(texts).flatMap(([reason, text]) => {
    const times = dropped[reason as DropReason] ?? 0;
    return times === 0 ? [] : [{ times, text: `${number(times)} ${text}` }];
  });
  const sum = found.reduce((total, { times }) => total + times, 0);
  return sum === 0 ? "" : `${count(sum, "line")} dropped (${found.map(({ text }) => text).join(", ")})`;
}

/** Reports what was dropped and what is missing. */
export function noteInput(reporter: Reporter, name: string, facts: SourceFacts): void {
  const lost = droppedText(facts, LOSSES);
  const hasPaths = (facts.dropped.relative ?? 0) > 0;
  if (lost !== "") reporter.warn(`${name}: ${lost}`, hasPaths ? PROBLEMS["no-origin"][1] : undefined, true);
  const wanted = droppedText(facts, WANTED);
  if (wanted !== "") reporter.say(1, `${name}: ${wanted}`);
  const { unreadSitemaps = 0 } = facts;
  if (unreadSitemaps > 0) {
    reporter.warn(
      `${name} lists ${count(unreadSitemaps, "sitemap")}, which ${unreadSitemaps === 1 ? "was" : "were"} not read`,
      "Use the URL of the site.",
      true,
    );
  }
  if (facts.partial) {
    reporter.warn(`${name} is incomplete: some of its pages may be reported as missing`, undefined, true);
  }
}

/** Facts about the spelling of the URLs of an input. They show whether `--ignore-parts` would help. */
export interface UrlHabits {
  /** The first origins, such as `https://example.com`. */
  readonly origins: ReadonlySet<string>;
  /** Share of the URLs that end with a slash. */
  readonly slashes: number;
}

/** A hint if the inputs have few pages in common because their URLs are spelled differently. */
export function ignoreHint(
  { both, onlyA, onlyB }: ComparisonSummary,
  a: UrlHabits,
  b: UrlHabits,
  ignored: readonly string[],
): string | undefined {
  if (onlyA === 0 || onlyB === 0 || both > Math.min(onlyA, onlyB)) return undefined;
  const helpful: string[] = [];
  const isCommon = (change: (origin: string) => string): boolean => {
    const changed = new Set([...a.origins].map(change));
    return [...b.origins].some((origin) => changed.has(change(origin)));
  };
  const scheme = (origin: string): string => origin.replace(/^https?:/, "");
  const www = (origin: string): string => origin.replace("//www.", "//");
  if (!isCommon((origin) => origin)) {
    if (isCommon(scheme)) helpful.push("scheme");
    else if (isCommon(www)) helpful.push("www");
    else if (isCommon((origin) => scheme(www(origin)))) helpful.push("scheme", "www");
    else return "The inputs have no host in common.";
  }
  if (Math.abs(a.slashes - b.slashes) > 0.5) helpful.push("slash");
  const missing = helpful.filter((name) => !ignored.includes(name));
  if (missing.length === 0) return undefined;
  const what = { scheme: "http and https", www: "www.", slash: "a slash at the end" } as Record<
    string,
    string
  >;
  return `Many URLs differ in ${joined(missing.map((name) => what[name]!))}. Ignore it with --ignore-parts ${[...ignored, ...missing].join(",")}.`;
}
