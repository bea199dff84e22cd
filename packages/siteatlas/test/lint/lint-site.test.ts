import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { defineRule, type Finding, lintSite } from "../../src/index.ts";
import { openSite, robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";

async function all(findings: AsyncIterable<Finding>): Promise<Finding[]> {
  const list: Finding[] = [];
  for await (const finding of findings) list.push(finding);
  return list;
}

/** Loopback addresses are private hosts, which has a rule of its own. */
const severities = { "url.private-host": "off" } as const;

describe("lintSite", () => {
  it("gives the line, the column and the text of a problem", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
      "/sitemap.xml": urlset([`${base}/a`, `${base}/b?x=1&y=2`]).replaceAll("&amp;", "&"),
    }));
    const findings = await all(lintSite(site.url, { severities }));
    expect(findings.map(({ rule }) => rule)).toEqual(["xml.bare-ampersand"]);
    const [{ places, count, url }] = findings as [Finding];
    expect({ count, url }).toEqual({ count: 1, url: `${site.url}/sitemap.xml` });
    const [place] = places;
    const { text, from, length } = place!.excerpt!;
    expect(text.slice(from, from + length)).toBe("&y=2");
    expect(text.charAt(place!.column! - 1)).toBe("&");
  });

  it("counts all occurrences, and keeps at most 10 places per document", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
      "/sitemap.xml": urlset(Array.from({ length: 250 }, (_, index) => `/relative-${index}`)),
    }));
    const [finding] = await all(lintSite(site.url, { severities }));
    expect(finding).toMatchObject({ rule: "url.relative", count: 250 });
    expect(finding!.places).toHaveLength(10);
  });

  it("does not take the last bytes of a truncated gzip file for its size", async () => {
    const whole = gzipSync(urlset(Array.from({ length: 2000 }, (_, at) => `https://example.com/${at ** 3}`)));
    const cuts = [0.3, 0.5, 0.6, 0.7, 0.9].map((share) => whole.subarray(0, share * whole.length));
    const junk = Buffer.concat([whole, Buffer.from("junk\xff\xff\xff\xff", "latin1")]);
    for (const body of [...cuts, junk]) {
      const site = await openSite((base) => ({
        "/robots.txt": robotsTxt([`${base}/sitemap.xml.gz`]),
        "/sitemap.xml.gz": { body, headers: { "content-type": "application/gzip" } },
      }));
      const rules = (await all(lintSite(site.url, { severities }))).map(({ rule }) => rule);
      expect(rules).not.toContain("sitemap.too-large");
      expect(rules.some((rule) => rule.startsWith("gzip."))).toBe(true);
    }
  });

  it("compares the date of an index with the newest page that is not in the future", async () => {
    const now = new Date("2026-11-17T12:00:00Z");
    const dates = (...days: string[]): string =>
      `<urlset>${days.map((day) => `<url><loc>/${day}</loc><lastmod>${day}</lastmod></url>`).join("")}</urlset>`;
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`]),
      "/index.xml": `<sitemapindex>${["1", "2", "3"]
        .map((name) => `<sitemap><loc>${base}/${name}.xml</loc><lastmod>2026-11-09</lastmod></sitemap>`)
        .join("")}</sitemapindex>`,
      "/1.xml": dates("2024-01-01", "2099-01-01"),
      "/2.xml": dates("2026-11-12", "2099-01-02"),
      "/3.xml": dates("2099-01-03"),
    }));
    const older = { ...severities, "*": "off", "lastmod.index-older": "warning" } as const;
    const findings = await all(lintSite(site.url, { severities: older, now }));
    expect(findings.flatMap(({ places }) => places.map(({ value, detail }) => [value, detail]))).toEqual([
      [`${site.url}/2.xml`, "the index says 2026-11-09, the newest page 2026-11-12"],
    ]);
  });

  it("treats spellings of a percent escape as one page in language links", async () => {
    const site = await openSite((base) => {
      const entry = (url: string, ...links: string[]): string =>
        `<url><loc>${url}</loc>${links
          .map(
            (link) =>
              `<xhtml:link rel="alternate" hreflang="${link.at(-1) === "a" ? "de" : "en"}" href="${link}"/>`,
          )
          .join("")}</url>`;
      return {
        "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
        "/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${entry(`${base}/~a`, `${base}/%7Ea`, `${base}/%7ea`, `${base}/~b`)}
${entry(`${base}/~b`, `${base}/%7Ea`, `${base}/%7eb`)}
</urlset>`,
      };
    });
    expect((await all(lintSite(site.url, { severities }))).map(({ rule }) => rule)).toEqual([]);
  });

  it("names the line of a repeated URL, wherever it is in the document", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
      "/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${Array.from(
        { length: 3000 },
        (_, at) => `<url><loc>${base}/${at === 2900 ? 5 : at}</loc></url>\n`,
      ).join("")}</urlset>`,
    }));
    const [finding] = await all(
      lintSite(site.url, { severities: { ...severities, "lastmod.missing": "off" } }),
    );
    expect(finding).toMatchObject({ rule: "url.duplicate", count: 1 });
    expect(finding!.places[0]).toMatchObject({ value: `${site.url}/5`, line: 2902, column: 11 });
  });

  it("searches for a repeated URL in linear time", async () => {
    const blanks = " ".repeat(2_000_000);
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
      "/sitemap.xml": `<urlset>\n<url><loc>${blanks}<b/></loc></url>${"\n".repeat(100_000)}<url><loc>${base}/a</loc></url>
<url><loc> ${base}/a </loc></url></urlset>`,
    }));
    const findings = await all(lintSite(site.url, { severities }));
    const repeated = findings.find(({ rule }) => rule === "url.duplicate");
    expect(repeated?.places[0]).toMatchObject({ value: `${site.url}/a`, line: 100_003 });
  });

  it("reports no error for a site without robots.txt", async () => {
    const site = await openSite((base) => ({ "/sitemap.xml": urlset([`${base}/a`]) }));
    expect((await all(lintSite(site.url, { severities }))).map(({ rule }) => rule)).toEqual([
      "robots.no-sitemap",
    ]);
  });

  it("counts an HTML page in an index once, at the index", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`]),
      "/index.xml": sitemapIndex([`${base}/page.xml`]),
      "/page.xml": "<!doctype html><html><head><title>x</title></head><body>x</body></html>",
    }));
    const findings = await all(lintSite(site.url, { severities }));
    const listed = findings.filter(({ rule }) => rule === "index.lists-page");
    expect(listed).toMatchObject([{ count: 1, url: `${site.url}/index.xml` }]);
  });

  it("rejects a custom rule with the id of a built-in rule", () => {
    const rule = defineRule({
      id: "url.relative",
      severity: "error",
      message: "x",
      why: "x",
      fix: "x",
      source: "x",
      counts: "page",
      listen: () => ({}),
    });
    expect(() => lintSite("https://example.com/", { rules: [rule] })).toThrow(
      new TypeError("lintSite: url.relative is the id of a built-in rule"),
    );
  });

  it("finds a page that two sitemaps list, and names the other sitemap", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`]),
      "/index.xml": sitemapIndex([`${base}/1.xml`, `${base}/2.xml`]),
      "/1.xml": urlset([`${base}/a`, `${base}/b`]),
      "/2.xml": urlset([`${base}/b`, `${base}/A`]),
    }));
    const findings = await all(lintSite(site.url, { severities, concurrency: 1 }));
    expect(findings.map(({ rule, places }) => [rule, places[0]?.value, places[0]?.detail])).toEqual([
      ["url.duplicate-site", `${site.url}/b`, `also in ${site.url}/1.xml`],
      ["url.duplicate-variant", `${site.url}/A`, undefined],
    ]);
  });

  it("passes pages and sitemaps to a custom rule, and ignores what the caller ignores", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
      "/sitemap.xml": urlset([`${base}/draft/a`, `${base}/draft/b`, `${base}/c`]),
    }));
    const rule = defineRule({
      id: "shop.draft",
      severity: "error",
      message: "A draft is listed",
      why: "Drafts are not public.",
      fix: "Remove the page.",
      source: "https://example.com/",
      counts: "page",
      listen: ({ report, site: { start } }) => ({
        page: ({ url }) => {
          if (url.includes("/draft/")) report({ value: url });
        },
        sitemap: ({ stats, kind }) => {
          if (kind === "pages") expect([stats.pages, start]).toEqual([3, `${site.url}/`]);
        },
      }),
    });
    const options = { rules: [rule], severities: { "*": "off", "shop.draft": "warning" } } as const;
    const [finding] = await all(lintSite(site.url, options));
    expect(finding).toMatchObject({ rule: "shop.draft", severity: "warning", count: 2 });
    const ignore = (id: string, value: string): boolean => id === "shop.draft" && value.endsWith("/a");
    expect((await all(lintSite(site.url, { ...options, ignore })))[0]).toMatchObject({ count: 1 });
  });

  it("rejects mistakes of the caller at the call", () => {
    expect(() => lintSite("https://example.com", { severities: { "url.nonsense": "off" } })).toThrow(
      RangeError,
    );
    expect(() => lintSite("https://example.com", { severities: { "url.self": "loud" as "off" } })).toThrow(
      TypeError,
    );
    expect(() => defineRule({ id: "a.b" } as never)).toThrow(/severity is missing/);
  });
});
