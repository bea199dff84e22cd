/** Rules about the URL of a page. */
import type { RobotsTxt } from "../../parse/robots/robots.ts";
import type { LintRule } from "../rule.ts";
import {
  GOOGLE_BUILD,
  GOOGLE_ROBOTS,
  GOOGLE_URLS,
  SM_ESCAPING,
  SM_FAQ,
  SM_INDEX,
  SM_LOCATION,
} from "./sources.ts";

const SESSION = /[?&;](?:jsessionid|phpsessid|sessionid|session_id|sid|aspsessionid\w*|cfid|cftoken)=/i;
const TRACKING = /[?&](?:utm_[a-z]+|gclid|dclid|fbclid|msclkid|yclid|mc_cid|mc_eid|_hsenc)=/i;
const FILE =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|css|m?js|json|zip|gz|mp[34]|webm|woff2?|docx?|xlsx?|pptx?|pdf)(?:\?|$)/i;
const SITEMAP_FILE = /\/[^/?]*sitemap[^/?]*\.(?:xml|xml\.gz|txt)$/i;
/** Characters that RFC 3986 does not allow in a URL. A space has its own rule. */
const UNESCAPED = /[^\x20-\x7e]|["<>^`{|}]/;

export const urlRules: readonly LintRule[] = [
  {
    id: "url.session-id",
    severity: "warning",
    message: "A URL has a session ID",
    why: "Each visit creates another URL for the same page, so search engines index copies of it.",
    fix: "Remove the session ID from the URL.",
    source: SM_FAQ,
    counts: "page",
    listen: ({ report }) => ({
      only: "parameters",
      page: ({ url, urlText }) => {
        if (SESSION.test(url)) report({ value: url, find: urlText ?? url });
      },
    }),
  },
  {
    id: "url.tracking",
    severity: "warning",
    message: "A URL has a tracking parameter",
    why: "The URL is a copy of the same page without the parameter. Visits from search count as visits of a campaign.",
    fix: "List the URL without utm_source, gclid and similar parameters.",
    source: GOOGLE_URLS,
    counts: "page",
    listen: ({ report }) => ({
      only: "parameters",
      page: ({ url, urlText }) => {
        if (TRACKING.test(url)) report({ value: url, find: urlText ?? url });
      },
    }),
  },
  {
    id: "url.not-escaped",
    severity: "warning",
    message: "A URL has characters that are not percent-encoded",
    why: "The protocol requires URLs that follow RFC 3986. Crawlers may request a different URL.",
    fix: "Percent-encode the characters as UTF-8, such as %C3%BC for ü.",
    source: SM_ESCAPING,
    counts: "page",
    listen: ({ report }) => ({
      only: "urlText",
      page: ({ urlText }) => {
        if (urlText !== undefined && UNESCAPED.test(urlText)) report({ value: urlText });
      },
    }),
  },
  {
    id: "url.file",
    severity: "info",
    isOff: true,
    message: "A file is listed as a page, such as an image, a PDF or a script",
    why: "Search engines index web pages and PDF files, but not style sheets and scripts.",
    fix: "List web pages. Images and videos belong into <image:image> and <video:video>.",
    source: GOOGLE_BUILD,
    counts: "page",
    listen: ({ report }) => ({
      page: ({ url, urlText }) => {
        if (FILE.test(url)) report({ value: url, find: urlText ?? url });
      },
    }),
  },
  {
    id: "url.sitemap-as-page",
    severity: "warning",
    message: "A sitemap is listed as a page",
    why: "Search engines treat it as a page and do not read the pages that it lists.",
    fix: "List sitemaps in an index with <sitemapindex>, or in robots.txt.",
    source: SM_INDEX,
    counts: "page",
    listen: ({ report }) => ({
      page: ({ url, urlText }, sitemapUrl) => {
        const isFile = url.endsWith(".xml") || url.endsWith(".gz") || url.endsWith(".txt");
        if (isFile && url !== sitemapUrl && SITEMAP_FILE.test(url)) {
          report({ value: url, find: urlText ?? url });
        }
      },
    }),
  },
  {
    id: "url.self",
    severity: "warning",
    message: "A sitemap lists itself as a page",
    why: "A sitemap is not a page, and search engines do not index it.",
    fix: "Remove the entry.",
    source: SM_INDEX,
    counts: "page",
    listen: ({ report }) => ({
      page: ({ url, urlText }, sitemapUrl) => {
        if (url === sitemapUrl) report({ value: url, find: urlText ?? url });
      },
    }),
  },
  {
    id: "url.port-mismatch",
    severity: "error",
    message: "A URL has another port than the sitemap",
    why: "All URLs of a sitemap must have its scheme, host and port. Search engines drop the others.",
    fix: "Use the port of the sitemap. Often the sitemap was built on a development server.",
    source: SM_LOCATION,
    counts: "page",
    listen: ({ report }) => {
      let known = "";
      let prefix = "\n";
      let base = new URL("http://none.invalid/");
      return {
        page: ({ url, urlText }, sitemapUrl) => {
          if (sitemapUrl !== known) {
            known = sitemapUrl;
            base = new URL(sitemapUrl);
            prefix = `${base.origin}/`;
          }
          if (url.startsWith(prefix)) return;
          const { hostname, protocol, port } = new URL(url);
          if (hostname === base.hostname && protocol === base.protocol && port !== base.port) {
            report({ value: url, find: urlText ?? url });
          }
        },
      };
    },
  },
  {
    id: "url.mixed-hosts",
    severity: "warning",
    message: "A sitemap lists URLs of several hosts or schemes",
    why: "All URLs of a sitemap must be from a single host. Often www and the bare domain are mixed.",
    fix: "Use the address that the site redirects to for all URLs.",
    source: SM_LOCATION,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ stats, format }) => {
        const origins = [...stats.origins];
        // Feeds link to other sites by design.
        const isSitemap = format === "xml" || format === "text";
        if (isSitemap && origins.length > 1)
          report({ value: origins[1]!, detail: origins.slice(0, 3).join(", ") });
      },
    }),
  },
  {
    id: "url.robots-disallowed",
    severity: "error",
    message: "A listed page is disallowed by robots.txt",
    why: "The sitemap asks search engines to index the page, and robots.txt forbids to fetch it.",
    fix: "Remove the page from the sitemap, or allow it in robots.txt.",
    source: GOOGLE_ROBOTS,
    counts: "page",
    listen: ({ report, site }) => ({
      page: ({ url, urlText }) => {
        const { robots } = site;
        if (robots === undefined || !hasRules(robots)) return;
        if (url.startsWith(originOf(robots.url)) && !robots.isAllowed(url, "*")) {
          report({ value: url, find: urlText ?? url });
        }
      },
    }),
  },
];

const rulesOf = new WeakMap<object, boolean>();

/** Whether robots.txt disallows anything for all crawlers. */
function hasRules(robots: RobotsTxt): boolean {
  let known = rulesOf.get(robots);
  if (known === undefined) {
    known = robots.groups.some(
      ({ userAgents, rules }) =>
        userAgents.includes("*") && rules.some((rule) => !rule.allow && rule.path !== ""),
    );
    rulesOf.set(robots, known);
  }
  return known;
}

function originOf(url: string): string {
  return url.slice(0, url.indexOf("/", 8) + 1);
}
