/** Rules about the language of a page and its links to other languages. */
import { GOOGLE_HREFLANG } from "../../lint/rules/sources.ts";
import { type CheckedPage, isAlive, type LanguageLink } from "../checked-page.ts";
import type { PageRule } from "../page-rule.ts";
import { pageProblem } from "./page-problem.ts";

/** Maximum number of language links that are compared with those of other pages. */
const MAX_LINKS = 1_000_000;

/** The links of the HTML as a text that can be compared. */
function listOf(links: readonly LanguageLink[]): ReadonlySet<string> {
  return new Set(links.map(({ language, url }) => `${language} ${url}`));
}

/** The language links of a page. Undefined if they are not known: the page is not HTML, or its head was not read. */
function linksOf({ html }: CheckedPage): readonly LanguageLink[] | undefined {
  return html?.cutIn === "head" ? undefined : html?.alternates;
}

/** The language that the sitemap declares for the page itself. */
function declaredLanguage({ alternates = [], url }: CheckedPage): string | undefined {
  return alternates.find((link) => link.url === url && link.language !== "x-default")?.language;
}

export const languageRules: readonly PageRule[] = [
  pageProblem(
    {
      id: "page.hreflang-mismatch",
      severity: "warning",
      message: "The language links of a page differ from those of the sitemap",
      why: "Search engines do not know which of them are right.",
      fix: "Write the links in one place only, or create both from the same data.",
      source: GOOGLE_HREFLANG,
    },
    (page) => {
      const { alternates = [] } = page;
      const links = linksOf(page) ?? [];
      if (alternates.length === 0 || links.length === 0) return undefined;
      const [declared, shown] = [listOf(alternates), listOf(links)];
      const missing = [...declared].find((link) => !shown.has(link));
      if (missing !== undefined) return `the page lacks ${missing}`;
      const added = [...shown].find((link) => !declared.has(link));
      return added === undefined ? undefined : `the sitemap lacks ${added}`;
    },
  ),
  pageProblem(
    {
      id: "page.hreflang-no-self",
      severity: "warning",
      message: "The language links of a page do not include the page itself",
      why: "Each version must list all versions including itself. Google may ignore the links otherwise.",
      fix: "Add a link with the language and the URL of the page itself.",
      source: GOOGLE_HREFLANG,
    },
    (page) => {
      const links = linksOf(page) ?? [];
      if (!isAlive(page) || page.redirects.length > 0 || links.length === 0) return undefined;
      return links.some(({ url }) => url === page.url) ? undefined : `links ${links.length} versions`;
    },
  ),
  {
    id: "page.hreflang-no-return",
    severity: "warning",
    message: "A page links to another language, and that page does not link back",
    why: "Google ignores language links that are not mutual.",
    fix: "Let each version link to all others.",
    source: GOOGLE_HREFLANG,
    counts: "page",
    listen: ({ report }) => {
      const links = new Map<string, readonly string[]>();
      let size = 0;
      return {
        page: (page) => {
          const own = linksOf(page);
          if (!isAlive(page) || page.redirects.length > 0 || own === undefined || size > MAX_LINKS) return;
          const urls = own.map(({ url }) => url).filter((url) => url !== page.url);
          links.set(page.url, urls);
          size += urls.length + 1;
        },
        end: () => {
          for (const [url, targets] of links) {
            const silent = targets.find((target) => links.get(target)?.includes(url) === false);
            if (silent !== undefined) report({ detail: `${silent} does not link back` }, url);
          }
        },
      };
    },
  },
  pageProblem(
    {
      id: "page.hreflang-language",
      severity: "warning",
      message: "A listed page names itself in a language that its <html lang> contradicts",
      why: "People who search in this language may get a page in another one.",
      fix: "Correct the hreflang, or the attribute lang.",
      source: GOOGLE_HREFLANG,
    },
    (page) => {
      const own = page.html?.alternates.find(
        ({ url, language }) => url === page.url && language !== "x-default",
      );
      const shown = page.html?.language?.toLowerCase();
      if (own === undefined || shown === undefined) return undefined;
      return baseOf(own.language) === baseOf(shown) ? undefined : `hreflang ${own.language}, lang ${shown}`;
    },
  ),
  pageProblem(
    {
      id: "page.language",
      severity: "info",
      message: "The language of a page differs from the language in the sitemap",
      why: "People who search in this language may get a page in another one.",
      fix: "Correct the hreflang of the sitemap, or the attribute lang of the page.",
      source: GOOGLE_HREFLANG,
    },
    (page) => {
      const declared = declaredLanguage(page);
      const shown = page.html?.language?.toLowerCase();
      if (declared === undefined || shown === undefined || baseOf(declared) === baseOf(shown))
        return undefined;
      return `hreflang ${declared}, lang ${shown}`;
    },
  ),
];

/** The language without script and region: `de` of `de-AT`. */
function baseOf(language: string): string {
  return language.split(/[-_]/, 1)[0]!;
}
