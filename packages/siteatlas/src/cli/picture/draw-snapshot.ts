/**
 * What a snapshot remembers of a site, for people: when it was synced, and of each sitemap how much it lists,
 * whether its dates and validators mean what they say, and what is not known.
 */
import { describeIssue } from "../../issue-texts.ts";
import { terminalText } from "../../sinks/terminal.ts";
import { areUseful, isTrustworthy } from "../../sync/evidence.ts";
import type { LastmodTrust } from "../../sync/lastmod-trust.ts";
import type { RunFacts, SnapshotFacts, SnapshotSitemap } from "../../sync/snapshot-format.ts";
import { type Paint, paintFor } from "../talk/style.ts";
import { count, number } from "../talk/words.ts";
import { momentText, trustText } from "./draw-changes.ts";
import type { DrawOptions } from "./draw-options.ts";
import { glyphsFor } from "./glyphs.ts";
import { cellWidth, fitMiddle, padEnd, padStart, shortUrl } from "./text-cells.ts";

export interface DrawSnapshotOptions extends DrawOptions {
  readonly lastmod: LastmodTrust;
}

/** Syncs that are listed. */
const SHOWN_RUNS = 5;
const URL_SHARE = 0.5;

export function drawSnapshot(
  facts: SnapshotFacts,
  sitemaps: readonly SnapshotSitemap[],
  options: DrawSnapshotOptions,
): string {
  const { color, lastmod } = options;
  const paint = paintFor(color);
  const { host } = new URL(facts.homepage);
  const lists = sitemaps.filter(({ format }) => format !== "robots");
  const lines = [
    `${paint("bold", terminalText(host))}  ${count(facts.pageCount, "page")} in ${count(lists.length, "sitemap")}`,
    "",
    ...drawRuns(facts, paint),
    ...(facts.pageCount === 0 ? [] : [`  ${trustText(lastmod)}`]),
    "",
    ...drawSitemaps(lists, options, paint),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function drawRuns({ runs, runCount }: SnapshotFacts, paint: Paint): string[] {
  const latest = runs.slice(-SHOWN_RUNS).toReversed();
  const rows = latest.map((run) => `  ${momentText(run.at)}  ${runText(run)}`);
  const more = runCount - latest.length;
  return more > 0 ? [...rows, `  ${paint("dim", `and ${count(more, "sync", "syncs")} before`)}`] : rows;
}

function runText({ added, changed, removed }: RunFacts): string {
  const parts = [
    ...(added > 0 ? [`${number(added)} added`] : []),
    ...(changed > 0 ? [`${number(changed)} changed`] : []),
    ...(removed > 0 ? [`${number(removed)} removed`] : []),
  ];
  return parts.length === 0 ? "nothing changed" : parts.join(", ");
}

function drawSitemaps(
  sitemaps: readonly SnapshotSitemap[],
  { homepage, width, ascii = false }: DrawSnapshotOptions,
  paint: Paint,
): string[] {
  const { origin } = new URL(homepage);
  const { ellipsis } = glyphsFor(ascii);
  const room = Math.floor(Math.min(width, 1_000_000) * URL_SHARE);
  const rows = sitemaps.map((sitemap) => ({
    url: fitMiddle(shortUrl(sitemap.url, origin, ascii), room, ellipsis),
    amount:
      sitemap.kind === "index" ? count(sitemap.children.length, "sitemap") : count(sitemap.pageCount, "page"),
    note: noteOf(sitemap),
    isUnknown: sitemap.unknown !== undefined,
  }));
  const urlWidth = Math.max(0, ...rows.map(({ url }) => cellWidth(url)));
  const amountWidth = Math.max(0, ...rows.map(({ amount }) => amount.length));
  return rows.map(({ url, amount, note, isUnknown }) => {
    const shown = paint(isUnknown ? "yellow" : "dim", note);
    return `  ${padEnd(url, urlWidth)}  ${padStart(amount, amountWidth)}  ${shown}`;
  });
}

/** What there is to know of it besides. */
function noteOf({
  kind,
  unknown,
  lastmod,
  evidence,
  etag,
  lastModified,
  pageCount,
}: SnapshotSitemap): string {
  const { declarations, validators } = evidence;
  const hasValidators = etag !== undefined || lastModified !== undefined;
  return [
    ...(unknown === undefined
      ? []
      : [`unknown since ${momentText(unknown.since)}: ${describeIssue(unknown.code).message}`]),
    ...(lastmod === undefined || pageCount === 0 ? [] : [`lastmod ${lastmod.score}`]),
    ...(kind === "index" && isTrustworthy(declarations) ? ["its dates have proved true"] : []),
    ...(kind === "index" && (declarations?.broken ?? 0) > 0 ? ["its dates stood still over changes"] : []),
    ...(hasValidators && !areUseful(validators) ? ["its validators mean nothing"] : []),
  ].join(", ");
}
