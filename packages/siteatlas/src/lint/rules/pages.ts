/** Rules about listed pages. `lint` checks them in a folder, without the network. */
import { parseUrl } from "../../parse/values/parse-url.ts";
import type { HtmlFacts } from "../documents/html-facts.ts";
import type { SiteFolder } from "../documents/site-folder.ts";
import type { LintRule, RuleText } from "../rule.ts";
import { GOOGLE_BUILD, GOOGLE_CANONICAL, GOOGLE_NOINDEX } from "./sources.ts";

/** The facts of a page in the folder. Undefined if it has no HTML file. */
function factsOf(folder: SiteFolder | undefined, url: string): HtmlFacts | undefined {
  const file = folder?.has(url) ? folder.fileOf(url) : undefined;
  return file === undefined ? undefined : folder!.factsOf(file);
}

/** The canonical URL of a page, if it is another page. */
export function otherCanonical({ canonical }: Pick<HtmlFacts, "canonical">, url: string): string | undefined {
  const target = canonical === undefined ? undefined : parseUrl(canonical, url);
  if (target === undefined) return undefined;
  target.hash = "";
  return target.href === url ? undefined : target.href;
}

/** The texts of the rule for pages with noindex, in a folder or on a server. */
export const NOINDEX: RuleText = {
  id: "page.noindex",
  severity: "error",
  message: "A listed page forbids indexing with noindex",
  why: "The sitemap asks search engines to index the page, and the page forbids it.",
  fix: "Remove the page from the sitemap, or remove noindex from the page.",
  source: GOOGLE_NOINDEX,
  counts: "page",
};

/** The texts of the rule for pages with another canonical URL, in a folder or on a server. */
export const CANONICAL_OTHER: RuleText = {
  id: "page.canonical-other",
  severity: "error",
  message: "The canonical URL of a listed page is another URL",
  why: "A sitemap lists canonical URLs. The page says that another URL should be indexed instead.",
  fix: 'List the canonical URL, or correct <link rel="canonical">.',
  source: GOOGLE_CANONICAL,
  counts: "page",
};

export const pageRules: readonly LintRule[] = [
  {
    id: "page.missing-file",
    severity: "error",
    message: "A listed page is not in the folder",
    why: "The server will answer with 404, and search engines report the page as broken.",
    fix: "Remove the page from the sitemap, or build it.",
    source: GOOGLE_BUILD,
    counts: "page",
    listen: ({ report, site: { folder } }) => ({
      page: ({ url, urlText }) => {
        if (folder?.has(url) && folder.hasPages && folder.fileOf(url) === undefined)
          report({ value: url, find: urlText ?? url });
      },
    }),
  },
  {
    id: "page.unlisted",
    severity: "warning",
    message: "An HTML page of the folder is in no sitemap",
    why: "Search engines find the page only if another page links to it.",
    fix: "List the page, or mark it with noindex.",
    source: GOOGLE_BUILD,
    counts: "page",
    listen: ({ report, site }) => ({
      end: () => {
        const { folder, urls } = site;
        if (folder === undefined || site.pageCount === 0) return;
        for (const page of folder.pages()) {
          if (page.urls.some((url) => urls.look(url) !== "new")) continue;
          const facts = folder.factsOf(page.file);
          const isWanted =
            facts?.isNoindex !== true && !page.urls.every((url) => otherCanonical(facts!, url));
          // Each page is a document of its own, so that a baseline knows which pages were unlisted before.
          const [, url] = page.urls;
          if (isWanted) report({ file: page.file, value: url! }, url);
        }
      },
    }),
  },
  {
    ...NOINDEX,
    listen: ({ report, site: { folder } }) => ({
      page: ({ url, urlText }) => {
        if (folder !== undefined && factsOf(folder, url)?.isNoindex)
          report({ value: url, find: urlText ?? url });
      },
    }),
  },
  {
    ...CANONICAL_OTHER,
    listen: ({ report, site: { folder } }) => ({
      page: ({ url, urlText }) => {
        const facts = folder === undefined ? undefined : factsOf(folder, url);
        const other = facts && otherCanonical(facts, url);
        if (other !== undefined)
          report({ value: url, find: urlText ?? url, detail: `its canonical URL is ${other}` });
      },
    }),
  },
];
