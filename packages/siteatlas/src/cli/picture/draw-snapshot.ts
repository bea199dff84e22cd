/**
 * What a snapshot remembers of a site, for people: when it was synced, and of each sitemap how much it lists,
 * whether its dates and validators mean what they say, and what is not known.
 */
import { terminalText } from "../../sinks/terminal.ts";
import { areUseful, isTrustworthy } from "../../sync/evidence.ts";
import type { LastmodTrust } from "../../sync/lastmod-trust.ts";
import {
  isSitemap,
  type RunFacts,
  type SnapshotFacts,
  type SnapshotSitemap,
} from "../../sync/snapshot-format.ts";
import { unknownWord } from "../talk/failures.ts";
import { type Paint, paintFor } from "../talk/style.ts";
import { count, number } from "../talk/words.ts";
import { momentText, trustText, wrapped } from "./draw-changes.ts";
import type { DrawOptions } from "./draw-options.ts";
import { glyphsFor } from "./glyphs.ts";
import { asciiOnly, cellWidth, fit, fitMiddle, padEnd, padStart, shortUrl } from "./text-cells.ts";

export interface DrawSnapshotOptions extends DrawOptions {
  readonly lastmod: LastmodTrust;
}

/** Syncs that are listed. */
const SHOWN_RUNS = 5;
/** URLs may take so much of the width, though notes have to be cut. */
const URL_SHARE = 0.35;
/** Between columns, and before the first. */
const GAP = "  ";

export function drawSnapshot(
  facts: SnapshotFacts,
  sitemaps: readonly SnapshotSitemap[],
  options: DrawSnapshotOptions,
): string {
  const { color, lastmod, width } = options;
  const paint = paintFor(color);
  const { host } = new URL(facts.homepage);
  const lists = sitemaps.filter(isSitemap);
  const lines = [
    `${paint("bold", terminalText(host))}  ${count(facts.pageCount, "page")} in ${count(lists.length, "sitemap")}`,
    "",
    ...drawRuns(facts, paint),
    ...(facts.pageCount === 0 ? [] : wrapped(trustText(lastmod), width)),
    "",
    // What keeps us from the others is shown with them.
    ...drawSitemaps(
      sitemaps.filter(({ format, unknown }) => format !== "robots" || unknown !== undefined),
      options,
      paint,
    ),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function drawRuns({ runs, runCount }: SnapshotFacts, paint: Paint): string[] {
  const latest = runs.slice(-SHOWN_RUNS).toReversed();
  const rows = latest.map((run) => `  ${momentText(run.at)}  ${runText(run)}`);
  const more = runCount - latest.length;
  return more > 0 ? [...rows, `  ${paint("dim", `and ${count(more, "sync", "syncs")} before`)}`] : rows;
}

function runText({ added, changed, removed, read, unknown }: RunFacts): string {
  if (read === 0 && unknown > 0) return "nothing could be read";
  const parts = [
    ...(added > 0 ? [`${number(added)} added`] : []),
    ...(changed > 0 ? [`${number(changed)} changed`] : []),
    ...(removed > 0 ? [`${number(removed)} removed`] : []),
  ];
  const missing = unknown === 0 ? "" : `; ${count(unknown, "sitemap")} not read whole`;
  return (parts.length === 0 ? "nothing changed" : parts.join(", ")) + missing;
}

interface Row {
  readonly url: string;
  readonly amount: number;
  readonly unit: string;
  /** The first is the most important. */
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
  const widest = (of: (row: Row) => number): number => Math.max(0, ...rows.map(of));
  const amountWidth = widest(({ amount }) => number(amount).length);
  const unitWidth = widest(({ unit }) => unit.length);
  const room = width - 3 * GAP.length - amountWidth - 1 - unitWidth;
  const left = Math.max(room - widest(({ notes }) => notes.join(", ").length), Math.floor(width * URL_SHARE));
  const urlWidth = Math.min(
    left,
    widest(({ url }) => cellWidth(url)),
  );
  return rows.map(({ url, amount, unit, notes, isUnknown }) => {
    const shown = paint(isUnknown ? "yellow" : "dim", fitNotes(notes, room - urlWidth, ellipsis));
    const columns = [
      padEnd(fitMiddle(url, urlWidth, ellipsis), urlWidth),
      `${padStart(number(amount), amountWidth)} ${padEnd(unit, unitWidth)}`,
      shown,
    ];
    return `${GAP}${columns.join(GAP)}`;
  });
}

/** As many of them as there is room for. */
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

/** What there is to know of it besides. */
function notesOf(sitemap: SnapshotSitemap): string[] {
  const { url, kind, unknown, lastmod, evidence, etag, lastModified, pageCount } = sitemap;
  const { declarations, validators } = evidence;
  const hasValidators = etag !== undefined || lastModified !== undefined;
  return [
    ...(unknown === undefined
      ? []
      : [`${unknownWord({ ...unknown, url })}, since ${momentText(unknown.since)}`]),
    ...(lastmod === undefined || pageCount === 0 ? [] : [`lastmod ${lastmod.score}`]),
    ...(kind === "index" && isTrustworthy(declarations) ? ["its dates have proved true"] : []),
    ...(kind === "index" && (declarations?.broken ?? 0) > 0 ? ["its dates stood still over changes"] : []),
    ...(hasValidators && !areUseful(validators) ? ["its validators mean nothing"] : []),
  ];
}
