/** No line of a picture of changes or of a snapshot is wider than the terminal. */
import { expect, it } from "vitest";
import { ChangeSamples } from "../../../src/cli/changes/change-samples.ts";
import { drawChanges, sitemapTexts, wrapped } from "../../../src/cli/changes/draw-changes.ts";
import { drawSnapshot } from "../../../src/cli/changes/draw-snapshot.ts";
import { cellWidth } from "../../../src/cli/terminal/cell-width.ts";
import { siteTrust } from "../../../src/sync/revalidate/lastmod-trust.ts";
import type {
  SnapshotFacts,
  SnapshotPending,
  SnapshotSitemap,
} from "../../../src/sync/snapshot/snapshot-format.ts";
import type { SyncSummary } from "../../../src/sync/sync-summary.ts";

const HOMEPAGE = `https://${"a-long-label.".repeat(6)}example.com/`;
const WIDTHS = [60, 80, 100];
const AT = "2026-11-14T08:00:00Z";

function expectWithin(text: string, width: number): void {
  const wide = text.split("\n").filter((line) => cellWidth(line) > width);
  expect(wide).toEqual([]);
}

function samples(): ChangeSamples {
  const found = new ChangeSamples(5);
  const sitemaps = [`${HOMEPAGE}s.xml`];
  for (let number = 0; number < 1200; number++) {
    const url = `${HOMEPAGE}${"section/".repeat(12)}${number}`;
    const page = { url, lastModified: "2026-01-01" };
    found.add({ kind: "added", url, page, sitemaps });
    const after = { ...page, lastModified: "2026-02-01" };
    found.add({ kind: "changed", url, fields: ["lastModified"], before: page, after, sitemaps, weak: true });
    found.add({ kind: "removed", url, sitemaps });
    found.add({ kind: "pending", url, sitemaps, reason: "unread" });
    found.add({ kind: "unknown", url, code: "http.truncated", since: AT, pageCount: 26 });
  }
  return found;
}

it.each(WIDTHS)("of changes, at %i columns", (width) => {
  const options = { homepage: HOMEPAGE, width, color: false, when: "since 2026-11-14 08:00 UTC" };
  const text = drawChanges(samples(), options);
  expectWithin(text, width);
  expect(text.replace(/\s+/g, " ")).toContain(
    "? 1,200 sitemaps could not be read completely: their 31,200 pages are kept as they were",
  );
});

it("of changes, where the sign of a kind is only in its first line", () => {
  const options = { homepage: HOMEPAGE, width: 80, color: false, when: "first sync" };
  const lines = drawChanges(samples(), options).split("\n");
  const at = lines.findIndex((line) => line.startsWith("  ? 1,200 sitemaps"));
  expect(lines[at + 1]).toMatch(/^ {4}\S/);
});

it.each(WIDTHS)("of the sentences below them, at %i columns", (width) => {
  const goneSitemaps = [`${HOMEPAGE}${"section/".repeat(12)}a.xml`, `${HOMEPAGE}b.xml`];
  const summary = { goneSitemaps, newSitemaps: [], homepage: HOMEPAGE } as unknown as SyncSummary;
  const lines = sitemapTexts(summary).flatMap((text) => wrapped(text, { width }));
  expectWithin(lines.join("\n"), width);
  expect(lines[0]).toContain("2 sitemaps are gone");
});

it.each(WIDTHS)("of a snapshot, at %i columns", (width) => {
  const run = { at: AT, added: 12_345, changed: 23_456, removed: 34_567, read: 10, unknown: 1234 };
  const facts = { homepage: HOMEPAGE, pageCount: 80_000, runCount: 9, runs: [run, run] } as unknown;
  const sitemap = {
    url: `${HOMEPAGE}${"section/".repeat(12)}a.xml`,
    kind: "pages",
    format: "xml",
    children: [],
    pageCount: 80_000,
    unknown: { code: "http.status", status: 503, since: AT, times: 1, absences: 0 },
    evidence: {},
    lastmod: siteTrust([]),
  } as unknown as SnapshotSitemap;
  const pending: SnapshotPending = {
    ...{ url: "pending:0", reason: "many", since: AT, times: 2, pageCount: 34_567 },
    sitemaps: [`${HOMEPAGE}s.xml`],
  };
  const lastmod = { ...siteTrust([]), score: 0.1, bulk: 0.9, absent: 0.1, generated: 0.5 };
  const options = { homepage: HOMEPAGE, width, color: false, lastmod };
  const text = drawSnapshot(facts as SnapshotFacts, [sitemap], [pending], options);
  expectWithin(text, width);
  expect(text.replace(/\s+/g, " ")).toContain(
    "UTC 12,345 added, 23,456 changed, 34,567 removed, 1,234 sitemaps could not be read completely",
  );
});
