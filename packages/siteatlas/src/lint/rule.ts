/** The shape of a lint rule: its texts, and a listener on the events of a walk. */
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { BOOLEAN, callable, oneOf, type Rule, rule, STRING } from "../check/rules.ts";
import type { Severity } from "../model/issue-severity.ts";
import type { Page } from "../model/model.ts";
import type { RobotsTxt } from "../parse/robots/robots.ts";
import type { WalkedSitemap } from "../walk/events/events.ts";
import type { RecordedResponse } from "./documents/response-recorder.ts";
import type { SiteFolder } from "./documents/site-folder.ts";
import type { PageStats } from "./site/page-stats.ts";
import type { Listing, UrlTable } from "./site/url-table.ts";

/** The texts of a rule: what is wrong, why it matters, how to fix it, and who says so. */
export interface RuleText {
  /** The name of the rule, such as `url.session-id`. */
  readonly id: string;
  /** The default severity. `error`: a specification forbids it, or data is lost. `warning`: search engines ignore it. */
  readonly severity: Severity;
  /** Whether the rule is off unless a severity is set for it. @default false */
  readonly isOff?: boolean | undefined;
  /** The problem as one sentence, with a capital letter and without a final period. */
  readonly message: string;
  /** Why it matters: one or two sentences. */
  readonly why: string;
  /** How to fix it: one or two sentences. */
  readonly fix: string;
  /** Address of the specification or documentation that says so. */
  readonly source: string;
  /** What one occurrence is. If it is a page, the result also says which share of all pages has the problem. */
  readonly counts: "page" | "sitemap" | "site";
}

/** A rule of `lintSite`: its texts, and a listener on the events of the walk. */
export interface LintRule extends RuleText {
  /** Creates the listener for one site. Absent if the parser reports the problem under the same code. */
  readonly listen?: ((context: RuleContext) => RuleListener) | undefined;
}

/** A part that only some pages have. `parameters`: the URL contains `?` or `;`. */
export type PagePart = "news" | "images" | "videos" | "alternates" | "pageMap" | "urlText" | "parameters";

/** Receives the events of one walk. All functions are optional. */
export interface RuleListener {
  /** Calls `page` only for pages that have this field, or whose URL has parameters. @default all pages */
  readonly only?: PagePart | undefined;
  /** Called for each page. `report` belongs to the sitemap that lists the page. */
  page?(page: Page, sitemapUrl: string): void;
  /** Called for each listed sitemap after its pages. */
  sitemap?(sitemap: LintedSitemap): void;
  /** Called once, after the walk. */
  end?(): void | Promise<void>;
}

/** What a listener gets when it is created. */
export interface RuleContext {
  /** Reports one occurrence of the problem in the sitemap that is read, or in the given sitemap. */
  report(occurrence?: Occurrence, sitemapUrl?: string): void;
  /** Facts about the site. */
  readonly site: LintedSite;
}

/** One occurrence of a problem. */
export interface Occurrence {
  /** The text that has the problem, such as a URL. */
  readonly value?: string | undefined;
  /** More about this occurrence: lower case, no final period. */
  readonly detail?: string | undefined;
  /** Line in the decoded document, starting at 1. */
  readonly line?: number | undefined;
  /** The text to look for in the document, to find line and column. @default value */
  readonly find?: string | undefined;
  /** Finds value and line in the text of the whole document, if the rule does not know them. @default none */
  readonly search?: ((text: string) => Pick<Occurrence, "value" | "line"> | undefined) | undefined;
  /** Path of the file that has the problem, if it is not the sitemap. */
  readonly file?: string | undefined;
  /** Number of occurrences that this one stands for. @default 1 */
  readonly times?: number | undefined;
}

/** A sitemap whose processing has ended, with facts that only lint collects. */
export interface LintedSitemap extends WalkedSitemap {
  /** Numbers about the pages of this sitemap. */
  readonly stats: PageStats;
  /** The response. Absent if there was none. */
  readonly response: RecordedResponse | undefined;
  /** The first 64 KiB of the decoded document. Empty if it was not kept. */
  readonly head: string;
  /** Whether robots.txt lists this sitemap, or an index above it. */
  readonly isSubmitted: boolean;
}

/** An earlier state of a site. A snapshot that `readSnapshot` has opened can be converted to it. */
export interface PreviousSite {
  /** Number of pages. */
  readonly pageCount: number;
  /** Yields the pages. */
  pages(): AsyncIterable<Pick<Page, "url">>;
}

/** Facts about the site that all rules share. */
export interface LintedSite {
  /** The homepage, or the first sitemap that the caller gave. */
  readonly start: string;
  /** The time at which the lint started. */
  readonly now: Date;
  /** The parsed robots.txt. Undefined until it was read, and if there is none. */
  readonly robots: RobotsTxt | undefined;
  /** The folder that is linted. Undefined if the site is read over the network. */
  readonly folder: SiteFolder | undefined;
  /** The earlier state of the site. Undefined if the caller passed none. */
  readonly previous: PreviousSite | undefined;
  /** Number of all pages. */
  readonly pageCount: number;
  /** The URLs of all pages, as hashes. */
  readonly urls: UrlTable;
  /** Whether the page that is being read was listed before: `same`, `variant` or `new`. */
  readonly listing: Listing;
  /** URL of the sitemap that listed it before. Undefined if it is new. */
  readonly listedIn: string | undefined;
}

const RULE_ID: Rule<string> = rule(
  "a name such as shop.no-price",
  (value) => typeof value === "string" && /^[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(value),
);

/** The texts that every rule must have. */
export const RULE_TEXTS: OptionRules<RuleText> = {
  id: RULE_ID,
  severity: oneOf("error", "warning", "info"),
  isOff: BOOLEAN,
  message: STRING,
  why: STRING,
  fix: STRING,
  source: STRING,
  counts: oneOf("page", "sitemap", "site"),
};

const LINT_RULE: OptionRules<LintRule> = { ...RULE_TEXTS, listen: callable() };

const REQUIRED = ["id", "severity", "message", "why", "fix", "source", "counts"] as const;

/** @throws {TypeError} if a text of the rule, or one of the other properties, is missing */
export function requireAll<R extends RuleText>(
  caller: string,
  given: R,
  ...others: (keyof R & string)[]
): void {
  const missing = [...REQUIRED, ...others].find((name) => given[name] === undefined);
  if (missing !== undefined) throw new TypeError(`${caller}: ${missing} is missing`);
}

/**
 * Checks a rule and returns it. Pass it to `lintSite` as one of `rules`.
 *
 * @example
 * const noDrafts = defineRule({
 *   id: "shop.draft",
 *   severity: "error",
 *   message: "A draft is listed",
 *   why: "Drafts are not public.",
 *   fix: "Remove the page from the sitemap.",
 *   source: "https://wiki.example.com/drafts",
 *   counts: "page",
 *   listen: ({ report }) => ({
 *     page: (page) => {
 *       if (page.url.includes("/draft/")) report({ value: page.url });
 *     },
 *   }),
 * });
 *
 * @throws {TypeError} if a property is missing or has the wrong type
 */
export function defineRule(given: LintRule): LintRule {
  checkOptions("defineRule", LINT_RULE, given);
  requireAll("defineRule", given, "listen");
  return Object.freeze({ ...given });
}
