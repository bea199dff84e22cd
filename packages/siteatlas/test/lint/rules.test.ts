/** Every rule has a fixture that fails and one that passes, a source and a fix. Every issue code is a rule, or says why not. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { issueTable, type LintRule, lintRules, lintSite } from "../../src/index.ts";
import { fileClient, filesIn } from "../../src/lint/documents/folder-client.ts";
import { createLintRun } from "../../src/lint/lint-site.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import { openSite } from "../support/test-site.ts";
import { entryFixtures } from "./fixtures/entries.ts";
import {
  type FixtureEvent,
  type FixtureHistory,
  type RuleFixture,
  type RuleFixtures,
  type ServedSite,
  SITE,
  xml,
} from "./fixtures/fixture.ts";
import { siteFixtures } from "./fixtures/sites.ts";
import { xmlFixtures } from "./fixtures/xml.ts";

const fixtures: RuleFixtures = { ...xmlFixtures, ...entryFixtures, ...siteFixtures };
const root = mkdtempSync(join(tmpdir(), "siteatlas-rules-"));
afterAll(() => rmSync(root, { recursive: true }));
const now = new Date("2026-11-17T12:00:00Z");
let folders = 0;

/** The ids of the rules that a site violates. Only the rule in question is on. */
async function violated(site: RuleFixture["fails"], { id, severity }: LintRule): Promise<string[]> {
  const options = { severities: { "*": "off", [id]: severity }, now } as const;
  if (typeof site === "object" && "event" in site) return ofEvent(site as FixtureEvent, options);
  if (typeof site === "object" && "before" in site) return ofHistory(site as FixtureHistory, options);
  const found: string[] = [];
  if (typeof site === "object" && "served" in site) {
    const { served } = site as ServedSite;
    const text = (body: string | Uint8Array | undefined, base: string) =>
      typeof body === "string" ? body.replaceAll("BASE", base) : body;
    const server = await openSite(
      (base) =>
        Object.fromEntries(
          Object.entries(served).map(([path, answer]) => [
            path,
            typeof answer === "string"
              ? text(answer, base)!
              : { ...answer, body: text(answer.body, base) ?? "" },
          ]),
        ) as never,
    );
    for await (const { rule } of lintSite(server.url, { ...options, limits: { retries: 0 } }))
      found.push(rule);
    return found;
  }
  const folder = join(root, String(folders++));
  const files =
    typeof site === "string" ? { "/sitemap.xml": site } : (site as Record<string, string | Uint8Array>);
  const all = { "/robots.txt": `Sitemap: ${SITE}/sitemap.xml\n`, ...files };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  for await (const { rule } of lintSite(SITE, { ...options, folder })) found.push(rule);
  return found;
}

async function ofHistory({ before, after }: FixtureHistory, options: object): Promise<string[]> {
  const previous = {
    pageCount: before.length,
    pages: async function* () {
      for (const path of before) yield { url: SITE + path };
    },
  };
  const { run } = createLintRun(SITE, { ...options, previous });
  run.pages(
    after.map((path) => ({ url: SITE + path })),
    `${SITE}/sitemap.xml`,
  );
  return (await run.end()).map(({ rule }) => rule);
}

async function ofEvent({ event }: FixtureEvent, options: object): Promise<string[]> {
  const { run } = createLintRun(SITE, options);
  const sitemap: WalkedSitemap = {
    ...{ url: `${SITE}/sitemap.xml`, outcome: "found", source: "given", level: 0, kind: "pages" },
    ...{ pageCount: 1, childCount: 0, issueCount: 0, duplicateCount: 0 },
    ...event,
  } as WalkedSitemap;
  return (await run.sitemap(sitemap)).map(({ rule }) => rule);
}

describe.each(lintRules.map((rule) => [rule.id, rule] as const))("%s", (id, rule) => {
  it("has texts, a source and two fixtures", () => {
    for (const text of [rule.message, rule.why, rule.fix])
      expect(text).toMatch(/^(?:[A-Z\d<]|robots\.txt|x-default|content_loc).{8,}/);
    expect(rule.message).not.toMatch(/\.$/);
    for (const text of [rule.why, rule.fix]) expect(text).toMatch(/\.$/);
    expect(rule.source).toMatch(/^https:\/\/\S+$/);
    expect(fixtures).toHaveProperty([id]);
  });

  it("reports the failing fixture, and not the passing one", async () => {
    const { fails, passes } = fixtures[id]!;
    expect(await violated(fails, rule)).toContain(id);
    expect(await violated(passes, rule)).toEqual([]);
  });
});

it("has at least 90 rules for documents, each with an id of its own", () => {
  const ids = lintRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(90);
  expect(Object.keys(fixtures).filter((id) => !ids.includes(id))).toEqual([]);
});

/** Issue codes that are not a mistake of the site: they depend on options, on limits or on the network of the user. */
const NOT_RULES = [
  /^limit\./,
  /^(?:not-fetched|filtered|site\.moved|gzip\.bomb|url\.cross-site)$/,
  /^http\.(?:proxy|blocked-address|blocked-port|retry)$/,
  /^robots\.(?:disallowed|crawl-delay)$/,
];

it("makes every issue code a rule, or says why not", () => {
  const ids = new Set(lintRules.map(({ id }) => id));
  const missing = Object.keys(issueTable).filter((code) => !ids.has(code));
  expect(missing.filter((code) => !NOT_RULES.some((test) => test.test(code)))).toEqual([]);
});

it("reports nothing on a clean site", async () => {
  const folder = join(root, "clean");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "robots.txt"),
    `User-agent: *\nDisallow: /admin\nSitemap: ${SITE}/sitemap.xml\n`,
  );
  const entries = Array.from(
    { length: 50 },
    (_, i) =>
      `<url><loc>${SITE}/page-${i}</loc><lastmod>2026-10-${String((i % 28) + 1).padStart(2, "0")}</lastmod></url>`,
  );
  writeFileSync(join(folder, "sitemap.xml"), xml(entries.join("\n")));
  const found: string[] = [];
  for await (const { rule } of lintSite(SITE, { client: fileClient(filesIn(folder, SITE)), now }))
    found.push(rule);
  expect(found).toEqual([]);
});
