/** Rules about tags and bytes at the start of a document: its first 64 KiB. */
import type { LintedSitemap, LintRule } from "../rule.ts";
import { SM_XML, YANDEX_ERRORS } from "./sources.ts";

/** All tags of the protocol. Tags with a prefix belong to an extension. */
const KNOWN: ReadonlySet<string> = new Set([
  "urlset",
  "url",
  "loc",
  "lastmod",
  "changefreq",
  "priority",
  "sitemapindex",
  "sitemap",
]);

const TAG = /<([a-z][\w.-]*)(?=[\s/>])/gi;
const LONG_VALUE = /<(lastmod|changefreq|priority)>([^<]{101,})</g;
/** Extensions may use a default namespace, so that their tags have no prefix. */
const INNER_NAMESPACE = /<(?!urlset|sitemapindex)[^<>]*\sxmlns=/;

function isXmlSitemap({ format, head }: LintedSitemap): boolean {
  return format === "xml" && /<(?:urlset|sitemapindex)[\s>]/.test(head);
}

export const tagRules: readonly LintRule[] = [
  {
    id: "tag.unknown",
    severity: "warning",
    message: "A sitemap has a tag that the protocol does not define",
    why: "Search engines ignore the tag. Yandex reports it as an error.",
    fix: "Correct the name of the tag, or remove it. Tags of extensions need their prefix.",
    source: YANDEX_ERRORS,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const { head } = sitemap;
        if (!isXmlSitemap(sitemap) || INNER_NAMESPACE.test(head)) return;
        const text = head.replace(/<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)/gs, "");
        const unknown = new Set<string>();
        for (const [, name = ""] of text.matchAll(TAG)) {
          // A wrong case has a rule of its own: xml.tag-case.
          if (!KNOWN.has(name.toLowerCase())) unknown.add(name);
        }
        for (const name of unknown) report({ value: name, find: `<${name}` });
      },
    }),
  },
  {
    id: "tag.too-long",
    severity: "warning",
    message: "A lastmod, changefreq or priority has more than 100 characters",
    why: "The value cannot be valid. Yandex rejects it.",
    fix: "Write a date, a word or a number.",
    source: YANDEX_ERRORS,
    counts: "page",
    listen: ({ report }) => ({
      sitemap: ({ head }) => {
        for (const [, , value = ""] of head.matchAll(LONG_VALUE)) report({ value: value.slice(0, 100) });
      },
    }),
  },
  {
    id: "encoding.bom",
    severity: "info",
    isOff: true,
    message: "The file starts with a byte order mark",
    why: "UTF-8 needs none. Some old parsers stop at it.",
    fix: "Save the file as UTF-8 without BOM.",
    source: "https://www.w3.org/International/questions/qa-byte-order-mark",
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ response }) => {
        const [first] = response?.chunks ?? [];
        if (first?.[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf) report();
      },
    }),
  },
  {
    id: "xml.no-declaration",
    severity: "info",
    isOff: true,
    message: "The XML declaration is missing",
    why: "It is optional for UTF-8. The examples of the protocol have it, and some validators require it.",
    fix: 'Start the file with <?xml version="1.0" encoding="UTF-8"?>.',
    source: SM_XML,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        if (isXmlSitemap(sitemap) && !sitemap.head.includes("<?xml")) report();
      },
    }),
  },
];
