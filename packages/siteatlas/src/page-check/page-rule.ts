/** The shape of a rule about checked pages. */
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { callable } from "../check/rules.ts";
import { type Occurrence, RULE_TEXTS, type RuleText, requireAll } from "../lint/rule.ts";
import type { CheckedPage } from "./checked-page.ts";

/** A rule of `checkPages`: its texts, and a listener that receives the checked pages. */
export interface PageRule extends RuleText {
  /** Creates the listener for one check. */
  readonly listen: (context: PageRuleContext) => PageListener;
}

/** What the listener of a page rule gets when it is created. */
export interface PageRuleContext {
  /** Reports the problem on the page that is being judged, or on the page with this URL. */
  report(occurrence?: Pick<Occurrence, "value" | "detail">, url?: string): void;
  /** The time at which the check started. */
  readonly now: Date;
}

/** Receives the pages of one check. */
export interface PageListener {
  /** Called for each page after it was checked, in any order. */
  page(page: CheckedPage): void;
  /** Called once, after all pages. */
  end?(): void;
}

const PAGE_RULE: OptionRules<PageRule> = { ...RULE_TEXTS, listen: callable() };

/**
 * Checks a rule about pages and returns it. Pass it to `checkPages` as one of `rules`.
 *
 * @example
 * const noTitle = definePageRule({
 *   id: "shop.no-title",
 *   severity: "warning",
 *   message: "A product page has no title",
 *   why: "The title is what people see in search results.",
 *   fix: "Add a title.",
 *   source: "https://wiki.example.com/titles",
 *   counts: "page",
 *   listen: ({ report }) => ({
 *     page: ({ url, html }) => {
 *       if (url.includes("/product/") && html?.title === undefined) report();
 *     },
 *   }),
 * });
 *
 * @throws {TypeError} if a property is missing or has the wrong type
 */
export function definePageRule(given: PageRule): PageRule {
  checkOptions("definePageRule", PAGE_RULE, given);
  requireAll("definePageRule", given, "listen");
  return Object.freeze({ ...given });
}
