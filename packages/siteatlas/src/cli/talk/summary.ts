/** The last line: what there is, and what is not known. */
import { flagOfLimit } from "../flags.ts";
import { failureWords } from "./failures.ts";
import type { Tally } from "./tally.ts";
import { count, number } from "./words.ts";

export interface SummaryOptions {
  readonly isInterrupted: boolean;
  /** `-v` was not given: say how to see more. */
  readonly isBrief: boolean;
  /** What there is, where it is not pages in sitemaps. */
  readonly known?: string | undefined;
}

/** `80,356 pages in 23 sitemaps; 1 failed (404), 1 truncated; run with -v to see them` */
export function summaryLine(tally: Tally, options: SummaryOptions): string {
  const { isInterrupted, isBrief, known = knownPart(tally) } = options;
  const unknown = unknownParts(tally);
  const waiting = tally.declared - tally.ended;
  if (isInterrupted && waiting > 0) unknown.push(`${count(waiting, "sitemap")} not read`);
  const hidden = tally.failures + tally.truncated + (tally.strict?.urls ?? 0) + tally.relative.urls;
  return [
    `${isInterrupted ? "Interrupted: " : ""}${known}${isInterrupted ? " so far" : ""}`,
    unknown.join(", "),
    isBrief && hidden > 0 ? `run with -v to see ${hidden === 1 ? "it" : "them"}` : "",
  ]
    .filter((part) => part !== "")
    .join("; ");
}

function knownPart({ pages, selected, repeated, isCutShort, sitemaps, sites }: Tally): string {
  // How many sitemaps and pages there are in all, nobody knows then.
  if (isCutShort && selected !== undefined)
    return `The first ${selected === 1 ? "page" : count(selected, "page")} (--limit)`;
  const all = count(pages, "page");
  const some = selected === undefined ? pages : selected - repeated;
  const given = some === pages ? all : `${number(some)} of ${all}`;
  const again =
    repeated === 0 ? "" : ` (${number(repeated)} listed again, as their sitemap is declared again)`;
  return `${given} in ${count(sitemaps, "sitemap")}${sites > 1 ? ` of ${count(sites, "site")}` : ""}${again}`;
}

function unknownParts(tally: Tally): string[] {
  const { failed, failures, truncated, notRead, limits, emptySites, unreachableSites, badLines } = tally;
  const parts: string[] = [];
  for (const value of limits.values()) parts.push(limitPart(value));
  if (failures > 0) parts.push(`${number(failures)} failed (${failureWords(failed)})`);
  if (truncated > 0) parts.push(`${number(truncated)} truncated`);
  if (notRead > 0) parts.push(`${count(notRead, "sitemap")} not read`);
  if (tally.strict !== undefined && tally.strict.urls > 0)
    parts.push(`${leastCount(tally.strict.urls, tally.strict.isAtLeast, "URL")} left out by --strict`);
  if (tally.relative.urls > 0) {
    const left = leastCount(tally.relative.urls, tally.relative.isAtLeast, "relative URL");
    parts.push(`${left} left out (--url says where the document came from)`);
  }
  if (tally.sites > 1) {
    const empty = emptySites - unreachableSites;
    if (empty > 0) parts.push(`${count(empty, "site")} without sitemaps`);
    if (unreachableSites > 0) parts.push(`${count(unreachableSites, "site")} not reached`);
  }
  if (badLines > 0)
    parts.push(`${count(badLines, "line")} of stdin ${badLines === 1 ? "is no URL" : "are no URLs"}`);
  return parts;
}

/** `3 URLs`, `at least 10 URLs` */
function leastCount(value: number, isAtLeast: boolean, one: string): string {
  return `${isAtLeast ? "at least " : ""}${count(value, one)}`;
}

/** `urls 101, limit 100` is `stopped at --max-pages 100`. */
function limitPart(value: string): string {
  const [, name = "", limit = ""] = /^(\w+) .*limit (\S+)$/.exec(value) ?? [];
  const flag = flagOfLimit(name);
  return flag === undefined
    ? `stopped by a limit (${value})`
    : `stopped at ${flag} ${shown(name, Number(limit))}`;
}

function shown(name: string, limit: number): string {
  if (!name.endsWith("Ms")) return number(limit).replaceAll(",", "");
  return limit % 1000 === 0 ? `${limit / 1000}s` : `${limit}ms`;
}
