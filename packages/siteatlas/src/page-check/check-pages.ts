/** `checkPages`: requests the pages that a site lists, and yields what is wrong with them. */
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { BOOLEAN, callable, DATE, listOf, oneOf, rule, STRING, wholeNumber } from "../check/rules.ts";
import { readStart, type WalkStart } from "../discover/site-start.ts";
import { createNodeClient } from "../fetch/client/node-client.ts";
import type { Finding } from "../lint/finding.ts";
import { SEVERITIES } from "../lint/lint-site.ts";
import { checkWalk, WALK_OPTIONS } from "../walk/option-rules.ts";
import type { WalkOptions } from "../walk/options.ts";
import { Walk } from "../walk/walk.ts";
import { clientFor } from "../walk/walk-sitemaps.ts";
import type { PageToCheck } from "./checked-page.ts";
import { PageCheck, type PageCheckOptions, pageToCheck } from "./page-check.ts";
import type { PageRule } from "./page-rule.ts";

/** Options of `checkPages`, all optional. */
export interface CheckOptions extends WalkOptions, PageCheckOptions {}

/** Pages that the caller already knows. */
export interface GivenPages {
  /** URLs, or objects with `url`. The pages of a snapshot can be passed. */
  readonly pages: Iterable<string | PageToCheck> | AsyncIterable<string | PageToCheck>;
}

/** The homepage of a site, URLs of sitemaps, or pages. */
export type CheckStart = WalkStart | GivenPages;

const RULE = rule<PageRule>(
  "a rule from definePageRule",
  (value) => typeof value === "object" && value !== null && typeof (value as PageRule).id === "string",
);

const OWN_OPTIONS: OptionRules<PageCheckOptions> = {
  rules: listOf(RULE, "an array of rules"),
  severities: SEVERITIES,
  ignore: callable(),
  sample: wholeNumber(1),
  stratify: oneOf("sitemap", "path"),
  headersOnly: BOOLEAN,
  maxChecks: wholeNumber(1),
  state: STRING,
  onProgress: callable(),
  now: DATE,
};

const CHECK_OPTIONS: OptionRules<CheckOptions> = { ...WALK_OPTIONS, ...OWN_OPTIONS };

/**
 * Requests the pages that a site lists, and yields what is wrong with them: pages that do not exist, redirect, forbid
 * indexing, or name another canonical URL. Yields one finding per rule and page, as soon as the page was checked. Pages
 * that robots.txt disallows are not requested. Several requests run at the same time (`concurrency`, 2 by default).
 *
 * @example
 * for await (const { rule, severity, url } of checkPages("https://example.com/", { sample: 500 })) {
 *   console.log(severity, rule, url);
 * }
 *
 * @param start a homepage, `{ sitemaps: [url, …] }`, or `{ pages: [url, …] }`
 */
export function checkPages(start: CheckStart, options: CheckOptions = {}): AsyncGenerator<Finding> {
  checkOptions("checkPages", CHECK_OPTIONS, options);
  const isList = typeof start === "object" && start !== null && "pages" in start;
  if (isList) return checkGiven(start, options);
  checkWalk("checkPages", start, walkPart(options));
  return checkSite(start, options);
}

async function* checkSite(start: WalkStart, options: CheckOptions): AsyncGenerator<Finding> {
  const walkOptions = walkPart(options);
  const site = checkWalk("checkPages", start, walkOptions);
  const check = await PageCheck.create(options);
  const { client, close } = clientFor(site, options);
  try {
    const walk = new Walk(site, walkOptions, client);
    for await (const steps of walk.run()) {
      for (const step of steps) {
        if (step.kind !== "pages") continue;
        for (const page of step.pages) {
          const busy = check.add(pageToCheck(page, step.sitemapUrl));
          if (busy !== undefined) await busy;
        }
      }
      options.signal?.throwIfAborted();
    }
    yield* check.run(walk, options);
  } finally {
    await close();
    await check.close();
  }
}

async function* checkGiven({ pages }: GivenPages, options: CheckOptions): AsyncGenerator<Finding> {
  const check = await PageCheck.create(options);
  try {
    for await (const given of pages) {
      const page = typeof given === "string" ? { url: given } : given;
      await check.add(readPage(page));
    }
    yield* checkList(check, options);
  } finally {
    await check.close();
  }
}

/** Checks pages that do not come from a walk. Private addresses need `allow` or `allowPrivateNetworks`. */
export async function* checkList(check: PageCheck, options: CheckOptions): AsyncGenerator<Finding> {
  if (check.firstUrl === undefined) return;
  const { proxy, ca, allowPrivateNetworks, allow } = options;
  const own =
    options.client === undefined ? createNodeClient({ proxy, ca, allowPrivateNetworks, allow }) : undefined;
  const site = readStart(new URL("/", check.firstUrl), { normalize: true });
  const walkOptions = { ...walkPart(options), ...(own !== undefined && { client: own }) };
  const { client } = clientFor(site, walkOptions);
  const walk = new Walk(site, walkOptions, client);
  try {
    yield* check.run(walk, options);
  } finally {
    walk.close();
    await own?.close();
  }
}

/** @throws {TypeError} if it is not a page with an absolute URL */
function readPage({ url, lastModified }: PageToCheck): PageToCheck {
  if (typeof url !== "string" || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new TypeError(
      "checkPages: each page must be an absolute http or https URL, or an object with such a url",
    );
  const target = new URL(url);
  target.hash = "";
  target.username = "";
  target.password = "";
  return { url: target.href, ...(typeof lastModified === "string" && { lastModified }) };
}

/** The options of the walk. */
function walkPart(options: CheckOptions): WalkOptions {
  const own = new Set(Object.keys(OWN_OPTIONS));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !own.has(name)));
}
