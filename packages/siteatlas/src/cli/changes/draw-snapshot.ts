/** Draws a snapshot for a terminal: its last syncs, and for each sitemap its size, failures and unreliable data. */
import { terminalText } from "../../escape/terminal.ts";
import type { LastmodTrust } from "../../sync/revalidate/lastmod-trust.ts";
import { areUseful, isTrustworthy } from "../../sync/revalidate/validator-trust.ts";
import {
  isCountedEntry,
  type RunFacts,
  type SnapshotFacts,
  type SnapshotPending,
  type SnapshotSitemap,
} from "../../sync/snapshot/snapshot-format.ts";
import { unknownWord } from "../messages/failure-texts.ts";
import type { DrawOptions } from "../render/draw-options.ts";
import { asciiOnly, cellWidth, fit, fitMiddle, padEnd, padStart, shortUrl } from "../terminal/cell-width.ts";
import { count, number } from "../terminal/format-text.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import { type Paint, paintFor } from "../terminal/style.ts";
import { momentText, PENDING_TEXTS, trustText, wrapped } from "./draw-changes.ts";

export interface DrawSnapshotOptions extends DrawOptions {
  readonly lastmod: LastmodTrust;
}

const SHOWN_RUNS = 5;
/** URLs get at least this share of the width. */
const URL_SHARE = 0.35;
const GAP = "  ";

export function drawSnapshot(
  facts: SnapshotFacts,
  sitemaps: readonly SnapshotSitemap[],
  pending: readonly SnapshotPending[],
  options: DrawSnapshotOptions,
): string {
  const { color, lastmod, width, ascii = false } = options;
  const paint = paintFor(color);
  const { host } = new URL(facts.homepage);
  const sitemapCount = sitemaps.filter(isCountedEntry).length;
  const pendingCount = pending.reduce((sum, { pageCount }) => sum + pageCount, 0);
  const more = pendingCount === 0 ? "" : `, ${number(pendingCount)} pending`;
  const contents = `${count(facts.pageCount, "page")} in ${count(sitemapCount, "sitemap")}${more}`;
  const room = Math.max(8, width - GAP.length - contents.length);
  const name = fitMiddle(terminalText(host), room, glyphsFor(ascii).ellipsis);
  const lines = [
    `${paint("bold", name)}${GAP}${contents}`,
    "",
    ...drawRuns(facts, options, paint),
    ...(facts.pageCount === 0 ? [] : wrapped(trustText(lastmod), options)),
    "",
    // A robots.txt is shown only if it failed.
    ...drawSitemaps(
      sitemaps.filter(({ format, unknown }) => format !== "robots" || unknown !== undefined),
      options,
      paint,
    ),
    ...drawPending(pending, options),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

/** `2 pages disappeared, removal not certain yet: its sitemap is empty, since 2026-11-14 08:00 UTC` */
function drawPending(pending: readonly SnapshotPending[], options: DrawOptions): string[] {
  const counts = new Map<string, number>();
  for (const { reason, since, pageCount } of pending) {
    const text = `${PENDING_TEXTS[reason]}, since ${momentText(since)}`;
    counts.set(text, (counts.get(text) ?? 0) + pageCount);
  }
  const lines = [...counts].flatMap(([text, pages]) =>
    wrapped(`${count(pages, "page")} disappeared, removal not certain yet: ${text}`, options),
  );
  return lines.length === 0 ? [] : ["", ...lines];
}

function drawRuns({ runs, runCount }: SnapshotFacts, options: DrawOptions, paint: Paint): string[] {
  const latest = runs.slice(-SHOWN_RUNS).toReversed();
  const rows = latest.flatMap((run) => {
    const when = `${momentText(run.at)}${GAP}`;
    const indent = GAP.length + when.length;
    const [first = "", ...others] = wrapped(runText(run), options, indent);
    return [`${GAP}${when}${first.trimStart()}`, ...others];
  });
  const more = runCount - latest.length;
  return more > 0 ? [...rows, `  ${paint("dim", `and ${count(more, "earlier sync")}`)}`] : rows;
}

function runText({ added, changed, removed, read, unknown }: RunFacts): string {
  if (read === 0 && unknown > 0) return "nothing could be read";
  const parts = [
    ...(added > 0 ? [`${number(added)} added`] : []),
    ...(changed > 0 ? [`${number(changed)} changed`] : []),
    ...(removed > 0 ? [`${number(removed)} removed`] : []),
  ];
  const missing = unknown === 0 ? "" : `, ${count(unknown, "sitemap")} could not be read completely`;
  return (parts.length === 0 ? "no changes" : parts.join(", ")) + missing;
}

interface Row {
  readonly url: string;
  readonly amount: number;
  readonly unit: string;
  /** Notes, most important first. */
  readonly notes: readonly string[];
  readonly isUnknown: boolean;
}

function drawSitemaps(
  sitemaps: readonly SnapshotSitemap[],
  { homepage, width, ascii = false }: DrawSnapshotOptions,
  paint: Paint,
): string[] {
  const { origin } = new URL(homepage);
  const { ellipsis } = glyphsFor(ascii);
  const rows = sitemaps.map((sitemap) => rowOf(sitemap, origin, ascii));
  // Not `Math.max(...widths)`: a call has at most some 100,000 arguments.
  const widest = (of: (row: Row) => number): number => rows.reduce((most, row) => Math.max(most, of(row)), 0);
  const amountWidth = widest(({ amount }) => number(amount).length);
  const unitWidth = widest(({ unit }) => unit.length);
  const room = width - 3 * GAP.length - amountWidth - 1 - unitWidth;
  const left = Math.max(room - widest(({ notes }) => notes.join(", ").length), Math.floor(width * URL_SHARE));
  const urlWidth = Math.min(
    left,
    widest(({ url }) => cellWidth(url)),
  );
  return rows.map(({ url, amount, unit, notes, isUnknown }) => {
    const amountText = `${padStart(number(amount), amountWidth)} ${unit}`;
    const shown = `${GAP}${padEnd(fitMiddle(url, urlWidth, ellipsis), urlWidth)}${GAP}${amountText}`;
    const noteText = fitNotes(notes, room - urlWidth, ellipsis);
    if (noteText === "") return shown;
    return `${shown}${" ".repeat(unitWidth - unit.length)}${GAP}${paint(isUnknown ? "yellow" : "dim", noteText)}`;
  });
}

/** Joins as many notes as fit. */
function fitNotes([first = "", ...others]: readonly string[], width: number, ellipsis: string): string {
  let text = fit(first, width, ellipsis);
  for (const note of others) if (text.length + 2 + note.length <= width) text += `, ${note}`;
  return text;
}

function rowOf(sitemap: SnapshotSitemap, origin: string, ascii: boolean): Row {
  const { url, kind, children, pageCount, unknown } = sitemap;
  const shown = shortUrl(url, origin, ascii);
  const [amount, one] = kind === "index" ? [children.length, "sitemap"] : [pageCount, "page"];
  return {
    url: ascii ? asciiOnly(shown) : shown,
    amount,
    unit: amount === 1 ? one : `${one}s`,
    notes: notesOf(sitemap),
    isUnknown: unknown !== undefined,
  };
}

function notesOf(sitemap: SnapshotSitemap): string[] {
  const { url, kind, unknown, lastmod, evidence, etag, lastModified, pageCount, seenAt } = sitemap;
  const { declarations, validators } = evidence;
  const isReliable = kind === "index" && isTrustworthy(declarations, Date.parse(seenAt));
  const hasValidators = etag !== undefined || lastModified !== undefined;
  return [
    ...(unknown === undefined
      ? []
      : [`${unknownWord({ ...unknown, url })}, since ${momentText(unknown.since)}`]),
    ...(lastmod === undefined || pageCount === 0 ? [] : [`lastmod score ${lastmod.score} of 1`]),
    ...(isReliable ? ["its dates are reliable"] : []),
    ...(kind === "index" && (declarations?.broken ?? 0) > 0 ? ["its dates did not show all changes"] : []),
    ...(hasValidators && !areUseful(validators) ? ["its ETag or Last-Modified is unreliable"] : []),
  ];
}
