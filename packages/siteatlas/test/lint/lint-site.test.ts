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
