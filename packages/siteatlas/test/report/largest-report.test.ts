/**
 * The promise that a report has at most 250 KB: the largest numbers that a site can cause, with names of characters that
 * grow when they are escaped, and with the largest logo.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { IssueCode } from "../../src/model/issue-severity.ts";
import { issueTable } from "../../src/model/issue-table.ts";
import { renderReport } from "../../src/report/render/render-report.ts";
import type { ReportFindings, SiteReport } from "../../src/report/report-model.ts";
import { runs, seed } from "../support/runs.ts";

const MAX_BYTES = 250_000;
const HUGE = Number.MAX_SAFE_INTEGER;
const LOGO = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(32 * 1024 - 8)]);

const at = (index: number): number => HUGE - index;

function byName(count: number, name: (index: number) => string): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), at(index)]));
}

/** All lists have their maximum length, all numbers are huge, and all names have this text. */
function largest(text: string): SiteReport {
  const long = text.repeat(8000);
  const name = (length: number, index: number): string => `${long.slice(0, length)}${index}`.slice(-length);
  const url = (index: number): string => `https://e.example/${name(1982, index)}`;
  const months = byName(37 * 12, (index) => {
    const [year, month] = [1990 + Math.floor(index / 12), (index % 12) + 1];
    return `${year}-${String(month).padStart(2, "0")}`;
  });
  const dayNames = Array.from({ length: 371 }, (_, index) =>
    new Date(Date.UTC(2026, 11, 31) - index * 86_400_000).toISOString().slice(0, 10),
  );
  const languages = byName(20, (index) => name(60, index));
  return {
    format: "siteatlas-report",
    version: 1,
    made: {
      site: `https://e.example/${long}`,
      at: "2026-12-31T12:00:00.000Z",
      from: "walk",
      command: long,
      siteatlas: "1.0.0",
      ms: HUGE,
      requests: HUGE,
      stops: Object.keys(issueTable).filter((code) => code.startsWith("limit.")),
      unknown: [],
    },
    pages: {
      total: HUGE,
      unique: HUGE,
      isUniqueExact: false,
      repeatedInSitemap: HUGE,
      kinds: { news: HUGE, feed: HUGE, image: HUGE, video: HUGE, page: HUGE },
      depths: Array<number>(10).fill(HUGE),
      hosts: byName(20, (index) => name(200, index)),
      otherHosts: HUGE,
      withQuery: HUGE,
      insecure: HUGE,
      longestUrl: HUGE,
      withChangeFrequency: HUGE,
      withPriority: HUGE,
      images: { pages: HUGE, total: HUGE },
      videos: { pages: HUGE, total: HUGE },
    },
    sections: Array.from({ length: 200 }, (_, index) => ({
      path: `/${name(199, index)}`,
      // The areas of the map: a few large sections, or all of the same size.
      pages: index % 2 === 0 ? at(index) : HUGE / (index + 1),
      dated: at(index),
      months,
      languages,
      withHreflang: HUGE,
      hreflangGaps: languages,
      folders: byName(40, (folder) => `/${name(199, index)}/${name(199, folder)}`),
      otherFolders: HUGE,
    })),
    otherSections: HUGE,
    dates: {
      dated: HUGE,
      invalid: HUGE,
      none: HUGE,
      months,
      days: Object.fromEntries(dayNames.map((day, index) => [day, at(index)])),
      ages: [1, 7, 30, 90, 365, 1095, undefined].map((maxDays) => ({
        ...(maxDays !== undefined && { maxDays }),
        pages: HUGE,
      })),
      future: HUGE,
      before1990: HUGE,
      yearOnly: HUGE,
      medianAgeDays: HUGE,
      bulk: Array.from({ length: 5 }, (_, index) => ({
        date: dayNames[index * 40]!,
        section: `/${name(199, index)}`,
        pages: HUGE,
        share: 0.5,
      })),
    },
    languages: {
      declared: HUGE,
      pages: byName(40, (index) => name(60, index)),
      other: HUGE,
      withHreflang: HUGE,
      withoutSelf: HUGE,
      withDefault: HUGE,
    },
    sitemaps: {
      ...{
        read: HUGE,
        indexes: HUGE,
        failed: HUGE,
        partial: HUGE,
        stopped: HUGE,
        skipped: HUGE,
        bytes: HUGE,
      },
      formats: byName(12, (index) => `format-${index}`),
      formatPages: byName(12, (index) => `format-${index}`),
      sources: byName(6, (index) => `source-${index}`),
      list: Array.from({ length: 200 }, (_, index) => ({
        url: url(index),
        ...(index > 0 && { parentUrl: url(index - 1) }),
        source: "sitemap",
        outcome: index % 2 === 0 ? "failed" : "found",
        format: "index",
        pages: at(index),
        children: HUGE,
        lastModified: text.repeat(200),
        status: 999,
        bytes: HUGE,
        ms: HUGE,
        ...(index % 3 === 0 && { partial: true }),
        code: "robots.sitemap-disallowed",
      })),
      unlisted: HUGE,
    },
    issues: Object.keys(issueTable).map((code, index) => ({
      code: code as IssueCode,
      severity: "error",
      count: at(index),
      examples: [0, 1, 2].map((example) => ({ url: url(example), line: HUGE, value: text.repeat(200) })),
    })),
    lint: findings(long, url),
    check: findings(long, url),
    changes: {
      runs: Array.from({ length: 30 }, () => ({
        ...{ at: "2026-12-31T12:00:00.000Z", added: HUGE, changed: HUGE, removed: HUGE, unknown: HUGE },
      })),
      pending: HUGE,
    },
  };
}

const BEFORE = largest('"b');

/** The file of findings may be from anyone. */
function findings(long: string, url: (index: number) => string): ReportFindings {
  const rules = Array.from({ length: 300 }, (_, index) => ({
    ...{ rule: long, severity: "warning" as const, message: long, fix: long, count: at(index) },
    examples: [{ url: url(index), line: HUGE, value: long }],
  }));
  return { target: long, pages: HUGE, rules };
}

function sizeOf(text: string): number {
  const report = largest(text);
  const page = renderReport(report, { title: text.repeat(8000), before: BEFORE, logo: LOGO });
  return Buffer.byteLength(page);
}

// Each of them becomes five or six characters: as a reference, as an escape of an invisible character, or decoded.
it.each(['"', "'", "<", "`", "&", "\u202e", "\u{e0041}", "W", "i", "字", "👩‍👩‍👧‍👦", "%22", "\ud800", "\n"])(
  "the largest report with names of %j",
  (text) => {
    expect(sizeOf(text)).toBeLessThanOrEqual(MAX_BYTES);
  },
);

it("the largest report with any names", { timeout: 60_000 }, () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
    fc.string({ unit: fc.constantFrom('"', "'", "`", "<", "\u202e", "字", "i"), minLength: 1, maxLength: 8 }),
  );
  fc.assert(
    fc.property(text, (one) => {
      expect(sizeOf(one)).toBeLessThanOrEqual(MAX_BYTES);
    }),
    { numRuns: runs(24), seed },
  );
});
