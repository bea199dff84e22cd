/**
 * Every option accepts `undefined` and then has its default: callers pass on options of their own that may be missing.
 * The compiler checks the types, because the tests are compiled with `exactOptionalPropertyTypes`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { csvCell, logLine, logUrl } from "../../src/escape/index.ts";
import {
  allPages,
  createNodeClient,
  type LoadTreeOptions,
  loadTree,
  type NodeClientOptions,
  type ParseDateOptions,
  type ParseLimits,
  type ParseOptions,
  parseDate,
  parseRobotsTxt,
  parseSitemap,
  type RobotsTxtOptions,
  type SaveTreeOptions,
  type SyncOptions,
  saveTree,
  sitemapTreeForHomepage,
  streamPages,
  syncSite,
  type WalkLimits,
  type WalkOptions,
} from "../../src/index.ts";
import { PARSE_LIMITS } from "../../src/model/generated/limits.ts";
import { LIMIT_NAMES } from "../../src/model/limits.ts";
import { openSite, robotsTxt, timeless, urlset } from "../support/test-site.ts";

/** Options of a type, each undefined. */
type Undefined<Options> = { readonly [K in keyof Options]?: undefined };

const parseLimits = Object.fromEntries(
  Object.keys(PARSE_LIMITS).map((name) => [name, undefined]),
) as Undefined<ParseLimits>;

const walkLimits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, undefined])) as Undefined<WalkLimits>;

const walkOptions: Undefined<WalkOptions> = {
  useRobots: undefined,
  useKnownPaths: undefined,
  knownPaths: undefined,
  extraKnownPaths: undefined,
  useHomepageLinks: undefined,
  htmlSitemaps: undefined,
  useLlmsTxt: undefined,
  respectRobots: undefined,
  normalizeHomepageUrl: undefined,
  recurseCallback: undefined,
  recurseListCallback: undefined,
  signal: undefined,
  client: undefined,
  userAgent: undefined,
  headers: undefined,
  proxy: undefined,
  allowPrivateNetworks: undefined,
  allow: undefined,
  concurrency: undefined,
  delayMs: undefined,
  useCrawlDelay: undefined,
  crossHost: undefined,
  httpsOnly: undefined,
  limits: undefined,
  onEvent: undefined,
  auth: undefined,
  ca: undefined,
  insecure: undefined,
  onRequest: undefined,
  strict: undefined,
};

const syncOptions: Undefined<Omit<SyncOptions, "snapshot">> = {
  ...walkOptions,
  useValidators: undefined,
  useTrust: undefined,
  continueFrom: undefined,
  massRemoval: undefined,
  redirectChecks: undefined,
  dryRun: undefined,
};

const nodeClientOptions: Undefined<NodeClientOptions> = {
  proxy: undefined,
  ca: undefined,
  insecure: undefined,
  allowPrivateNetworks: undefined,
  allow: undefined,
  homepage: undefined,
  lookup: undefined,
  connectTimeoutMs: undefined,
  maxHeaderBytes: undefined,
  connections: undefined,
  keepAliveMs: undefined,
  connect: undefined,
};

it("a walk", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": urlset([`${base}/1`, `${base}/2`]),
  }));
  const options: WalkOptions = { ...walkOptions, limits: walkLimits };
  const expected = timeless(await sitemapTreeForHomepage(site.url));
  expect(timeless(await sitemapTreeForHomepage(site.url, walkOptions))).toBe(expected);
  const tree = await sitemapTreeForHomepage(site.url, options);
  expect(timeless(tree)).toBe(expected);
  expect([...allPages(tree, { unique: undefined })]).toHaveLength(2);
  const pages: unknown[] = [];
  for await (const page of streamPages(site.url, options)) pages.push(page);
  expect(pages).toHaveLength(2);

  const client = createNodeClient({ ...nodeClientOptions, homepage: site.url });
  onTestFinished(() => client.close());
  expect(timeless(await sitemapTreeForHomepage(site.url, { ...options, client }))).toBe(expected);
});

it("a sync and a saved tree", async () => {
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-undefined-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": urlset([`${base}/1`]),
  }));
  const snapshot = join(folder, "a.snapshot.gz");
  const kinds: string[] = [];
  for await (const { kind } of syncSite(site.url, { ...syncOptions, snapshot })) kinds.push(kind);
  expect(kinds).toEqual(["start", "added", "summary"]);

  const file = join(folder, "a.tree.gz");
  const tree = await sitemapTreeForHomepage(site.url);
  await saveTree(tree, file, saveOptions);
  expect(await loadTree(file, loadOptions)).toStrictEqual(tree);
});

it("parsing and escaping", async () => {
  const xml = "<urlset><url><loc>https://example.com/</loc></url></urlset>";
  expect(await parseSitemap(xml, parseOptions)).toStrictEqual(await parseSitemap(xml));
  expect(await parseSitemap(xml, { limits: parseLimits })).toStrictEqual(await parseSitemap(xml));
  const robots = "Sitemap: https://example.com/a.xml";
  expect(parseRobotsTxt(robots, robotsOptions).sitemaps).toEqual(parseRobotsTxt(robots).sitemaps);
  expect(parseDate("2024", dateOptions)).toStrictEqual(parseDate("2024"));
  expect(csvCell("=1", { raw: undefined })).toBe(csvCell("=1"));
  expect(logLine("a\nb", { maxLength: undefined })).toBe(logLine("a\nb"));
  expect(logUrl("https://example.com/", { maxLength: undefined })).toBe("https://example.com/");
});

const parseOptions: Undefined<ParseOptions> = {
  url: undefined,
  contentType: undefined,
  strict: undefined,
  limits: undefined,
};
const robotsOptions: Undefined<RobotsTxtOptions> = { url: undefined, strict: undefined, limits: undefined };
const dateOptions: Undefined<ParseDateOptions> = { context: undefined, now: undefined };
const saveOptions: Undefined<SaveTreeOptions> = { signal: undefined };
const loadOptions: Undefined<LoadTreeOptions> = {
  root: undefined,
  maxBytes: undefined,
  maxSitemaps: undefined,
  maxPages: undefined,
  signal: undefined,
};
