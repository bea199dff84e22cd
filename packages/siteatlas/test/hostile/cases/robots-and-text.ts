/**
 * Hostile robots.txt and text sitemaps: sec-T01 to sec-T12. Rules are read from the first 500 KiB of a
 * robots.txt and its Sitemap lines from the first 5 MiB; an error in robots.txt costs one line.
 */
import type { IssueCode } from "../../../src/model/issue-severity.ts";
import { parseRobotsTxt } from "../../../src/parse/robots/robots.ts";
import { DEFAULT_LIMITS } from "../../../src/walk/options.ts";
import { type HostileCase, MIB, outcomeOf, type Site, SLACK_MS, type Stage } from "../case.ts";
import { documentCase, each, fill, join } from "../documents.ts";
import { forever, pour, type Route, sitemapIndex, urlset } from "../raw-server.ts";

/** A site with this robots.txt, a sitemap `/s.xml` of one page, and further routes. `{host}` is its own. */
async function openSite(
  stage: Stage,
  robots: string | Uint8Array | Route,
  others: Readonly<Record<string, Route>> = {},
): Promise<string> {
  return stage.http({
    "/robots.txt": (request, response) => {
      if (typeof robots === "function") return robots(request, response);
      const body =
        typeof robots === "string" ? robots.replaceAll("{host}", String(request.headers.host)) : robots;
      return response.end(body);
    },
    "/s.xml": ({ headers: { host } }, response) => response.end(urlset(1, `http://${host}`)),
    ...others,
  });
}

/** A site for each robots.txt, by name. */
async function openSites(
  stage: Stage,
  robots: Readonly<Record<string, string | Uint8Array | Route>>,
): Promise<Site> {
  const urls = Object.entries(robots).map(async ([name, body]) => [name, await openSite(stage, body)]);
  return Object.fromEntries(await Promise.all(urls));
}

/** Responds with an index of these paths. */
const indexOf =
  (paths: readonly string[]): Route =>
  ({ headers: { host } }, response) =>
    response.end(sitemapIndex(paths.map((path) => `http://${host}${path}`)));

// ---------------------------------------------------------------- robots.txt: size

const t01: HostileCase = {
  id: "sec-T01",
  server: "a robots.txt without end, of rules and of Sitemap lines",
  expected:
    "cut at 5 MiB with robots.truncated, the connection closed; the Sitemap line at its start followed",
  bounds: { wireBytes: 8 * MIB, ms: 10_000 },
  serve: (stage) => {
    const endless =
      (line: string): Route =>
      ({ headers: { host } }, response) =>
        pour(response, join(`Sitemap: http://${host}/s.xml\nUser-agent: *\n`, forever(line.repeat(1000))));
    return openSites(stage, {
      rules: endless("Disallow: /some/path/that/nobody/asks/for\n"),
      sitemaps: endless("Sitemap: /s.xml\n"),
      comments: endless("# nothing\n"),
    });
  },
  async run(context) {
    const outcomes: string[] = [];
    for (const [name, url] of Object.entries(context.site)) {
      const walked = await context.walk(`${url}/`, { limits: DEFAULT_LIMITS });
      context.expectSitemap(walked.robots, { outcome: "found" }, name);
      context.expectSitemap(walked.sitemap("/s.xml"), { outcome: "found" }, name);
      context.expect(walked.codes.has("robots.truncated"), `${name}: no robots.truncated`);
      outcomes.push(`${name} ${outcomeOf(walked.robots)}`);
    }
    return outcomes.join(", ");
  },
};

const t02: HostileCase = {
  id: "sec-T02",
  server: "lines of 400 KB in robots.txt: a rule, a Sitemap line, a key",
  expected: "skipped with robots.line-too-long; the lines around them read",
  serve: async (stage) => {
    const long = "x".repeat(400_000);
    const robots = `User-agent: *\nDisallow: /${long}\nSitemap: http://{host}/${long}\n${long}: 1\nSitemap: http://{host}/s.xml\n`;
    return { url: await openSite(stage, robots) };
  },
  async run(context) {
    const { sitemap, sitemaps, codes } = await context.walk(context.url());
    context.expectSitemap(sitemap("/s.xml"), { outcome: "found" });
    context.expectEqual(sitemaps.length, 2, "sitemaps");
    context.expect(codes.has("robots.line-too-long"), "no robots.line-too-long");
    return outcomeOf(sitemap("/s.xml"));
  },
};

// ---------------------------------------------------------------- robots.txt: rules

/** 8,000 characters. */
const LONG_PATH = `/${"a".repeat(8000)}`;

const t03: HostileCase = {
  id: "sec-T03",
  server: "rules with 5,000 wildcards, matched against paths of 8 KB",
  expected: "matched in linear time: each of 50 answers within 10 ms; the right ones",
  bounds: { cpuMs: 3000, ms: 5000, partMs: 10 },
  serve: async (stage) => {
    const robots = `User-agent: *\nDisallow: /${"*a".repeat(5000)}*b\nDisallow: /${"*".repeat(16_000)}c\nSitemap: http://{host}/index.xml\n`;
    const paths = Array.from({ length: 25 }, (_, n) => [`${LONG_PATH}${n}`, `${LONG_PATH}${n}b`]).flat();
    return { url: await openSite(stage, robots, { "/index.xml": indexOf(paths) }) };
  },
  async run(context) {
    const { sitemaps, sitemap } = await context.walk(context.url(), { respectRobots: true });
    const skipped = sitemaps.filter(({ code }) => code === "robots.disallowed");
    context.expectEqual(skipped.length, 25, "disallowed ones");
    context.expectSitemap(sitemap(`${LONG_PATH}7`), { outcome: "failed", code: "http.status" });
    const robots = parseRobotsTxt(
      `User-agent: *\nDisallow: /${"*a".repeat(5000)}*b\nDisallow: /${"*".repeat(16_000)}c\n`,
    );
    await context.measurePart(() => void robots.isAllowed(LONG_PATH, "siteatlas"));
    return `${skipped.length} disallowed, ${sitemaps.length - skipped.length - 2} asked for`;
  },
};

const t04: HostileCase = {
  id: "sec-T04",
  server: "20,000 groups; 500,000 rules; each matched against 200 URLs",
  expected: "rules of the first 500 KiB apply, with robots.truncated; bounded work per URL",
  bounds: { cpuMs: 3000 },
  serve: async (stage) => {
    const paths = Array.from({ length: 200 }, (_, n) => `/x${n}/${"a".repeat(500)}`);
    const site = (lines: Iterable<string | Uint8Array>): Promise<string> => {
      const robots: Route = ({ headers: { host } }, response) =>
        pour(response, join(`Sitemap: http://${host}/index.xml\n`, lines)).then(() => response.end());
      return openSite(stage, robots, { "/index.xml": indexOf(paths) });
    };
    const groups = join(
      ...Array.from({ length: 20_000 }, (_, n) => `User-agent: bot${n}\nDisallow: /${n}\n`),
    );
    const rules = join(
      "User-agent: *\n",
      each(250_000, (n) => `Disallow: /*${n}b\n`),
      each(250_000, (n) => `Disallow: /${n}\n`),
    );
    return { groups: await site(groups), rules: await site(rules) };
  },
  async run(context) {
    const outcomes: string[] = [];
    for (const [name, url] of Object.entries(context.site)) {
      const limits = {
        wireBytes: 50 * MIB,
        decodedBytes: 50 * MIB,
        barrenChildren: Number.POSITIVE_INFINITY,
      };
      const { sitemaps, codes } = await context.walk(`${url}/`, { respectRobots: true, limits });
      context.expectEqual(sitemaps.length, 202, `sitemaps of ${name}`);
      context.expect(codes.has("robots.truncated"), `${name}: no robots.truncated`);
      const disallowed = sitemaps.filter(({ code }) => code === "robots.disallowed").length;
      outcomes.push(`${name} ${disallowed} of 200 disallowed`);
    }
    return outcomes.join(", ");
  },
};

// ---------------------------------------------------------------- robots.txt: content

const LINES = "User-agent: *\nDisallow: /x\nSitemap: http://{host}/s.xml\n";

/** The content, whether its Sitemap line is found, and the expected issues. */
const CONTENTS: Readonly<Record<string, readonly [text: string, isFound: boolean, code?: IssueCode]>> = {
  html: ["<!doctype html><html><body><h1>Not found</h1></body></html>", false, "robots.html"],
  "html around it": [`<html><body><pre>\n${LINES}</pre></body></html>`, true, "robots.html"],
  binary: [String.fromCharCode(...Array.from({ length: 3000 }, (_, n) => (n * 7919) % 256)), false],
  "utf-16": [`\ufeff${LINES}`, true, "robots.encoding"],
  bom: [`\ufeff${LINES}`, true],
  cr: [LINES.replaceAll("\n", "\r"), true],
  nul: [LINES.replace("Sitemap", "Site\0map"), true],
  blank: ["\n \n\t\n", false],
};

const t05: HostileCase = {
  id: "sec-T05",
  server: "HTML, binary data, UTF-16, a BOM, CR alone, NUL bytes as robots.txt",
  expected: "the Sitemap line is found if there is one",
  async serve(stage) {
    const urls: [string, string][] = [];
    for (const [name, [text]] of Object.entries(CONTENTS)) {
      const encoding = name === "utf-16" ? "utf16le" : name === "binary" ? "latin1" : "utf8";
      const robots: Route = ({ headers: { host } }, response) =>
        response.end(Buffer.from(text.replaceAll("{host}", String(host)), encoding));
      urls.push([name, await openSite(stage, robots)]);
    }
    return Object.fromEntries(urls);
  },
  async run(context) {
    for (const [name, [, isFound, code]] of Object.entries(CONTENTS)) {
      const { sitemap, codes, sitemaps } = await context.walk(`${context.site[name]}/`);
      if (isFound) context.expectSitemap(sitemap("/s.xml"), { outcome: "found" }, name);
      context.expectEqual(sitemaps.length, isFound ? 2 : 1, `sitemaps of ${name}`);
      if (code !== undefined) context.expect(codes.has(code), `${name}: no ${code} among ${[...codes]}`);
    }
    return `${Object.keys(CONTENTS).length} kinds as expected`;
  },
};

const t06: HostileCase = {
  id: "sec-T06",
  server: "25,000 Sitemap lines; the same one 25,000 times; relative ones; garbage",
  expected: "the first 5,000 with limit.children; one; resolved; dropped",
  serve: (stage) =>
    openSites(stage, {
      many: Array.from({ length: 25_000 }, (_, n) => `Sitemap: http://{host}/${n}.xml\n`).join(""),
      same: "Sitemap: http://{host}/s.xml\n".repeat(25_000),
      relative: "Sitemap: /s.xml\nSitemap: s.xml\nSitemap: ./x/../s.xml\n",
      garbage:
        "Sitemap:\nSitemap: \0\nSitemap: javascript:alert(1)\nSitemap: file:///etc/passwd\nSitemap: http://[\n" +
        `Sitemap: http://{host}:99999/\nSitemap: ${"%".repeat(1000)}\nSitemap: http://{host}/*.xml\nSitemap: http://{host}/s.xml\n`,
    }),
  async run(context) {
    const asked: Record<string, number> = {};
    for (const [name, url] of Object.entries(context.site)) {
      const { sitemaps, codes } = await context.walk(`${url}/`, {
        limits: DEFAULT_LIMITS,
        // URLs passed to the filter would be requested: counting them is enough.
        recurseListCallback: (urls) => {
          asked[name] = urls.length;
          return [];
        },
      });
      if (name === "many")
        context.expect(codes.has("limit.children"), `no limit.children among ${[...codes]}`);
      context.expect(sitemaps.length <= 5001 || name === "many", `${name}: ${sitemaps.length} sitemaps`);
    }
    context.expect((asked["garbage"] ?? 0) <= 2, `${asked["garbage"]} out of garbage`);
    context.expectEqual(
      { many: asked["many"], same: asked["same"], relative: asked["relative"] },
      { many: 5000, same: 1, relative: 1 },
      "sitemaps to request",
    );
    return Object.entries(asked)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  },
};

// ---------------------------------------------------------------- robots.txt: status

const STATUSES = [401, 403, 404, 500, 503] as const;

const t07: HostileCase = {
  id: "sec-T07",
  server: "robots.txt answers 401, 403, 404, 500, 503, or not at all",
  expected: "the known locations are tried; with respectRobots not after 5xx and silence (RFC 9309)",
  bounds: { ms: 1500 + SLACK_MS },
  async serve(stage) {
    const sitemap = { "/sitemap.xml": { body: urlset(3) } };
    const sites: Record<string, string> = {
      silence: await stage.http({ "/robots.txt": () => {}, ...sitemap }),
    };
    for (const status of STATUSES) {
      sites[String(status)] = await stage.http({
        "/robots.txt": { status, body: "Disallow: /" },
        ...sitemap,
      });
    }
    return sites;
  },
  async run(context) {
    const outcomes: string[] = [];
    for (const [name, url] of Object.entries(context.site)) {
      const isDown = name === "silence" || name.startsWith("5");
      const options = { useKnownPaths: true, limits: { backoffMs: 1 } };
      const free = await context.walk(`${url}/`, options);
      context.expectEqual(free.pageCount, 3, `pages with ${name}`);
      context.expectEqual(free.codes.has("robots.unreachable"), isDown, `robots.unreachable with ${name}`);
      const before = (await context.facts()).requests.length;
      const bound = await context.walk(`${url}/`, { ...options, respectRobots: true });
      const { requests } = await context.facts();
      context.expectEqual(bound.pageCount, isDown ? 0 : 3, `pages with ${name} and respectRobots`);
      const others = requests.slice(before).filter(({ path }) => path !== "/robots.txt");
      context.expectEqual(others.length === 0, isDown, `no requests with ${name} and respectRobots`);
      outcomes.push(`${name} ${free.pageCount}/${bound.pageCount}`);
    }
    return `pages, with respectRobots: ${outcomes.join(", ")}`;
  },
};

/** What a delay is, in milliseconds, with a limit of 200. */
const DELAYS: Readonly<Record<string, number>> = {
  "1000000000": 200,
  "99999999999999999999999999": 200,
  "0.1": 100,
  "5 # seconds": 200,
  "-1": 0,
  NaN: 0,
  "": 0,
  soon: 0,
};

const t08: HostileCase = {
  id: "sec-T08",
  server: "Crawl-delay: a billion, 10²⁶, negative, NaN, with a comment, garbage",
  expected: "shortened to the limit; invalid values are ignored",
  bounds: { ms: 2000 },
  async serve(stage) {
    const sites: [string, string][] = [];
    for (const text of Object.keys(DELAYS)) {
      const robots = `User-agent: *\nCrawl-delay: ${text}\nSitemap: http://{host}/s.xml\nSitemap: http://{host}/t.xml\n`;
      sites.push([`delay ${text}`, await openSite(stage, robots)]);
    }
    return Object.fromEntries(sites);
  },
  async run(context) {
    const outcomes: string[] = [];
    for (const [text, wanted] of Object.entries(DELAYS)) {
      const { ms, sitemap } = await context.walk(`${context.site[`delay ${text}`]}/`, {
        useCrawlDelay: true,
        limits: { crawlDelayMs: 200 },
      });
      context.expectSitemap(sitemap("/s.xml"), { outcome: "found" }, text);
      // From the first sitemap to the second.
      context.expect(ms >= wanted - 20, `"${text}": done after ${ms.toFixed(0)} ms`);
      context.expectInTime(ms < wanted + SLACK_MS, `"${text}": done after ${ms.toFixed(0)} ms`);
      outcomes.push(`"${text.slice(0, 12)}" ${ms.toFixed(0)} ms`);
    }
    return outcomes.join(", ");
  },
};

// ---------------------------------------------------------------- text sitemaps

const t09 = documentCase({
  id: "sec-T09",
  server: "text sitemaps: 100 MB without a line end; 10 million short lines",
  expected: "found: the line is skipped, the URLs around it are kept, constant memory",
  bounds: { rssMiB: 48 },
  apart: true,
  walk: { limits: { wireBytes: 200 * MIB, decodedBytes: 200 * MIB, requestMs: 60_000, cpuMs: 60_000 } },
  documents: {
    line: {
      path: "/line.txt",
      body: (at) => join(`${at}/a\nhttp://x/`, fill("x", 100 * MIB), `\n${at}/b\n`),
      pages: ["/a", "/b"],
      codes: ["text.line-too-long"],
    },
    lines: {
      path: "/lines.txt",
      body: (at) => join(`${at}/a\n`, fill("x\n", 20_000_000), `${at}/b\n`),
      pages: ["/a", "/b"],
      codes: ["text.non-url-line"],
    },
  },
});

const t10 = documentCase({
  id: "sec-T10",
  server: "HTML, JSON, base64, prose and a log served as .txt",
  expected: "failed: no pages",
  documents: {
    html: {
      path: "/html.txt",
      body: (at) => `<html><body>${`<a href="${at}/x">${at}/x</a>\n`.repeat(1000)}</body></html>`,
      ends: { outcome: "failed", code: "content.html" },
      pages: [],
    },
    json: {
      path: "/json.txt",
      body: (at) => JSON.stringify({ urls: Array.from({ length: 1000 }, (_, n) => `${at}/${n}`) }),
      ends: { outcome: "failed", code: "content.json" },
      pages: [],
    },
    base64: {
      path: "/base64.txt",
      body: (at) => Buffer.from(`${at}/x `.repeat(50_000)).toString("base64").replace(/.{76}/g, "$&\n"),
      ends: { outcome: "failed", code: "content.no-urls" },
      pages: [],
    },
    prose: {
      path: "/prose.txt",
      body: () => "It was a dark and stormy night; the rain fell in torrents.\n".repeat(20_000),
      ends: { outcome: "failed", code: "content.no-urls" },
      pages: [],
    },
    log: {
      path: "/log.txt",
      body: () => '10.0.0.1 - - [01/Jan/2024] "GET / HTTP/1.1" 200 - "-"\n'.repeat(20_000),
      ends: { outcome: "failed", code: "content.no-urls" },
      pages: [],
    },
  },
});

const t11 = documentCase({
  id: "sec-T11",
  server: "lines with escape sequences, formulas, bidi overrides",
  expected: "each a URL of printable ASCII, or none",
  documents: {
    lines: {
      path: "/lines.txt",
      body: (at) =>
        [
          `${at}/a`,
          `${at}/\u001b[2J`,
          "\u001b]8;;https://evil.example/\u0007",
          "=cmd|'/c calc'!A1",
          '=HYPERLINK("https://evil.example/")',
          `${at}/\u202egnp.exe`,
          `${at}/\u200b\u009b31m`,
          `\u202e${at}/c`,
          `${at}/b`,
        ].join("\n"),
      codes: ["text.non-url-line"],
    },
  },
  check(context, { pages }) {
    const odd = pages.filter(({ url }) => !/^https?:\/\/[\x21-\x7e]+$/.test(url));
    context.expectEqual(odd, [], "pages that are not printable ASCII");
    const foreign = pages.filter(({ url }) => url.includes("evil"));
    context.expectEqual(foreign, [], "pages out of escape sequences");
    context.expect(pages.length >= 4, `${pages.length} pages`);
  },
});

const t12: HostileCase = {
  id: "sec-T12",
  server: "user agents called __proto__, constructor, and one of 1 MB",
  expected: "treated like other groups; no prototype changed",
  serve: async (stage) => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "x".repeat(1_000_000)];
    const groups = names.map((name) => `User-agent: ${name}\nDisallow: /\nCrawl-delay: 1\n\n`);
    const robots = `Sitemap: http://{host}/index.xml\nUser-agent: *\nDisallow: /no\n\n${groups.join("")}`;
    return { url: await openSite(stage, robots, { "/index.xml": indexOf(["/s.xml", "/no.xml"]) }) };
  },
  async run(context) {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const outcomes: string[] = [];
    for (const [userAgent, isAllowed] of [
      ["siteatlas", true],
      ["__proto__/1.0", false],
      ["constructor", false],
      ["valueOf", true],
    ] as const) {
      const { sitemap } = await context.walk(context.url(), { respectRobots: true, userAgent });
      context.expectSitemap(sitemap("/no.xml"), { outcome: "skipped", code: "robots.disallowed" }, userAgent);
      context.expectEqual(sitemap("/s.xml")?.outcome, isAllowed ? "found" : "skipped", userAgent);
      outcomes.push(`${userAgent} ${sitemap("/s.xml")?.outcome}`);
    }
    context.expectEqual(Object.getOwnPropertyNames(Object.prototype), before, "names of Object.prototype");
    return outcomes.join(", ");
  },
};

export const cases: readonly HostileCase[] = [t01, t02, t03, t04, t05, t06, t07, t08, t09, t10, t11, t12];
