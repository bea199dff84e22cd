/** Text from a server in reasons and issues: it has no escape sequences, no secrets, and a maximum length. */
import { expect, test } from "vitest";
import type { Sitemap } from "../../src/model/model.ts";
import { parseSitemap } from "../../src/parse/index.ts";
import { allSitemaps, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { WalkEvent } from "../../src/walk/events/events.ts";
import { openSite, redirectTo, robotsTxt, sitemapIndex } from "../support/test-site.ts";

const LONG = "x".repeat(4000);

function expectPrintable(reason: string): void {
  expect(reason).toMatch(/^[\x20-\x7e…]{1,512}$/);
  expect(reason).not.toMatch(/secret|user:/);
}

test("sec-O01, sec-O07: reasons have no control character, no secret and at most 512 characters", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([
      `${base}/root.xml`,
      `${base}/${LONG}.xml`,
      `${base}/loop?token=secret`,
      `${base}/scheme`,
      `${base}/index.xml?api_key=secret&${LONG}`,
      `${base}/back?${LONG}`,
    ]),
    "/root.xml": "<a\u001b[2J\u202e\u009b><b/></a>",
    [`/${LONG}.xml`]: `<${LONG}/>`,
    "/loop": redirectTo(`http://user:secret@${base.slice("http://".length)}/loop?token=secret`),
    "/scheme": redirectTo(`${LONG}:secret`),
    "/index.xml": sitemapIndex([
      `${base}/index.xml?api_key=secret&${LONG}`,
      `${base}/again?signature=secret&${LONG}`,
    ]),
    "/again": redirectTo(`${base}/index.xml?api_key=secret&${LONG}`),
    "/back": redirectTo(`${base}/back?${LONG}`),
  }));
  const events: WalkEvent[] = [];
  const tree = await sitemapTreeForHomepage(site.url, {
    useKnownPaths: false,
    useHomepageLinks: false,
    onEvent: (event) => events.push(event),
  });

  const told = events.flatMap((event) => (event.kind === "sitemap" ? (event.sitemap.reason ?? []) : []));
  const held = [...allSitemaps(tree)].flatMap((node) => (node.kind === "invalid" ? node.reason : []));
  for (const reason of [...told, ...held]) expectPrintable(reason);
  expect(codesOf(tree)).toEqual([
    "content.unknown-root",
    "content.unknown-root",
    "http.redirect-loop",
    "http.redirect-scheme",
    "index.self-reference",
    "index.cycle",
    "http.redirect-loop",
  ]);

  // Long URLs are shortened in the middle.
  const cycle = told.find((reason) => reason.includes("/again?signature=***"));
  expect(cycle).toMatch(
    /\/index\.xml\?api_key=\*\*\*.*…x+ lists .*\/again\?signature=\*\*\*.*…x+, which redirects to /,
  );
});

test("sec-O01: a reason names the root element if its name is plain", async () => {
  const reasonOf = async (name: string): Promise<string> => {
    const sitemap = await parseSitemap(`<${name}><b/></${name}>`);
    return sitemap.kind === "invalid" ? sitemap.reason : "";
  };
  expect(await reasonOf("opml")).toContain("<opml>");
  for (const name of ["a\u001b[2J", "a\u0000b", "a\u009bb", "a\u202eb", "a\u2028b", LONG]) {
    expect(await reasonOf(name)).toMatch(/^[\x20-\x7e]{1,200}$/);
  }
});

test("sec-O01, sec-O07: values of issues have no control character and no secret", async () => {
  const urls = [
    "https://user:secret@example.com/a",
    `https://user:${"secret".repeat(60)}@example.com/`,
    "javascript:\u202e\u009b2Jalert(1)",
    `ftp://example.com/${LONG}`,
    "mailto:a\tb\u2028c",
  ];
  const entries = urls.map((url) => `<url><loc>${url}</loc></url>`).join("");
  const { issues } = await parseSitemap(`<urlset>${entries}</urlset>`, { url: "https://example.com/s.xml" });
  const values = issues.flatMap(({ value }) => value ?? []);
  expect(values).toContain("https://***@example.com/a");
  expect(values).toContain("javascript:\\u202e\\u009b2Jalert(1)");
  for (const value of values) {
    expect(value).toMatch(/^[\x20-\x7e]{0,200}$/);
    expect(value).not.toContain("secret");
  }
});

function codesOf(tree: Sitemap): string[] {
  return [...allSitemaps(tree)].flatMap((node) => (node.kind === "invalid" ? node.code : []));
}
