/**
 * The walk against the model of its process (process-model.ts): on any site, with any filters and in any order
 * of answers, the tree is that of the model, node by node, and no URL is requested twice.
 */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { WalkStart } from "../../src/discover/site-start.ts";
import type { Sitemap } from "../../src/model/model.ts";
import { siteTree, type TreeOptions } from "../../src/tree/tree.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { fuzzFactor, seed } from "../support/runs.ts";
import { type ModelNode, type ModelStart, modelTree, TooLarge } from "./process-model.ts";
import {
  givenSitemaps,
  HOME,
  KNOWN_PATHS,
  type RandomSite,
  ROBOTS_URL,
  randomOf,
  randomSites,
  seededClient,
  settle,
} from "./random-site.ts";

const SITES = fuzzFactor > 1 ? 50_000 : 5000;
/** Number of orders of responses for the tree. The stream has one order of its own. */
const ORDERS = 2;

/** The facts of a node that the model also has. */
function modelNode(node: Sitemap): ModelNode {
  const { url, requestedUrl, lastModified } = node;
  return {
    kind: node.kind,
    url,
    ...(requestedUrl !== undefined && { requestedUrl }),
    ...(node.kind === "invalid" && { code: node.code }),
    ...(lastModified !== undefined && { lastmod: lastModified.text }),
    pages: [...node.pages].map((page) => page.url),
    children: node.subSitemaps.map(modelNode),
  };
}

function optionsOf({ options, filterSeed }: RandomSite, order: number): Omit<TreeOptions, "client"> {
  const { keep, keepList, depth, redirects } = options;
  let calls = 0;
  /** Every other filter answers later, after some turns of the event loop. */
  const later = <T>(value: T): T | Promise<T> => {
    const turns = Math.floor(8 * randomOf(order, `${filterSeed} ${calls++}`));
    const wait = async (): Promise<T> => {
      for (let turn = 0; turn < turns; turn++) await settle();
      return value;
    };
    return turns % 2 === 0 ? value : wait();
  };
  return {
    useKnownPaths: false,
    extraKnownPaths: KNOWN_PATHS,
    useHomepageLinks: false,
    concurrency: [1, 4, 16][order % 3]!,
    limits: { depth, redirects, retries: 0, places: Number.POSITIVE_INFINITY },
    ...(keep && { recurseCallback: (url, level, parents) => later(keep(url, level, parents)) }),
    ...(keepList && { recurseListCallback: (urls, level, parents) => later(keepList(urls, level, parents)) }),
  };
}

/** The pages of each document, by its URL. */
function pagesByDocument(nodes: readonly ModelNode[], found: Map<string, readonly string[]> = new Map()) {
  for (const { url, pages, children } of nodes) {
    if (pages.length > 0) found.set(url, pages);
    pagesByDocument(children, found);
  }
  return found;
}

/** The comparison of vitest takes many times as long, so it is used only for differences. */
function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

/** Compares tree and stream with the model. False if the tree is too large to compare. */
async function compare(random: RandomSite, start: WalkStart, modelStart: ModelStart): Promise<boolean> {
  const { site, options } = random;
  let expected: ModelNode[];
  try {
    expected = modelTree(site, modelStart, options);
  } catch (error) {
    if (error instanceof TooLarge) return false;
    throw error;
  }
  for (let order = 0; order < ORDERS; order++) {
    const { client, requested } = seededClient(site, order + random.filterSeed);
    const tree = await siteTree(start, { ...optionsOf(random, order), client });
    expectEqual(tree.subSitemaps.map(modelNode), expected);
    expectEqual(requested, [...new Set(requested)]);
  }
  const streamed = new Map<string, string[]>();
  const { client, requested } = seededClient(site, random.filterSeed + ORDERS);
  for await (const event of walkSitemaps(start, { ...optionsOf(random, ORDERS), client })) {
    if (event.kind !== "page") continue;
    streamed.set(event.sitemapUrl, [...(streamed.get(event.sitemapUrl) ?? []), event.page.url]);
  }
  expectEqual(streamed, pagesByDocument(expected));
  expectEqual(requested, [...new Set(requested)]);
  return true;
}

it(`${SITES} random sites, filters and orders of answers: the tree and the stream are the model's`, async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(randomSites, async (random) => {
      if (await compare(random, HOME, { robotsUrl: ROBOTS_URL })) compared++;
    }),
    { numRuns: SITES, seed },
  );
  expect(compared).toBeGreaterThan(0.9 * SITES);
}, 3_600_000);

it(`${SITES / 5} random starts at given sitemaps: the tree and the stream are the model's`, async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(randomSites, givenSitemaps, async (random, sitemaps) => {
      if (await compare(random, { sitemaps }, { given: sitemaps })) compared++;
    }),
    { numRuns: SITES / 5, seed },
  );
  expect(compared).toBeGreaterThan(0.18 * SITES);
}, 3_600_000);

/** The homepage, or given sitemaps. */
const starts: fc.Arbitrary<WalkStart> = fc.oneof(
  fc.constant(HOME),
  givenSitemaps.map((sitemaps) => ({ sitemaps })),
);

it(`${SITES / 5} random sites cut by limits.places: the same tree in every order of answers`, async () => {
  let cut = 0;
  await fc.assert(
    fc.asyncProperty(randomSites, fc.integer({ min: 1, max: 15 }), starts, async (random, places, start) => {
      const trees = new Set<string>();
      for (let order = 0; order < 4; order++) {
        const options = optionsOf(random, order);
        const { client } = seededClient(random.site, order + random.filterSeed);
        const limits = { ...options.limits, places };
        const tree = await siteTree(start, { ...options, limits, client });
        trees.add(JSON.stringify(tree.subSitemaps.map(modelNode)));
        if (order === 0 && tree.issues.some(({ code }) => code === "limit.places")) cut++;
      }
      expect([...trees]).toHaveLength(1);
    }),
    { numRuns: SITES / 5, seed },
  );
  expect(cut).toBeGreaterThan(SITES / 200);
}, 3_600_000);
