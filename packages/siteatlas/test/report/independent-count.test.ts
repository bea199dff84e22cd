/**
 * Every number of a report equals a naive count over the NDJSON of the walk. The count below uses no code of the
 * report: it parses the lines, filters arrays, and uses `URL` and text dates.
 */
import { expect, it } from "vitest";
import type { WalkEvent } from "../../src/index.ts";
import { walkSitemaps } from "../../src/index.ts";
import type { SiteReport } from "../../src/report/report-model.ts";
import { siteReport } from "../../src/report/site-report.ts";
import { runs, seed } from "../support/runs.ts";
import { openSite } from "../support/test-site.ts";
import { openAcceptanceSite } from "../walk/acceptance-site.ts";

const at = new Date("2026-11-14T22:40:00Z");
const DAY = 86_400_000;

// biome-ignore lint/suspicious/noExplicitAny: the lines are plain JSON
type Line = any;

const tally = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

const largest = (counts: Record<string, number>, most: number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts)
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .slice(0, most),
  );

function sectionOf({ url }: Line, language: string | undefined): string[] {
  const parts = new URL(url).pathname.split("/").slice(1, -1);
  if (language && parts[0]?.toLowerCase().replace("_", "-") === language.toLowerCase()) parts.shift();
  return parts;
}

function languageOf({ url, news, alternates = [] }: Line): string | undefined {
  const own = alternates.find((one: Line) => one.url === url && one.language && one.language !== "x-default");
  return news?.language ?? own?.language;
}

/** The numbers that the report must have. Lists are cut where the report cuts them. */
function count(ndjson: string): object {
  const lines: Line[] = ndjson.split("\n").map((line) => JSON.parse(line));
  const pages = lines.filter(({ kind }) => kind === "page").map(({ page }) => page);
  const sitemaps = lines.filter(({ kind }) => kind === "sitemap").map(({ sitemap }) => sitemap);
  const today = Date.parse(at.toISOString().slice(0, 10));
  const dates = pages.map(({ lastModified }) => lastModified).filter((date) => date?.value);
  const ageOf = (date: Line): number => (today - Math.floor(Date.parse(date.value) / DAY) * DAY) / DAY;
  const ages = dates.map(ageOf).filter((age) => age >= -1);
  const past = ages.map((age) => Math.max(0, age)).sort((a, b) => a - b);
  const inAge = (from: number, to: number): number => past.filter((age) => age > from && age <= to).length;
  const withDay = dates.filter(({ precision }) => precision === "day" || precision === "time");
  const linked = pages.filter(({ alternates = [] }) => alternates.some((one: Line) => one.language));
  const read = sitemaps.filter(
    ({ outcome, format }) => ["found", "unchanged"].includes(outcome) && format !== "robots",
  );
  const formatOf = ({ kind, format }: Line): string => (kind === "index" ? "index" : format);
  const isGuess = ({ source }: Line): boolean => source === "known" || source === "llms";
  const failed = sitemaps.filter(
    (one) =>
      one.outcome === "failed" &&
      !isGuess(one) &&
      !(one.source === "robots" && [404, 410].includes(one.http?.status)) &&
      !one.code?.startsWith("index."),
  );
  const months = (dated: readonly Line[]): Record<string, number> =>
    tally(
      dated
        .filter(({ precision }) => precision !== "year")
        .map(({ value }) => value.slice(0, 7))
        .filter((month) => month >= "1990-01" && month <= "2026-11" && month.length === 7),
    );
  const inSections = pages.map((page) => {
    const language = languageOf(page);
    const [first, second] = sectionOf(page, language);
    return { page, language, path: `/${first ?? ""}`, folder: second && `/${first}/${second}` };
  });
  const languages = tally(inSections.flatMap(({ language }) => language ?? []));
  const sections = Object.keys(tally(inSections.map(({ path }) => path))).map((path) => {
    const own = inSections.filter((one) => one.path === path);
    const dated = own.map(({ page }) => page.lastModified).filter((date) => date?.value);
    const ownLinked = own.filter(({ page }) => linked.includes(page));
    const folders = largest(tally(own.flatMap(({ folder }) => folder ?? [])), 40);
    return {
      path,
      pages: own.length,
      dated: dated.length,
      months: months(dated),
      languages: tally(own.flatMap(({ language }) => language ?? [])),
      withHreflang: ownLinked.length,
      hreflangGaps: tally(
        ownLinked.flatMap(({ page }) =>
          Object.keys(languages).filter(
            (language) => !page.alternates.some((one: Line) => one.language === language),
          ),
        ),
      ),
      folders,
      otherFolders: own.length - sumOf(Object.values(folders)),
    };
  });
  return {
    pages: {
      total: pages.length,
      unique: new Set(
        pages.map(({ url }) => url.replace(/%[\da-f]{2}/gi, (hex: string) => hex.toUpperCase())),
      ).size,
      isUniqueExact: true,
      repeatedInSitemap: sumOf(read.map(({ duplicateCount }) => duplicateCount)),
      kinds: tally(
        pages.map(({ news, videos, images, title, published, feedUrl, media, linkedFrom }) => {
          if (news) return "news";
          if (videos) return "video";
          if (images) return "image";
          const isFeed = [title, published, feedUrl, media].some((one) => one !== undefined);
          return isFeed && !linkedFrom ? "feed" : "page";
        }),
      ),
      depths: Array.from(
        { length: 10 },
        (_, depth) =>
          pages.filter(
            ({ url }) => Math.min(9, new URL(url).pathname.split("/").filter(Boolean).length) === depth,
          ).length,
      ),
      hosts: tally(pages.map(({ url }) => new URL(url).host)),
      otherHosts: 0,
      withQuery: pages.filter(({ url }) => url.includes("?")).length,
      insecure: pages.filter(({ url }) => new URL(url).protocol === "http:").length,
      longestUrl: Math.max(0, ...pages.map(({ url }) => url.length)),
      withChangeFrequency: pages.filter(({ changeFrequency }) => changeFrequency).length,
      withPriority: pages.filter(({ priority }) => priority !== undefined).length,
      images: {
        pages: pages.filter(({ images }) => images).length,
        total: pages.flatMap(({ images = [] }) => images).length,
      },
      videos: {
        pages: pages.filter(({ videos }) => videos).length,
        total: pages.flatMap(({ videos = [] }) => videos).length,
      },
    },
    sections: sections.sort((a, b) => b.pages - a.pages || (a.path < b.path ? -1 : 1)),
    otherSections: 0,
    dates: {
      dated: dates.length,
      invalid: pages.filter(({ lastModified }) => lastModified && !lastModified.value).length,
      none: pages.filter(({ lastModified }) => !lastModified).length,
      months: months(dates),
      days: tally(
        withDay
          .map(({ value }) => value.slice(0, 10))
          .filter((day) => day >= "2025-11-09" && day <= "2026-11-15" && day.length === 10),
      ),
      ages: [
        { maxDays: 1, pages: inAge(-1, 1) },
        { maxDays: 7, pages: inAge(1, 7) },
        { maxDays: 30, pages: inAge(7, 30) },
        { maxDays: 90, pages: inAge(30, 90) },
        { maxDays: 365, pages: inAge(90, 365) },
        { maxDays: 1095, pages: inAge(365, 1095) },
        { pages: inAge(1095, Number.POSITIVE_INFINITY) },
      ],
      future: dates.length - ages.length,
      before1990: dates.filter(({ value }) => Date.parse(value) < Date.UTC(1990, 0)).length,
      yearOnly: dates.filter(({ precision }) => precision === "year").length,
      ...(past.length > 0 && { medianAgeDays: past[Math.ceil(past.length / 2) - 1] }),
    },
    languages: {
      declared: sumOf(Object.values(languages)),
      pages: languages,
      other: 0,
      withHreflang: linked.length,
      withoutSelf: linked.filter(
        ({ url, alternates }) =>
          !alternates.some((one: Line) => one.url === url && one.language && one.language !== "x-default"),
      ).length,
      withDefault: linked.filter(({ alternates }) =>
        alternates.some((one: Line) => one.language === "x-default"),
      ).length,
    },
    sitemaps: {
      read: read.length,
      indexes: read.filter(({ kind }) => kind === "index").length,
      failed: failed.length,
      partial: read.filter(({ partial }) => partial).length,
      stopped: sitemaps.filter((one) => one.outcome === "stopped" && !isGuess(one)).length,
      skipped: sitemaps.filter(({ outcome }) => outcome === "skipped").length,
      bytes: sumOf(sitemaps.map(({ http }) => http?.bytes ?? 0)),
      formats: tally(read.map(formatOf)),
      formatPages: Object.fromEntries(
        [...new Set(read.map(formatOf))].map((name) => [
          name,
          sumOf(read.filter((one) => formatOf(one) === name).map(({ pageCount }) => pageCount)),
        ]),
      ),
      sources: tally(read.map(({ source }) => source)),
    },
    issues: issuesOf(lines, sitemaps, failed, isGuess),
  };
}

/** The issues of documents, plus failures without an issue of the same code, plus the issues of the site. */
function issuesOf(
  lines: readonly Line[],
  sitemaps: readonly Line[],
  failed: readonly Line[],
  isGuess: (sitemap: Line) => boolean,
): Record<string, number> {
  const total: Record<string, number> = {};
  const add = (code: string, times: number): void => {
    total[code] = (total[code] ?? 0) + times;
  };
  const documents = new Set(
    sitemaps.flatMap(({ url, requestedUrl, redirects = [] }) => [url, requestedUrl, ...redirects]),
  );
  for (const sitemap of sitemaps) {
    if (isGuess(sitemap) && sitemap.outcome === "failed") continue;
    const counts = new Map<string, number>(Object.entries(sitemap.issueCounts ?? {}));
    counts.delete("index.lists-page");
    if (counts.has("gzip.truncated") || counts.has("http.truncated")) counts.delete("xml.truncated");
    if (failed.includes(sitemap) && sitemap.code && !counts.has(sitemap.code)) counts.set(sitemap.code, 1);
    for (const [code, times] of counts) add(code, times);
  }
  for (const { issue } of lines.filter(({ kind }) => kind === "issue")) {
    if (!documents.has(issue.url)) add(issue.code, 1);
  }
  return total;
}

/** The parts of a report that `count` counts. */
function counted({ pages, sections, otherSections, dates, languages, sitemaps, issues }: SiteReport): object {
  const { bulk: _, ...otherDates } = dates;
  const { list: _list, unlisted: _unlisted, ...otherSitemaps } = sitemaps;
  const byCode = Object.fromEntries(issues.map(({ code, count: times }) => [code, times]));
  return {
    pages,
    sections,
    otherSections,
    dates: otherDates,
    languages,
    sitemaps: otherSitemaps,
    issues: byCode,
  };
}

async function check(events: AsyncIterable<WalkEvent>): Promise<SiteReport> {
  const all: WalkEvent[] = [];
  for await (const event of events) all.push(event);
  const report = await siteReport(all, { at });
  expect(counted(report)).toEqual(count(all.map((event) => JSON.stringify(event)).join("\n")));
  return report;
}

it("counts the acceptance site like a naive count over its NDJSON", async () => {
  const { site } = await openAcceptanceSite();
  const report = await check(walkSitemaps(site.url, { allowPrivateNetworks: true }));
  expect(report.pages.total).toBeGreaterThan(100);
});

/** A small generator of random numbers, so that a failure can be repeated. */
function randomOf(start: number): (most: number) => number {
  let state = start;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const DATES = [
  ...[
    "2026",
    "2026-03",
    "2026-11-13",
    "2026-11-14T10:00:00Z",
    "2026-11-15T23:59:00Z",
    "2027-01-01",
    "1970-01-01",
  ],
  ...[
    "2019-02-30",
    "yesterday",
    "2024-12-31T23:30:00-05:00",
    "2023-11-14",
    "2025-11-14",
    "2099-01-01",
    "0000-00-00",
  ],
];
const LANGUAGES = ["en", "de", "pt-BR", "x-default", "ja"];
const FOLDERS = ["news", "de", "pt-br", "a%C3%A9", "a%c3%a9", "2024", "%E6%97%A5", "x'y"];

function randomUrlset(base: string, random: (most: number) => number): string {
  const url = (): string => {
    const parts = Array.from(
      { length: random(12) < 11 ? random(4) : 11 },
      () => FOLDERS[random(FOLDERS.length)],
    );
    const end = ["", "page", "?q=1/2", `p${random(30)}`][random(4)];
    return `${random(9) === 0 ? "https://cdn.example.net" : base}/${[...parts, end].join("/")}`;
  };
  const entries = Array.from({ length: random(40) }, () => {
    const loc = url();
    const links = random(2) === 0 ? [] : LANGUAGES.filter(() => random(2) === 0);
    return [
      `<url><loc>${loc.replace(/'/g, "&apos;")}</loc>`,
      random(3) > 0 ? `<lastmod>${DATES[random(DATES.length)]}</lastmod>` : "",
      random(4) === 0 ? "<changefreq>daily</changefreq><priority>0.5</priority>" : "",
      ...links.map(
        (language, index) =>
          `<xhtml:link rel="alternate" hreflang="${language}" href="${(index === 1 ? loc : url()).replace(/'/g, "&apos;")}"/>`,
      ),
      ...Array.from(
        { length: random(4) === 0 ? random(3) : 0 },
        () => `<image:image><image:loc>${base}/i.png</image:loc></image:image>`,
      ),
      random(9) === 0
        ? `<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:title>T</news:title></news:news>`
        : "",
      "</url>",
    ].join("");
  });
  const names = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"`;
  const text = `<urlset ${names}>${entries.join("\n")}</urlset>`;
  return random(5) === 0 ? text.slice(0, random(text.length)) : text;
}

it("counts random sites like a naive count over their NDJSON", async () => {
  for (let round = 0; round < runs(8); round++) {
    const random = randomOf(seed + round);
    const site = await openSite((base) => {
      const names = Array.from({ length: 1 + random(6) }, (_, index) => `/s${index}.xml`);
      const listed = [...names, "/gone.xml", "/page.html", ...(random(2) === 0 ? ["/index.xml"] : [])];
      return {
        "/robots.txt": `Sitemap: ${base}/index.xml\n${random(2) === 0 ? `Sitemap: ${base}/s0.xml\n` : ""}`,
        "/index.xml": `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed
          .map((path) => `<sitemap><loc>${base}${path}</loc><lastmod>2026-11-01</lastmod></sitemap>`)
          .join("")}</sitemapindex>`,
        "/page.html": "<!doctype html><html><body>Hello</body></html>",
        ...Object.fromEntries(names.map((path) => [path, randomUrlset(base, random)])),
      };
    });
    await check(walkSitemaps(site.url, { allowPrivateNetworks: true }));
    await site.close();
  }
});
