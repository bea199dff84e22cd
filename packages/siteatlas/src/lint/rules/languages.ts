/** Rules about links to other languages: hreflang. */
import type { Alternate } from "../../model/model.ts";
import { pageKey } from "../../page-list/page-key.ts";
import type { LintRule } from "../rule.ts";
import { ReturnLinks } from "../site/return-links.ts";
import { GOOGLE_HREFLANG } from "./sources.ts";

/** language, language-region, language-script or language-script-region. */
const TAG = /^[a-z]{2}(?:-[a-z]{4})?(?:-[a-z]{2})?$/i;
/** Regions that are not countries of ISO 3166: the code of the United Kingdom is GB. */
const WRONG_REGIONS: ReadonlySet<string> = new Set(["UK", "EU"]);
/** Codes of countries that people write instead of a language: the language of Japan is ja. */
const WRONG_LANGUAGES: ReadonlySet<string> = new Set(["jp", "cn", "dk", "cz", "gr", "ua", "us"]);

function languagesOf(alternates: readonly Alternate[] | undefined): readonly Alternate[] {
  return alternates?.filter(({ language }) => language !== undefined) ?? [];
}

/** Whether two URLs differ at most in the spelling of percent escapes: `/~a` and `/%7Ea`. */
function isSamePage(a: string, b: string): boolean {
  return a === b || pageKey(a) === pageKey(b);
}

function wrongTag({ language = "", languageText = language }: Alternate): string | undefined {
  if (language === "x-default") return undefined;
  const [first = "", ...rest] = language.split("-");
  const region = rest.at(-1)?.toUpperCase() ?? "";
  const isWrong =
    !TAG.test(language) || WRONG_LANGUAGES.has(first.toLowerCase()) || WRONG_REGIONS.has(region);
  return isWrong ? languageText : undefined;
}

export const languageRules: readonly LintRule[] = [
  {
    id: "hreflang.no-self",
    severity: "error",
    message: "The language links of a page do not include the page itself",
    why: "Each version must list all versions including itself. Google may ignore the links otherwise.",
    fix: "Add an <xhtml:link> with the language and the URL of the page itself.",
    source: GOOGLE_HREFLANG,
    counts: "page",
    listen: ({ report }) => ({
      only: "alternates",
      page: ({ alternates, url, urlText }) => {
        if (alternates === undefined) return;
        const links = languagesOf(alternates);
        if (links.length > 0 && !links.some((link) => isSamePage(link.url, url)))
          report({ value: url, find: urlText ?? url });
      },
    }),
  },
  {
    id: "hreflang.bad-code",
    severity: "error",
    message: "A language link has an unknown language or region",
    why: "Google ignores a link whose hreflang it cannot read.",
    fix: "Write an ISO 639-1 language, and optionally an ISO 3166-1 region: en, en-GB, zh-Hant.",
    source: GOOGLE_HREFLANG,
    counts: "page",
    listen: ({ report }) => ({
      only: "alternates",
      page: ({ alternates }) => {
        if (alternates === undefined) return;
        for (const link of languagesOf(alternates)) {
          const wrong = wrongTag(link);
          if (wrong !== undefined) report({ value: wrong, find: `hreflang="${wrong}"`, detail: link.url });
        }
      },
    }),
  },
  {
    id: "hreflang.conflict",
    severity: "error",
    message: "A page has two URLs for the same language",
    why: "Google cannot know which URL is right, and may ignore both.",
    fix: "Keep one URL per language.",
    source: GOOGLE_HREFLANG,
    counts: "page",
    listen: ({ report }) => ({
      only: "alternates",
      page: ({ alternates }) => {
        if (alternates === undefined || alternates.length < 2) return;
        const urls = new Map<string, string>();
        for (const { language, url, media } of alternates) {
          if (language === undefined || media !== undefined) continue;
          const before = urls.get(language);
          if (before !== undefined && !isSamePage(before, url))
            report({ value: url, detail: `${language} is also ${before}` });
          urls.set(language, url);
        }
      },
    }),
  },
  {
    id: "hreflang.no-x-default",
    severity: "info",
    isOff: true,
    message: "The language links of a page have no x-default",
    why: "x-default is the page for all other languages. It is optional.",
    fix: 'Add an <xhtml:link> with hreflang="x-default".',
    source: GOOGLE_HREFLANG,
    counts: "page",
    listen: ({ report }) => ({
      only: "alternates",
      page: ({ alternates, url, urlText }) => {
        if (alternates === undefined) return;
        const links = languagesOf(alternates);
        const hasDefault = links.some(({ language }) => language === "x-default");
        if (links.length > 1 && !hasDefault) report({ value: url, find: urlText ?? url });
      },
    }),
  },
  {
    id: "hreflang.no-return",
    severity: "error",
    message: "A language link has no return link",
    why: "If page A links to B, B must link to A. Google ignores links that only one side has.",
    fix: "List the same set of language links at each version of the page.",
    source: GOOGLE_HREFLANG,
    counts: "page",
    listen: ({ report, site }) => {
      const links = new ReturnLinks();
      return {
        only: "alternates",
        page: ({ alternates, url }, sitemapUrl) => {
          if (alternates === undefined) return;
          for (const { language, url: other } of alternates) {
            // x-default is often a page for the choice of a language, which links to no other page.
            if (language === undefined || language === "x-default" || isSamePage(other, url)) continue;
            links.add(url, other, sitemapUrl);
          }
        },
        end: () => {
          for (const { from, to, sitemapUrl } of links.oneWay) {
            // If the other page is in no sitemap, its HTML may have the return link. hreflang.unlisted reports it.
            if (site.urls.look(to) === "same")
              report({ value: to, detail: `${from} links to it` }, sitemapUrl);
          }
        },
      };
    },
  },
  {
    id: "hreflang.unlisted",
    severity: "info",
    isOff: true,
    message: "A language link leads to a page that no sitemap lists",
    why: "Each version of a page needs its own <url> with the same links.",
    fix: "Add a <url> for the other page.",
    source: GOOGLE_HREFLANG,
    counts: "page",
    listen: ({ report, site }) => {
      const links = new ReturnLinks();
      return {
        only: "alternates",
        page: ({ alternates, url }, sitemapUrl) => {
          for (const { language, url: other } of alternates ?? []) {
            if (language !== undefined && other !== url) links.add(url, other, sitemapUrl);
          }
        },
        end: () => {
          for (const { to, from, sitemapUrl } of links.oneWay) {
            if (site.urls.look(to) === "new")
              report({ value: to, detail: `${from} links to it` }, sitemapUrl);
          }
        },
      };
    },
  },
];
