/**
 * Makes a rule from an issue code of the parser or the walk. The message and the specification come from the issue
 * table, and the walk reports the occurrences. So these rules have no listener.
 */
import type { IssueCode, Severity } from "../../../model/issue-severity.ts";
import { describeIssue } from "../../../model/issue-table.ts";
import type { LintRule } from "../../rule.ts";

/** The texts of a rule that the issue table does not have. */
interface IssueRuleTexts {
  readonly severity: Severity;
  readonly why: string;
  readonly fix: string;
  /** Replaces the specification of the issue table. */
  readonly source?: string;
  readonly isOff?: true;
}

type IssueRuleRows = Readonly<Partial<Record<IssueCode, IssueRuleTexts>>>;

const row =
  (severity: Severity, more: { readonly isOff?: true } = {}) =>
  (why: string, fix: string, source?: string): IssueRuleTexts => ({
    severity,
    why,
    fix,
    ...(source !== undefined && { source }),
    ...more,
  });
export const error: ReturnType<typeof row> = row("error");
export const warning: ReturnType<typeof row> = row("warning");
export const info: ReturnType<typeof row> = row("info");
export const off: ReturnType<typeof row> = row("info", { isOff: true });

/** Messages of rules, if the issue table says how siteatlas repaired the document instead of what is wrong with it. */
const MESSAGES: Readonly<Partial<Record<IssueCode, string>>> = {
  "gzip.trailing-junk": "Bytes follow the end of the gzip data",
  "encoding.invalid-utf8": "The file has bytes that are not UTF-8",
  "xml.leading-junk": "Text or markup precedes the root element",
  "xml.trailing-junk": "Content follows the root element",
  "xml.doctype": "The file has a DOCTYPE",
  "xml.stray-end-tag": "An end tag has no start tag",
  "xml.control-char": "A control character is in the text",
  "xml.bare-ampersand": "An ampersand is not escaped",
  "xml.surrogate-ref": "A character is written as two references",
  "xml.bad-char-ref": "A reference to a character that XML does not allow",
  "xml.stray-lt": "A less-than sign is not escaped",
  "xml.unbound-prefix": "A namespace prefix is not declared",
  "xml.too-long": "A tag or value is too long",
  "entry.too-many-items": "A page has too many images, videos or alternates",
  "url.relative": "A URL is relative",
  "url.no-base": "A URL is relative",
  "url.fragment": "A URL has a fragment",
  "url.credentials": "A URL has a user name or password",
  "url.decorated": "A URL is in quotes, brackets or commas",
  "url.invalid": "A value is not a URL",
  "url.unsupported-scheme": "A URL is neither http nor https",
  "text.cut": "A text is very long",
  "news.outside-url": "A news block is outside any entry",
  "image.missing-loc": "An image has no URL",
  "image.outside-url": "An image is outside any entry",
  "video.unknown": "A video has a value that Google does not define",
  "video.outside-url": "A video is outside any entry",
  "hreflang.outside-url": "A language link is outside any entry",
  "hreflang.missing-href": "A language link has no href",
  "json.item-too-long": "A feed item is larger than 1 MiB",
  "text.comment": "A text sitemap has a comment line",
  "text.non-url-line": "A line is not a URL",
  "text.line-too-long": "A line is too long",
  "robots.key-typo": "A key is misspelled",
  "robots.missing-colon": "A line has no colon",
  "robots.relative-sitemap": "A sitemap URL is relative",
  "robots.decorated-value": "A sitemap URL is in quotes or brackets",
  "robots.line-too-long": "A line of robots.txt is too long",
  "robots.truncated": "robots.txt is larger than the limit of crawlers",
  "robots.wildcard-sitemap": "A sitemap URL has a wildcard",
  "robots.sitemap-disallowed": "robots.txt lists a sitemap and disallows it",
  "http.https-fallback": "A sitemap cannot be fetched over http, but over https",
};

/** The part of a message before the semicolon. The part after it says how siteatlas repaired the document. */
function sentence(message: string): string {
  return message.split(";", 1)[0]!;
}

/** Returns the rules of the rows. `counts`: what one occurrence is. */
export function issueRules(counts: LintRule["counts"], rows: IssueRuleRows): LintRule[] {
  return Object.entries(rows).map(([code, { severity, why, fix, source, isOff }]) => {
    const { message, spec } = describeIssue(code as IssueCode);
    return {
      id: code,
      severity,
      ...(isOff && { isOff }),
      message: MESSAGES[code as IssueCode] ?? sentence(message),
      why,
      fix,
      source: source ?? spec ?? "",
      counts,
    };
  });
}
