/** `verify`: pages that disappeared from all sitemaps are requested, politely, to see whether they are gone. */
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { SyncOptions } from "../../../src/sync/options.ts";
import { urlset } from "../../support/test-site.ts";
import { syncOnce, TestClock, type Told } from "../support.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const status =
  (code: number, headers: Record<string, string> = {}, body = ""): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end(body);

interface Site {
  readonly url: string;
  readonly origin: string;
  /** Paths in the sitemap. */
  pages: string[];
  robots: string;
  readonly answers: Record<string, Answer>;
  /** Requests for pages: `HEAD /a`. */
  readonly asked: string[];
}

async function openSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const { url: path = "", method = "" } = request;
    if (path === "/robots.txt" && !(path in site.answers))
      response.end(`${site.robots}\nSitemap: ${site.origin}/sitemap.xml\n`);
    else if (path === "/sitemap.xml") response.end(urlset(site.pages.map((page) => site.origin + page)));
    else if (path in site.answers) {
      site.asked.push(`${method} ${path}`);
      site.answers[path]!(request, response);
    } else response.writeHead(site.pages.includes(path) ? 200 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site: Site = { url: `${origin}/`, origin, pages: [], robots: "", answers: {}, asked: [] };
  return site;
}

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "a.gz");
}

const LISTED = Array.from({ length: 60 }, (_, number) => `/listed-${number}`);

/** Syncs with the pages of `answers`, then without them. */
async function disappear(
  answers: Record<string, Answer>,
  options: Partial<SyncOptions> = {},
): Promise<{ site: Site; told: Told; again: () => Promise<Told> }> {
  const site = await openSite();
  const snapshot = await openFolder();
  Object.assign(site.answers, answers);
  site.pages = [...LISTED, ...Object.keys(answers)];
  const sync = (): Promise<Told> =>
    syncOnce(site, snapshot, { verify: true, useKnownPaths: false, useHomepageLinks: false, ...options });
  await sync();
  expect(site.asked).toEqual([]);
  site.pages = [...LISTED];
  const told = await sync();
  return { site, told, again: sync };
}

test("404, 410, noindex and a permanent redirect confirm at once; 200 is pending; other answers change nothing", async () => {
  const moved = (code: number, location: string): Answer => status(code, { location });
  const { site, told } = await disappear({
    "/404": status(404),
    "/410": status(410),
    "/noindex": status(200, { "x-robots-tag": "nofollow, NOINDEX" }),
    "/none": status(200, { "x-robots-tag": "unavailable_after: 2026-01-01, none" }),
    "/301": moved(301, "/listed-1"),
    "/308": moved(308, "https://elsewhere.test/"),
    "/302": moved(302, "/maintenance"),
    "/200": status(200),
    "/other-bot": status(200, { "x-robots-tag": "googlebot: noindex, none" }),
    "/403": status(403),
  });
  expect(told.pending).toEqual(["/200", "/other-bot"]);
  // Without a doubt, removals without a verdict are certain.
  expect(told.removed).toEqual(["/301", "/302", "/308", "/403", "/404", "/410", "/noindex", "/none"]);
  expect(site.asked.length).toBe(10);
  expect(site.asked.every((line) => line.startsWith("HEAD "))).toBe(true);
  expect(told.summary).toMatchObject({ verified: 12, asked: 14, pending: 2 });
  expect(told.changes.filter(({ kind }) => kind === "pending")).toMatchObject([
    { reason: "alive" },
    { reason: "alive" },
  ]);
});

test("of a mass removal, pages that are gone are removed at once, and others stay pending", async () => {
  const clock = new TestClock();
  const pages = Array.from({ length: 20 }, (_, number) => `/page-${String(number).padStart(2, "0")}`);
  const odd = (number: number): boolean => number % 2 === 1;
  const answers = Object.fromEntries(
    pages.map((path, number) => [path, status(odd(number) ? 404 : 302, { location: "/" })]),
  );
  const { site, told, again } = await disappear(answers);
  const [gone, left] = [pages.filter((_, at) => odd(at)), pages.filter((_, at) => !odd(at))];
  expect([told.removed, told.pending]).toEqual([gone, left]);
  // Pending pages are checked again.
  site.answers[left[0]!] = status(410);
  clock.pass(1);
  expect(await again()).toMatchObject({
    removed: [left[0]],
    pending: [],
    summary: { pending: 9, verified: 12 },
  });
  // Without a verdict, the grace applies.
  clock.pass(24);
  expect((await again()).removed).toEqual(left.slice(1));
});

test("a page that is still there is removed after the grace: a day and three syncs", async () => {
  const clock = new TestClock();
  const { told, again } = await disappear({ "/alive": status(200) });
  expect(told).toMatchObject({ removed: [], pending: ["/alive"] });
  clock.pass(23);
  expect(await again()).toMatchObject({ removed: [], summary: { pending: 1 } });
  clock.pass(2);
  expect(await again()).toMatchObject({ removed: ["/alive"], summary: { pending: 0 } });
});

test("a server without HEAD gets a GET, and the start of the page may say noindex", async () => {
  const getOnly =
    (body: string | Uint8Array, code = 200): Answer =>
    (request, response) =>
      void (request.method === "HEAD" ? response.writeHead(405).end() : response.writeHead(code).end(body));
  const { site, told } = await disappear({
    "/meta": getOnly(`<html><head><title>a</title><META content='noindex,follow' name="robots">`),
    "/late": getOnly(`${" ".repeat(20_000)}<meta name="robots" content="noindex">`),
    "/other": getOnly(`<meta name="googlebot" content="noindex"><meta name="robots" content="index">`),
    "/gzip": getOnly(gzipSync('<meta name="robots" content="noindex">')),
    "/missing": getOnly("", 404),
  });
  expect([told.removed, told.pending]).toEqual([
    ["/gzip", "/meta", "/missing"],
    ["/late", "/other"],
  ]);
  expect(site.asked.filter((line) => line.startsWith("GET "))).toHaveLength(5);
  expect(told.summary.verified).toBe(12);
});

test("at most `verifyRequests` are sent, and each sync checks other pages", async () => {
  const clock = new TestClock();
  const pages = Array.from({ length: 40 }, (_, number) => `/page-${number}`);
  const answers = Object.fromEntries(pages.map((path) => [path, status(200)]));
  const { site, told, again } = await disappear(answers, { verifyRequests: 5 });
  expect([site.asked.length, told.summary.verified]).toEqual([5, 5]);
  expect(told.pending).toHaveLength(40);
  const first = [...site.asked];
  clock.pass(1);
  await again();
  expect(site.asked).toHaveLength(10);
  expect(new Set([...first, ...site.asked]).size).toBeGreaterThan(5);
});

test.each([
  ["disallowed by robots.txt", {}, "User-agent: *\nDisallow: /gone"],
  ["with verify: false", { verify: false }, ""],
  ["with a budget of 0", { verifyRequests: 0 }, ""],
])("pages are not requested: %s", async (_, options, robots) => {
  const site = await openSite();
  const snapshot = await openFolder();
  site.answers["/gone"] = status(404);
  site.robots = robots;
  site.pages = [...LISTED, "/gone"];
  const given = { verify: true, useKnownPaths: false, ...options };
  await syncOnce(site, snapshot, given);
  site.pages = [...LISTED];
  const told = await syncOnce(site, snapshot, given);
  expect([told.removed, site.asked, told.summary.verified]).toEqual([["/gone"], [], 0]);
});

test.each([429, 503])("after %s, no more pages are requested in this sync", async (code) => {
  const answers = Object.fromEntries(["/a", "/b", "/c"].map((path) => [path, status(code)]));
  const { site, told } = await disappear(answers);
  expect([site.asked.length, told.removed]).toEqual([1, ["/a", "/b", "/c"]]);
});

test("the crawl delay of robots.txt applies between the requests", async () => {
  const site = await openSite();
  const snapshot = await openFolder();
  site.robots = "User-agent: *\nCrawl-delay: 0.2";
  const at: number[] = [];
  const note: Answer = (_, response) => {
    at.push(performance.now());
    response.writeHead(404).end();
  };
  Object.assign(site.answers, { "/a": note, "/b": note, "/c": note });
  site.pages = [...LISTED, "/a", "/b", "/c"];
  const options = { verify: true, useKnownPaths: false, useHomepageLinks: false, useCrawlDelay: true };
  await syncOnce(site, snapshot, options);
  site.pages = [...LISTED];
  await syncOnce(site, snapshot, options);
  expect(at).toHaveLength(3);
  // Timers of Node may fire a millisecond early.
  for (const [number, time] of at.slice(1).entries()) expect(time - at[number]!).toBeGreaterThan(150);
});

test("a private address that the sync may not request is not requested", async () => {
  const [site, other] = [await openSite(), await openSite()];
  const snapshot = await openFolder();
  other.answers["/robots.txt"] = status(200);
  other.answers["/secret"] = status(404);
  const sitemap =
    (...more: string[]): Answer =>
    (_, response) =>
      void response.end(urlset([...LISTED.map((path) => site.origin + path), ...more]));
  // A sitemap lists a page of another private server.
  site.robots = `Sitemap: ${site.origin}/other.xml`;
  site.answers["/other.xml"] = sitemap(`${other.origin}/secret`);
  const options = { verify: true, useKnownPaths: false, useHomepageLinks: false };
  await syncOnce(site, snapshot, options);
  site.answers["/other.xml"] = sitemap();
  const { changes } = await syncOnce(site, snapshot, options);
  expect(changes).toContainEqual(expect.objectContaining({ kind: "removed", url: `${other.origin}/secret` }));
  expect(other.asked).toEqual([]);
});

test.each([
  ["404", status(404)],
  ["a permanent redirect", status(301, { location: "/login" })],
  ["noindex", status(200, { "x-robots-tag": "noindex" })],
])("if listed pages also answer with %s, the normal grace holds", async (_, answer) => {
  const pages = Array.from({ length: 30 }, (_, number) => `/page-${number}`);
  const answers = Object.fromEntries([...pages, ...LISTED].map((path) => [path, answer]));
  const site = await openSite();
  const snapshot = await openFolder();
  site.pages = [...LISTED, ...pages];
  const sync = (): Promise<Told> =>
    syncOnce(site, snapshot, { verify: true, useKnownPaths: false, useHomepageLinks: false });
  await sync();
  site.pages = [...LISTED];
  Object.assign(site.answers, answers);
  const bad = await sync();
  expect(bad).toMatchObject({ removed: [], summary: { verified: 32 } });
  expect(bad.pending).toHaveLength(30);
  for (const path of LISTED) site.answers[path] = status(200);
  expect((await sync()).removed).toHaveLength(30);
});

for (const fault of ["404", "noindex"] as const) {
  test(`a sitemap that is emptied together with the whole site (${fault}) removes nothing`, async () => {
    const site = await openSite();
    const snapshot = await openFolder();
    const answer = fault === "404" ? status(404) : status(200, { "x-robots-tag": "noindex" });
    const sync = (): Promise<Told> =>
      syncOnce(site, snapshot, { verify: true, useKnownPaths: false, useHomepageLinks: false });
    site.pages = [...LISTED];
    await sync();
    site.pages = [];
    for (const path of ["/", ...LISTED]) site.answers[path] = answer;
    const told = await sync();
    expect(told.removed).toEqual([]);
    expect(told.pending.length).toBe(LISTED.length);
    // No page is listed any more, so the homepage is requested.
    expect(site.asked).toContain("HEAD /");
  });
}

test("an emptied site whose homepage is still there confirms the removals", async () => {
  const site = await openSite();
  const snapshot = await openFolder();
  const sync = (): Promise<Told> =>
    syncOnce(site, snapshot, { verify: true, useKnownPaths: false, useHomepageLinks: false });
  site.pages = [...LISTED];
  await sync();
  site.pages = [];
  site.answers["/"] = status(200);
  const told = await sync();
  expect(told.removed.length).toBe(LISTED.length);
});

test("pages of sitemaps that cannot be read are requested too, and their fault says nothing about other pages", async () => {
  const site = await openSite();
  const snapshot = await openFolder();
  const other = LISTED.map((path) => `${path}-b`);
  const listed = urlset(other.map((path) => site.origin + path));
  const sync = (): Promise<Told> =>
    syncOnce(site, snapshot, { verify: true, useKnownPaths: false, useHomepageLinks: false });
  site.answers["/robots.txt"] = status(
    200,
    {},
    `Sitemap: ${site.origin}/sitemap.xml\nSitemap: ${site.origin}/b.xml\n`,
  );
  site.answers["/b.xml"] = status(200, {}, listed);
  site.pages = [...LISTED];
  await sync();
  site.pages = [];
  await sync();
  site.asked.length = 0;
  // Now everything answers 404, except robots.txt.
  for (const path of ["/", "/b.xml", ...LISTED, ...other]) site.answers[path] = status(404);
  const told = await sync();
  expect(told.removed).toEqual([]);
  expect(site.asked.filter((line) => line.endsWith("-b")).length).toBe(2);
});
