/** Rules about the content of a page. */
import {
  GOOGLE_AMP,
  GOOGLE_CANONICAL,
  GOOGLE_HTTP,
  GOOGLE_LASTMOD_BLOG,
  GOOGLE_MOBILE,
  GOOGLE_TITLES,
} from "../../lint/rules/sources.ts";
import { type CheckedPage, isAlive } from "../checked-page.ts";
import type { PageRule } from "../page-rule.ts";
import { pageProblem } from "./page-problem.ts";

/** A longer page with such a title is an article about error pages. */
const MAX_ERROR_WORDS = 400;
const THIN_WORDS = 50;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Maximum number of pages that are compared with each other. */
const MAX_COMPARED = 200_000;

/** Titles of error pages, in the languages that most sites use. */
const ERROR_TITLE = new RegExp(
  [
    String.raw`^(?:error\s*)?404\b`,
    String.raw`^(?:oops\W+)?(?:sorry\W+)?(?:the |this )?(?:page|content|article|product|file) (?:(?:was |could )?not (?:be )?found|does(?:n.t| not) exist|no longer exists)`,
    "^not found$",
    "seite (?:wurde )?nicht gefunden",
    "page (?:est )?(?:introuvable|non trouvée)",
    "página no encontrada",
    "pagina non trovata",
    "página não encontrada",
    "pagina niet gevonden",
    "страница не найдена",
    "strona nie (?:została )?znaleziona|nie znaleziono strony",
    "sayfa bulunamadı",
    "sidan (?:hittades inte|kunde inte hittas)",
    "ページが見つかりません",
    "页面(?:不存在|未找到)|找不到(?:页面|頁面)",
    "페이지를 찾을 수 없습니다",
  ].join("|"),
  "iu",
);

function errorTitle({ html }: CheckedPage): string | undefined {
  if (html === undefined || html.cutIn !== undefined || html.words > MAX_ERROR_WORDS) return undefined;
  return [html.title, html.heading].find((text) => text !== undefined && ERROR_TITLE.test(text.trim()));
}

/** The difference between lastmod and the date that the page itself shows, in days. */
function dateGap({ lastModified, html }: CheckedPage): number {
  return Math.abs(Date.parse(lastModified ?? "") - Date.parse(html?.modified ?? "")) / DAY_MS;
}

/** A rule about pages that share a value: it names the first page that has the same value. */
function shared(
  texts: Omit<PageRule, "counts" | "listen">,
  sharedText: (page: CheckedPage) => string | undefined,
): PageRule {
  return {
    ...texts,
    counts: "page",
    listen: ({ report }) => {
      const first = new Map<string, string>();
      return {
        page: (page) => {
          const value = isAlive(page) && page.redirects.length === 0 ? sharedText(page) : undefined;
          if (value === undefined) return;
          const other = first.get(value);
          if (other !== undefined) report({ detail: `the same as ${other}` });
          else if (first.size < MAX_COMPARED) first.set(value, page.url);
        },
      };
    },
  };
}

export const contentRules: readonly PageRule[] = [
  pageProblem(
    {
      id: "page.soft-404",
      severity: "warning",
      message: "A listed page looks like an error page, but its status is 200",
      why: "Google removes such pages from its index, and wastes requests on them.",
      fix: "Answer with status 404, and remove the page from the sitemap.",
      source: GOOGLE_HTTP,
    },
    (page) => {
      if (!isAlive(page)) return undefined;
      const title = errorTitle(page);
      if (title !== undefined) return `the title is "${title}"`;
      return page.isErrorPage ? "the server sends the same text for a URL that does not exist" : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.empty",
      severity: "warning",
      message: "A listed page has no text",
      why: "Search engines count an empty page as an error page.",
      fix: "Check whether the page needs JavaScript to show its content. Send at least the main text as HTML.",
      source: GOOGLE_HTTP,
    },
    (page) => {
      if (!isAlive(page)) return undefined;
      if (page.length === 0) return "the response has no body";
      // The rest of a page that was not read completely may have text.
      const isEmpty = page.html?.words === 0 && page.html.cutIn === undefined;
      return isEmpty ? "the HTML has no text" : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.thin",
      severity: "info",
      isOff: true,
      message: "A listed page has fewer than 50 words",
      why: "Search engines rarely show pages with little content.",
      fix: "Add content, or remove the page from the sitemap.",
      source: GOOGLE_HTTP,
    },
    (page) => {
      const isKnown = isAlive(page) && page.html !== undefined && page.html.cutIn === undefined;
      const words = isKnown ? page.html.words : THIN_WORDS;
      return words > 0 && words < THIN_WORDS ? `${words} words` : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.no-title",
      severity: "warning",
      message: "A listed page has no title",
      why: "Search results show the title as the link to the page.",
      fix: "Add a <title> that says what this page is about.",
      source: GOOGLE_TITLES,
    },
    (page) => {
      const { html, code } = page;
      // A title may follow if the response ended early, or if its head is longer than the part that was read.
      const isKnown = isAlive(page) && html !== undefined && code === undefined && html.cutIn !== "head";
      return isKnown && html.title === undefined ? "no <title>" : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.password-field",
      severity: "info",
      message: "A listed page asks for a password",
      why: "It may be a login page. People do not search for login pages.",
      fix: "Remove the page from the sitemap if it is a login page.",
      source: GOOGLE_HTTP,
    },
    (page) => {
      const { asksForPassword, cutIn, words = 0 } = page.html ?? {};
      const isForm = isAlive(page) && asksForPassword && cutIn === undefined && words < MAX_ERROR_WORDS;
      return isForm ? "it has a field for a password" : undefined;
    },
  ),
  pageProblem(
    {
      id: "page.lastmod-mismatch",
      severity: "warning",
      message: "<lastmod> and the date on the page differ by more than a day",
      why: "Google uses <lastmod> only if it is consistently right.",
      fix: "Set <lastmod> to the date of the last significant change of the page.",
      source: GOOGLE_LASTMOD_BLOG,
    },
    (page) =>
      dateGap(page) > 1 && isAlive(page)
        ? `lastmod ${page.lastModified}, page ${page.html!.modified}`
        : undefined,
  ),
  pageProblem(
    {
      id: "page.lastmod-older",
      severity: "info",
      isOff: true,
      message: "The header Last-Modified is more than a day later than <lastmod>",
      why: "The page may have changed after its date in the sitemap. Many servers send the current time instead.",
      fix: "Update <lastmod> if the page has changed.",
      source: GOOGLE_LASTMOD_BLOG,
    },
    ({ lastModified = "", modifiedHeader = "" }) =>
      Date.parse(modifiedHeader) - Date.parse(lastModified) > DAY_MS
        ? `lastmod ${lastModified}, header ${modifiedHeader}`
        : undefined,
  ),
  pageProblem(
    {
      id: "page.amp",
      severity: "info",
      message: "A listed page is an AMP page",
      why: "A sitemap lists canonical pages. Search engines find the AMP version through them.",
      fix: "List the page that the AMP page names as canonical, unless the site has only AMP pages.",
      source: GOOGLE_AMP,
    },
    ({ html }) => (html?.isAmp ? "its <html> has the attribute amp" : undefined),
  ),
  pageProblem(
    {
      id: "page.mobile-host",
      severity: "info",
      message: "A listed page is on a host for mobile devices",
      why: "Search engines expect the URL for desktop devices, which links to the mobile one.",
      fix: "List the URL of the main host.",
      source: GOOGLE_MOBILE,
    },
    ({ url }) => {
      const { hostname } = new URL(url);
      return /^(?:m|mobile|wap)\./.test(hostname) ? `host ${hostname}` : undefined;
    },
  ),
  shared(
    {
      id: "page.duplicate-content",
      severity: "info",
      message: "Two listed pages have the same text",
      why: "Search engines show one of them.",
      fix: "Keep one page, or name one of them as canonical.",
      source: GOOGLE_CANONICAL,
    },
    ({ html, url }) =>
      html !== undefined && html.words > 0 && html.cutIn === undefined && isCanonical(html.canonicals, url)
        ? html.textHash
        : undefined,
  ),
  shared(
    {
      id: "page.duplicate-title",
      severity: "info",
      isOff: true,
      message: "Two listed pages have the same title",
      why: "People cannot tell the pages apart in search results.",
      fix: "Give each page a title of its own.",
      source: GOOGLE_TITLES,
    },
    ({ html }) => html?.title,
  ),
];

/** Whether the page does not name another page as canonical. */
function isCanonical([canonical]: readonly string[], url: string): boolean {
  return canonical === undefined || canonical === url;
}
