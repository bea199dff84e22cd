/** Rules of Google's extension for news. */
import type { NewsArticle, Page } from "../../model/model.ts";
import type { LintRule, RuleContext } from "../rule.ts";
import { GOOGLE_NEWS } from "./sources.ts";

const MAX_ARTICLES = 1000;
const TWO_DAYS = 2 * 24 * 60 * 60 * 1000;
/** ISO 639 codes have two or three letters. Google also allows zh-cn and zh-tw. */
const LANGUAGE = /^(?:[a-z]{2,3}|zh-cn|zh-tw)$/i;

interface NewsRow extends Pick<LintRule, "id" | "severity" | "message" | "why" | "fix"> {
  readonly isOff?: true;
  /** Returns the value that violates the rule, or true. */
  readonly find: (news: NewsArticle, now: Date) => string | boolean | undefined;
}

function newsRule({ find, ...row }: NewsRow): LintRule {
  const listen = ({ report, site }: RuleContext) => ({
    only: "news" as const,
    page: ({ news, url, urlText }: Page): void => {
      const found = news === undefined ? undefined : find(news, site.now);
      if (found === undefined || found === false) return;
      report({ value: found === true ? url : found, find: urlText ?? url });
    },
  });
  return { ...row, source: GOOGLE_NEWS, counts: "page", listen };
}

export const newsRules: readonly LintRule[] = [
  newsRule({
    id: "news.missing-name",
    severity: "error",
    message: "A news entry has no publication name",
    why: "Google News requires <news:name>.",
    fix: "Add the name of the publication, as it appears on news.google.com.",
    find: ({ publicationName }) => publicationName === undefined,
  }),
  newsRule({
    id: "news.missing-language",
    severity: "error",
    message: "A news entry has no language",
    why: "Google News requires <news:language>.",
    fix: "Add the language of the publication, such as en.",
    find: ({ language }) => language === undefined,
  }),
  newsRule({
    id: "news.language",
    severity: "warning",
    message: "The language of a news entry is not an ISO 639 code",
    why: "Google News ignores a language that it does not know.",
    fix: "Write two or three letters, such as en. For Chinese, write zh-cn or zh-tw.",
    find: ({ language }) => (language === undefined || LANGUAGE.test(language) ? undefined : language),
  }),
  newsRule({
    id: "news.old",
    severity: "warning",
    message: "An article in a news sitemap is older than two days",
    why: "Google News reads only articles of the last two days. Older ones make the file larger.",
    fix: "Remove articles after two days, or remove their <news:news>.",
    find: ({ published }, now) => {
      const date = published?.value;
      return date !== undefined && now.getTime() - date.getTime() > TWO_DAYS ? published!.text : undefined;
    },
  }),
  newsRule({
    id: "news.deprecated-tag",
    severity: "info",
    message: "A news entry has tags that Google does not use any more",
    why: "Google ignores access, genres, keywords and stock_tickers.",
    fix: "Remove these tags.",
    find: ({ access, genres, keywords, stockTickers }) =>
      access !== undefined || genres.length + keywords.length + stockTickers.length > 0,
  }),
  {
    id: "news.too-many",
    severity: "error",
    message: "A news sitemap has more than 1,000 articles",
    why: "Google News reads at most 1,000 articles per sitemap.",
    fix: "Split the sitemap, or remove articles older than two days.",
    source: GOOGLE_NEWS,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ stats: { news } }) => {
        if (news > MAX_ARTICLES) report({ detail: `${news} articles` });
      },
    }),
  },
  {
    id: "news.multiple",
    severity: "error",
    message: "An entry has several <news:news> blocks",
    why: "A page is one article. Which block counts is not defined.",
    fix: "Keep one <news:news> per <url>.",
    source: GOOGLE_NEWS,
    counts: "page",
    listen: ({ report }) => ({
      sitemap: ({ head }) => {
        if (!head.includes("<news:news")) return;
        for (const entry of head.split("</url>")) {
          const second = entry.indexOf("<news:news", entry.indexOf("<news:news") + 1);
          if (second >= 0) report({ value: /<loc>\s*([^<\s]+)/.exec(entry)?.[1] });
        }
      },
    }),
  },
];
