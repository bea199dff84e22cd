/**
 * What a parse has to know of an issue code: how severe it is and what strict mode does about it. What a
 * code means, in a sentence and with the specification behind it, is in issue-texts.ts: a browser that
 * only parses need not load it.
 */
import type { issueTexts } from "./issue-texts.ts";

/** Every code that siteatlas can report. */
export type IssueCode = keyof typeof refusals | keyof typeof issueTexts;

export type Severity = "error" | "warning" | "info";

/** Strict mode drops the entry that has the issue, or ends the document as invalid. */
export type StrictAction = "drop" | "fail";

/** Why nothing can be made of a document: the reason of an invalid sitemap. */
export const refusals = {
  "content.empty": "The document is empty",
  "content.html": "The document is an HTML page, not a sitemap",
  "content.json": "The document is JSON but not a JSON Feed",
  "content.zip": "The document is a ZIP archive, which is not unpacked",
  "content.binary": "The document is binary data of no known kind",
  "content.unknown-root": "The root element is of no known sitemap or feed format",
  "content.no-urls": "The text holds no URL in its first 100 lines",
  "gzip.too-deep": "Compressed more often than allowed",
} as const;

/** What a code starts with, up to the point. */
type CodeGroup = GroupOf<IssueCode>;
type GroupOf<Code> = Code extends `${infer Group}.${string}` ? Group : never;

/** Where nothing else is said, an issue is a warning. What is said of a group holds for all its codes. */
const severities: Readonly<Partial<Record<IssueCode | CodeGroup, Severity>>> = {
  content: "error",
  "content.type-mismatch": "info",
  "not-fetched": "info",
  filtered: "info",
  "gzip.not-gzip": "info",
  "gzip.unlabelled": "info",
  "gzip.too-deep": "error",
  "gzip.truncated": "error",
  "gzip.corrupt": "error",
  "gzip.bomb": "error",
  "xml.truncated": "error",
  "ns.legacy": "info",
  "url.invalid": "error",
  "url.fragment": "info",
  "url.scheme-mismatch": "info",
  "url.cross-host": "info",
  "url.outside-path": "info",
  "date.future": "info",
  "date.weekday-mismatch": "info",
  "text.double-escaped": "info",
  "text.comment": "info",
  "json.invalid": "error",
  "robots.bare-url": "info",
  "robots.disallowed": "info",
  "index.cycle": "error",
  "index.self-reference": "error",
  "index.lists-robots": "info",
  http: "error",
  "http.downgrade": "warning",
  "http.partial": "warning",
  "http.bad-content-encoding": "warning",
  "http.retry": "info",
  limit: "error",
};

const dropped: ReadonlySet<IssueCode> = new Set([
  "entry.missing-loc",
  "entry.markup-in-loc",
  "url.relative",
  "url.schemeless",
  "url.double-scheme",
  "url.missing-slash",
  "url.backslash",
  "url.newline",
  "url.decorated",
  "url.bad-percent",
  "url.too-long",
  "url.scheme-mismatch",
  "url.cross-host",
  "url.outside-path",
]);

const failed: ReadonlySet<IssueCode> = new Set([
  "gzip.crc",
  "encoding.invalid-utf8",
  "xml.leading-junk",
  "xml.unclosed-url",
  "xml.unclosed-loc",
  "xml.nested-url",
  "xml.stray-end-tag",
  "xml.tag-case",
  "xml.control-char",
  "xml.bare-ampersand",
  "xml.undefined-entity",
  "xml.surrogate-ref",
  "xml.bad-char-ref",
  "xml.stray-lt",
  "xml.bad-comment",
  "xml.unquoted-attribute",
  "xml.unclosed-quote",
  "xml.duplicate-attribute",
  "xml.unbound-prefix",
]);

export function severityOf(code: IssueCode): Severity {
  return severities[code] ?? severities[code.slice(0, code.indexOf(".")) as CodeGroup] ?? "warning";
}

/** What strict mode does about an issue beyond reporting it. */
export function strictActionOf(code: IssueCode): StrictAction | undefined {
  if (failed.has(code)) return "fail";
  return dropped.has(code) ? "drop" : undefined;
}
