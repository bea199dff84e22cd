/** Every page rule has a fixture that fails and one that passes, a source and a fix. */
import { describe, expect, it } from "vitest";
import { type CheckedPage, checkPages, type PageRule, pageRules } from "../../src/index.ts";
import { PageJudge } from "../../src/page-check/judge-pages.ts";
import { openSite } from "../support/test-site.ts";
import { html, type PageFixture, pageFixtures, type ServedPages } from "./fixtures/page-fixtures.ts";

const now = new Date("2026-11-17T12:00:00Z");
const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"';

async function servePages({ served, fields = {}, robots = "", fallback }: ServedPages): Promise<string> {
  const site = await openSite(
    (base) => {
      const text = (body: string): string => body.replaceAll("BASE", base);
      const entries = Object.keys(served)
        .filter((path) => !path.startsWith("/_"))
        .map((path) => `<url><loc>${base}${path}</loc>${text(fields[path] ?? "")}</url>`);
      const pages = Object.entries(served).map(([path, answer]) => {
        if (typeof answer === "string")
          return [path, { headers: { "content-type": "text/html" }, body: text(answer) }];
        return [path, typeof answer.body === "string" ? { ...answer, body: text(answer.body) } : answer];
      });
      return {
        "/robots.txt": `User-agent: *\n${robots}\nSitemap: ${base}/sitemap.xml\n`,
        "/sitemap.xml": `<urlset ${NAMESPACES}>${entries.join("")}</urlset>`,
        ...Object.fromEntries(pages),
      };
    },
    fallback === undefined ? {} : { fallback: { headers: { "content-type": "text/html" }, body: fallback } },
  );
  return site.url;
}

/** The ids of the rules that the pages violate. Only the rule in question is on. */
async function violated(pages: PageFixture["fails"], { id, severity, ...rule }: PageRule): Promise<string[]> {
  if ("facts" in pages) {
    const judge = new PageJudge({ rules: [{ id, severity, ...rule }], now });
    const base: CheckedPage = {
      ...{ url: "https://example.com/a", outcome: "answered", status: 200, redirects: [] },
      ...{ checkedAt: now.toISOString(), contentType: "text/html" },
    };
    const found = pages.facts.flatMap((facts) => judge.page({ ...base, ...facts }));
    return [...found, ...judge.end()].map((finding) => finding.rule);
  }
  const start = await servePages(pages);
  const found: string[] = [];
  const severities = { "*": "off", [id]: severity } as const;
  for await (const finding of checkPages(start, { severities, now, limits: { retries: 0 } }))
    found.push(finding.rule);
  return found;
}

describe.each(pageRules.map((rule) => [rule.id, rule] as const))("%s", (id, rule) => {
  it("has texts, a source and two fixtures", () => {
    for (const text of [rule.message, rule.why, rule.fix])
      expect(text).toMatch(/^(?:[A-Z<]|robots\.txt).{8,}/);
    expect(rule.message).not.toMatch(/\.$/);
    for (const text of [rule.why, rule.fix]) expect(text).toMatch(/\.$/);
    expect(rule.source).toMatch(/^https:\/\/\S+$/);
    expect(pageFixtures).toHaveProperty([id]);
  });

  it("reports the failing fixture, and not the passing one", async () => {
    const { fails, passes } = pageFixtures[id]!;
    expect(await violated(fails, rule)).toContain(id);
    expect(await violated(passes, rule)).toEqual([]);
  });
});

it("has at least 25 rules for pages, each with an id of its own", () => {
  const ids = pageRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(25);
  expect(Object.keys(pageFixtures).filter((id) => !ids.includes(id))).toEqual([]);
});

it("finds pages with the text that the server sends for all URLs", async () => {
  const start = await servePages({
    served: { "/a": html("", "Nothing here 17."), "/b": html("", "A real page."), "/": html() },
    fallback: html("", "Nothing here 4."),
  });
  const found: string[] = [];
  for await (const { rule, url } of checkPages(start))
    if (rule === "page.soft-404") found.push(new URL(url).pathname);
  expect(found).toEqual(["/a"]);
});
