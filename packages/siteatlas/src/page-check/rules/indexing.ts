/** Rules about what a page tells crawlers: noindex and canonical URLs. */
import { CANONICAL_OTHER, NOINDEX, otherCanonical } from "../../lint/rules/pages.ts";
import { GOOGLE_CANONICAL, GOOGLE_NOINDEX, GOOGLE_ROBOTS_META } from "../../lint/rules/sources.ts";
import { forbidsIndexing } from "../../model/robots-tag.ts";
import { type CheckedPage, finalUrl, isAlive } from "../checked-page.ts";
import type { PageRule } from "../page-rule.ts";
import { pageProblem } from "./page-problem.ts";

/** Maximum number of pages whose canonical URLs are compared with the results of other pages. */
const MAX_COMPARED = 100_000;

/** The canonical URL: of the HTML, or of the header Link. */
function canonicalOf({ html, canonicalHeader }: CheckedPage): string | undefined {
  return html?.canonicals[0] ?? canonicalHeader;
}

/** Evidence for noindex: the text of `<meta name="robots">` if it forbids indexing, otherwise `<meta name="googlebot">`. */
function noindexText(robots = ""): string {
  return /\b(?:noindex|none)\b/i.test(robots) ? `robots: ${robots}` : "googlebot: noindex";
}

/** The canonical URL of a page that did not redirect, if it is another URL. */
function otherUrl(page: CheckedPage): string | undefined {
  if (!isAlive(page) || page.redirects.length > 0) return undefined;
  return otherCanonical({ canonical: canonicalOf(page) }, page.url);
}

export const indexingRules: readonly PageRule[] = [
  pageProblem(NOINDEX, ({ html }) => (html?.isNoindex ? noindexText(html.robots) : undefined)),
  pageProblem(
    {
      id: "page.noindex-header",
      severity: "error",
      message: "The header X-Robots-Tag forbids indexing of a listed page",
      why: "The sitemap asks search engines to index the page, and the server forbids it.",
      fix: "Remove the page from the sitemap, or remove the header.",
      source: GOOGLE_NOINDEX,
    },
    ({ robotsTag = "" }) => (forbidsIndexing(robotsTag, "googlebot") ? robotsTag : undefined),
  ),
  pageProblem(
    {
      id: "page.nofollow",
      severity: "info",
      isOff: true,
      message: "A listed page tells crawlers not to follow its links",
      why: "Search engines do not find other pages through this page.",
      fix: "Remove nofollow if it is not intended.",
      source: GOOGLE_ROBOTS_META,
    },
    ({ html }) => (/\b(?:nofollow|none)\b/i.test(html?.robots ?? "") ? html!.robots : undefined),
  ),
  pageProblem(
    {
      id: "page.unavailable-after",
      severity: "error",
      message: "The date of unavailable_after of a listed page has passed",
      why: "Search engines no longer show the page after this date.",
      fix: "Remove the page from the sitemap, or correct the date.",
      source: GOOGLE_ROBOTS_META,
    },
    ({ html, robotsTag = "" }, now) => {
      const pattern = /unavailable_after:\s*([^,]+(?:,\s*\d{1,2}\s[^,]+)?)/i;
      const [, date = ""] = pattern.exec(`${html?.robots ?? ""},${robotsTag}`) ?? [];
      const time = Date.parse(date);
      return time < now.getTime() ? `unavailable_after: ${date.trim()}` : undefined;
    },
  ),
  pageProblem(CANONICAL_OTHER, (page) => {
    const other = otherUrl(page);
    return other === undefined ? undefined : `its canonical URL is ${other}`;
  }),
  pageProblem(
    {
      id: "page.canonical-host",
      severity: "warning",
      message: "The canonical URL of a listed page has another scheme or host",
      why: "Search engines show the other host instead of this one. Often it is the address of a test system.",
      fix: 'Correct the host in <link rel="canonical">.',
      source: GOOGLE_CANONICAL,
    },
    (page) => {
      const other = otherUrl(page);
      if (other === undefined || new URL(other).origin === new URL(page.url).origin) return undefined;
      return `its canonical URL is ${other}`;
    },
  ),
  pageProblem(
    {
      id: "page.canonical-relative",
      severity: "info",
      message: "The canonical URL of a listed page is relative",
      why: "Google recommends absolute URLs: a relative one points to the wrong place if the page is copied.",
      fix: "Write the canonical URL with scheme and host.",
      source: GOOGLE_CANONICAL,
    },
    ({ html }) => (html?.isCanonicalAbsolute === false ? html.canonical : undefined),
  ),
  pageProblem(
    {
      id: "page.canonical-several",
      severity: "warning",
      message: "A listed page names several canonical URLs",
      why: "Google ignores all of them.",
      fix: "Keep one of them.",
      source: GOOGLE_CANONICAL,
    },
    ({ html, canonicalHeader }) => {
      const urls = new Set([
        ...(html?.canonicals ?? []),
        ...(canonicalHeader === undefined ? [] : [canonicalHeader]),
      ]);
      return urls.size > 1 ? [...urls].join(", ") : undefined;
    },
  ),
  {
    id: "page.canonical-broken",
    severity: "error",
    message: "The canonical URL of a listed page does not exist or redirects",
    why: "Search engines cannot index the URL that the page names, and may ignore it.",
    fix: "Correct the canonical URL.",
    source: GOOGLE_CANONICAL,
    counts: "page",
    listen: ({ report }) => {
      const canonicals = new Map<string, string>();
      const broken = new Map<string, string>();
      return {
        page: (page) => {
          const other = otherUrl(page);
          if (other !== undefined && canonicals.size < MAX_COMPARED) canonicals.set(page.url, other);
          const isBroken = page.outcome === "answered" && (!isAlive(page) || page.redirects.length > 0);
          if (!isBroken || broken.size >= MAX_COMPARED) return;
          const what =
            page.redirects.length > 0 ? `redirects to ${finalUrl(page)}` : `has status ${page.status}`;
          broken.set(page.url, what);
        },
        end: () => {
          for (const [url, canonical] of canonicals) {
            const what = broken.get(canonical);
            if (what !== undefined) report({ detail: `${canonical} ${what}` }, url);
          }
        },
      };
    },
  },
];
