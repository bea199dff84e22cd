/** Creates rules that judge one page at a time. */
import type { RuleText } from "../../lint/rule.ts";
import type { CheckedPage } from "../checked-page.ts";
import type { PageRule } from "../page-rule.ts";

/** What is special about a page that has the problem. */
type Detail = string;

/**
 * A rule that judges each page alone.
 *
 * @param find returns a detail in lower case if the page has the problem. Undefined if it has not
 */
export function pageProblem(
  texts: Omit<RuleText, "counts">,
  find: (page: CheckedPage, now: Date) => Detail | undefined,
): PageRule {
  return {
    ...texts,
    counts: "page",
    listen: ({ report, now }) => ({
      page: (page) => {
        const detail = find(page, now);
        if (detail !== undefined) report({ detail });
      },
    }),
  };
}
