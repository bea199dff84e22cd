/**
 * Random sites for the model of the process, and a client that answers from memory: one response at a time, in an
 * order that the seed decides.
 */
import fc from "fast-check";
import type { Client } from "../../src/fetch/client/client.ts";
import { robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";
import type { ModelAnswer, ModelOptions, ModelSite } from "./process-model.ts";

export const HOME = "http://site.test";
export const ROBOTS_URL: string = `${HOME}/robots.txt`;

/** The first four are also tried as known locations. */
const PATHS = [
  "/sitemap.xml",
  "/sitemap_index.xml",
  "/wp-sitemap.xml",
  "/sitemap.txt",
  ...Array.from({ length: 10 }, (_, at) => `/d${at}.xml`),
];
export const KNOWN_PATHS: readonly string[] = PATHS.slice(0, 4);

const FAILURES: readonly Extract<ModelAnswer, { kind: "failure" }>[] = [
  { kind: "failure", code: "http.status", status: 404 },
  { kind: "failure", code: "http.status", status: 500 },
  { kind: "failure", code: "content.html" },
  { kind: "failure", code: "content.empty" },
  { kind: "failure", code: "http.connection" },
];

/** A number from 0 to 1 that depends on the seed and the text alone. */
export function randomOf(seed: number, text: string): number {
  let state = seed | 0;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

export interface RandomSite {
  readonly site: ModelSite;
  readonly options: ModelOptions;
  readonly filterSeed: number;
}

/** Filters that depend on all of their arguments: URL, level and parents. */
function filtersOf(seed: number, kind: string): Pick<ModelOptions, "keep" | "keepList"> {
  const keeps = (what: string, url: string, level: number, parents: ReadonlySet<string>): boolean =>
    randomOf(seed, `${what} ${url} ${level} ${[...parents].sort().join(" ")}`) < 0.75;
  return {
    ...((kind === "single" || kind === "both") && {
      keep: (url: string, level: number, parents: ReadonlySet<string>) => keeps("one", url, level, parents),
    }),
    ...((kind === "list" || kind === "both") && {
      keepList: (urls: readonly string[], level: number, parents: ReadonlySet<string>) =>
        urls.filter((url) => keeps("list", url, level, parents)),
    }),
    ...(kind === "level" && {
      keep: (url: string, level: number) => level < 2 || randomOf(seed, url) < 0.3,
    }),
  };
}

export const randomSites: fc.Arbitrary<RandomSite> = fc
  .integer({ min: 1, max: PATHS.length })
  .chain((size) => {
    const paths = PATHS.slice(PATHS.length - size).concat(PATHS.slice(0, PATHS.length - size));
    // Sometimes robots.txt itself, or a URL that does not exist.
    const url = fc
      .integer({ min: 0, max: size + 1 })
      .map((at) => HOME + (at === size ? "/robots.txt" : at > size ? "/missing.xml" : paths[at]!));
    const child = fc.record({ url, lastmod: fc.constantFrom("2024-01-01", "2024-02-02", "2024-03-03") });
    const children = fc.array(child, { minLength: 1, maxLength: 4 });
    const index = children.map((list): ModelAnswer => ({ kind: "index", children: list }));
    const redirect = url.map((to): ModelAnswer => ({ kind: "redirect", to }));
    const failure = fc.constantFrom<ModelAnswer>(...FAILURES);
    const pages = fc
      .integer({ min: 1, max: 3 })
      .map(
        (count): ModelAnswer => ({ kind: "pages", pages: Array.from({ length: count }, (_, at) => `${at}`) }),
      );
    const answer = fc.oneof(
      { arbitrary: pages, weight: 4 },
      { arbitrary: index, weight: 6 },
      { arbitrary: redirect, weight: 3 },
      { arbitrary: failure, weight: 1 },
    );
    return fc
      .record({
        answers: fc.array(answer, { minLength: size, maxLength: size }),
        robots: fc.oneof(
          { arbitrary: children, weight: 8 },
          { arbitrary: fc.constant("missing"), weight: 1 },
        ),
        depth: fc.constantFrom(1, 2, 3, 4, 11, 11),
        redirects: fc.constantFrom(1, 2, 10),
        filter: fc.constantFrom("none", "single", "list", "both", "level"),
        filterSeed: fc.nat(1_000_000),
      })
      .map(({ answers, robots, depth, redirects, filter, filterSeed }) => {
        const site = new Map<string, ModelAnswer>();
        answers.forEach((given, at) => {
          const own = HOME + paths[at]!;
          site.set(
            own,
            given.kind === "pages" ? { ...given, pages: given.pages.map((n) => `${own}/page/${n}`) } : given,
          );
        });
        // robots.txt declares no dates of sitemaps.
        const listed = typeof robots === "string" ? [] : robots.map(({ url: to }) => ({ url: to }));
        if (typeof robots !== "string") site.set(ROBOTS_URL, { kind: "index", children: listed });
        const knownUrls = KNOWN_PATHS.map((path) => HOME + path);
        return {
          site,
          filterSeed,
          options: { knownUrls, depth, redirects, ...filtersOf(filterSeed, filter) },
        };
      });
  });

/** Sitemaps that a caller could pass: of the site, robots.txt, and a missing one. Some are passed twice. */
export const givenSitemaps: fc.Arbitrary<readonly string[]> = fc.array(
  fc.constantFrom(...[...PATHS, "/robots.txt", "/missing.xml"].map((path) => HOME + path)),
  { minLength: 1, maxLength: 4 },
);

function bodyOf(url: string, answer: ModelAnswer): string {
  if (answer.kind === "pages") return urlset(answer.pages);
  if (answer.kind === "index") {
    return url === ROBOTS_URL
      ? robotsTxt(answer.children.map((child) => child.url))
      : sitemapIndex(answer.children.map((child) => [child.url, child.lastmod!]));
  }
  return answer.kind === "failure" && answer.code === "content.html" ? "<html><body>Hello</body></html>" : "";
}

/** Waits until nothing can continue without a response. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Answers one request at a time, chosen by the seed among all waiting requests. */
export function seededClient(site: ModelSite, seed: number): { client: Client; requested: string[] } {
  const requested: string[] = [];
  const waiting: (() => void)[] = [];
  let step = 0;
  let isPumping = false;
  const pump = async (): Promise<void> => {
    isPumping = true;
    for (;;) {
      await settle();
      if (waiting.length === 0) break;
      const [next] = waiting.splice(Math.floor(randomOf(seed, `${step++}`) * waiting.length), 1);
      next!();
    }
    isPumping = false;
  };
  const client: Client = async ({ url }) => {
    requested.push(url);
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (!isPumping) void pump();
    });
    const answer = site.get(url);
    if (answer?.kind === "failure" && answer.code === "http.connection") {
      throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
    }
    const status = answer === undefined ? 404 : answer.kind === "failure" ? (answer.status ?? 200) : 200;
    const body = (async function* () {
      const text = answer === undefined ? "" : bodyOf(url, answer);
      if (text !== "") yield Buffer.from(text);
    })();
    if (answer?.kind === "redirect") return { status: 302, headers: { location: answer.to }, body };
    return { status, headers: {}, body };
  };
  return { client, requested };
}
