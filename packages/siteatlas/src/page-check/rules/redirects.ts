/** Rules about redirects of pages. */
import { GOOGLE_BUILD, GOOGLE_HTTP, GOOGLE_REDIRECTS } from "../../lint/rules/sources.ts";
import { type CheckedPage, finalUrl } from "../checked-page.ts";
import type { PageRule } from "../page-rule.ts";
import { pageProblem } from "./page-problem.ts";

const PERMANENT: ReadonlySet<number> = new Set([301, 308]);
/** Maximum number of redirects that Google follows. */
const MAX_HOPS = 10;

/** The redirects of a page that ended at a response. Undefined if there are none, and if they did not end. */
function redirectsOf({ redirects, code }: CheckedPage): CheckedPage["redirects"] | undefined {
  return redirects.length === 0 || code?.startsWith("http.redirect") || code === "http.too-many-redirects"
    ? undefined
    : redirects;
}

function target(page: CheckedPage): string {
  return `redirects to ${finalUrl(page)}`;
}

/** The host without `www.`. */
function nameOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, "");
}

export const redirectRules: readonly PageRule[] = [
  pageProblem(
    {
      id: "page.redirect",
      severity: "warning",
      message: "A listed page redirects permanently",
      why: "A sitemap lists the URLs that should appear in search results. A URL that redirects does not.",
      fix: "List the target of the redirect.",
      source: GOOGLE_BUILD,
    },
    (page) => (redirectsOf(page)?.every(({ status }) => PERMANENT.has(status)) ? target(page) : undefined),
  ),
  pageProblem(
    {
      id: "page.redirect-temporary",
      severity: "warning",
      message: "A listed page redirects temporarily",
      why: "Search engines do not know which of the two URLs they should show.",
      fix: "List the target, or answer with the page itself. If the page has moved for good, use status 301.",
      source: GOOGLE_REDIRECTS,
    },
    (page) => (redirectsOf(page)?.some(({ status }) => !PERMANENT.has(status)) ? target(page) : undefined),
  ),
  pageProblem(
    {
      id: "page.redirect-chain",
      severity: "warning",
      message: "A listed page redirects more than once",
      why: "Each redirect costs a request, and search engines stop after some of them.",
      fix: "Let the first URL redirect directly to the last one.",
      source: GOOGLE_REDIRECTS,
    },
    (page) => {
      const hops = redirectsOf(page) ?? [];
      return hops.length > 1 ? [page.url, ...hops.map(({ url }) => url)].join(" → ") : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.redirect-loop",
      severity: "error",
      message: "The redirects of a listed page do not end",
      why: "Neither browsers nor search engines can read the page.",
      fix: "Correct the redirects, so that they end at a page.",
      source: GOOGLE_HTTP,
    },
    ({ code, reason = "", redirects }) =>
      code === "http.redirect-loop" || code === "http.too-many-redirects" || redirects.length > MAX_HOPS
        ? reason || `${redirects.length} redirects`
        : undefined,
  ),
  pageProblem(
    {
      id: "page.redirect-broken",
      severity: "error",
      message: "A listed page redirects to something that is not a page",
      why: "Neither browsers nor search engines can follow the redirect.",
      fix: "Correct the header Location.",
      source: GOOGLE_HTTP,
    },
    ({ code, reason = "" }) =>
      code === "http.bad-redirect" || code === "http.redirect-scheme" ? reason : undefined,
  ),
  pageProblem(
    {
      id: "page.redirect-home",
      severity: "warning",
      message: "A listed page redirects to the homepage",
      why: "Google counts a redirect of a removed page to the homepage as a page that does not exist.",
      fix: "Remove the page from the sitemap. Answer with status 404, or redirect to the page that replaces it.",
      source: GOOGLE_HTTP,
    },
    (page) => {
      if (redirectsOf(page) === undefined) return undefined;
      const [from, to] = [new URL(page.url), new URL(finalUrl(page))];
      const isHome = (url: URL): boolean => url.pathname === "/" && url.search === "";
      return isHome(to) && !isHome(from) && nameOf(from) === nameOf(to) ? target(page) : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.redirect-host",
      severity: "warning",
      message: "A listed page redirects to another site",
      why: "The page does not belong to the site of the sitemap any more.",
      fix: "Remove the page from the sitemap.",
      source: GOOGLE_BUILD,
    },
    (page) => {
      if (redirectsOf(page) === undefined) return undefined;
      return nameOf(new URL(page.url)) === nameOf(new URL(finalUrl(page))) ? undefined : target(page);
    },
  ),
  pageProblem(
    {
      id: "page.redirect-insecure",
      severity: "warning",
      message: "A listed page redirects from https to http",
      why: "The content is sent without encryption. Search engines prefer https.",
      fix: "Redirect to the https URL.",
      source: GOOGLE_REDIRECTS,
    },
    (page) =>
      page.url.startsWith("https:") && redirectsOf(page)?.some(({ url }) => url.startsWith("http:"))
        ? target(page)
        : undefined,
  ),
  pageProblem(
    {
      id: "page.redirect-login",
      severity: "warning",
      message: "A listed page redirects to a login",
      why: "Search engines have no login. They see the login page instead of the content.",
      fix: "Remove the page from the sitemap, or show its content without a login.",
      source: GOOGLE_HTTP,
    },
    (page) => {
      if (redirectsOf(page) === undefined) return undefined;
      const isLogin = /\/(?:log-?in|sign-?in|auth|sso|account\/login|wp-login\.php)(?:[/.?]|$)/i;
      return isLogin.test(finalUrl(page)) && !isLogin.test(page.url) ? target(page) : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.meta-refresh",
      severity: "warning",
      message: 'A listed page sends visitors to another page with <meta http-equiv="refresh">',
      why: "Search engines treat it like a redirect, so the listed page is not the one that they show.",
      fix: "List the target, and use a redirect of the server.",
      source: GOOGLE_REDIRECTS,
    },
    ({ html }) => (/;\s*url\s*=/i.test(html?.refresh ?? "") ? html!.refresh : undefined),
  ),
];
