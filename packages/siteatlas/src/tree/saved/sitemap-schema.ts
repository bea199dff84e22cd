/** Checks a node of a tree in JSON, without its sub-sitemaps and pages. */
import {
  amount,
  type Check,
  checkPart,
  count,
  fail,
  listOf,
  matching,
  oneOf,
  record,
  shape,
  yes,
} from "../../check/check-value.ts";
import { showInvisible } from "../../escape/invisible.ts";
import { MAX_MESSAGE_LENGTH } from "../../escape/log-line.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { issueTable } from "../../model/issue-table.ts";
import type {
  HttpFacts,
  IndexSitemap,
  InvalidSitemap,
  Issue,
  PagesSitemap,
  Sitemap,
} from "../../model/model.ts";
import { HEADER_TEXT } from "../../walk/document/read-document.ts";
import { date } from "./page-schema.ts";

/** A node without its sub-sitemaps and pages. */
export type SitemapFacts = Facts<IndexSitemap> | Facts<PagesSitemap> | Facts<InvalidSitemap>;

type Facts<S extends Sitemap> = Omit<S, "subSitemaps" | "pages" | "toJSON">;

/**
 * Checks the URL of a document. It must not contain credentials, but may have a fragment. It is empty if the document
 * was parsed without a URL.
 */
const documentUrl = matching(
  /^(?:https?:\/\/[!-.0-?A-~]+(?:\/[!-~]*)?)?$/,
  "an http or https URL without credentials",
);

/** Matches `//user:password@`, but not `//***@`. */
const USERINFO = /\/\/(?!\*{3}@)[^\s\\/?#"<>]*@/;

/** Checks a text that a caller may print (see promise 8 of SECURITY.md). */
const printable: Check<string> = (value) =>
  typeof value === "string" &&
  value.length <= MAX_MESSAGE_LENGTH &&
  showInvisible(value) === value &&
  !USERINFO.test(value)
    ? value
    : fail(`a text of at most ${MAX_MESSAGE_LENGTH} printable characters without credentials`, value);

const headerValue = matching(HEADER_TEXT, "the value of an HTTP header");

const code = oneOf(Object.keys(issueTable) as IssueCode[]);

const issue = shape<Issue>(
  { code, severity: oneOf(["error", "warning", "info"]), url: documentUrl },
  { line: count, value: printable },
);

const http = shape<HttpFacts>(
  { status: count, bytes: count, ms: amount },
  { etag: headerValue, lastModified: headerValue, waitMs: amount },
);

const required = { url: documentUrl, issues: listOf(issue), issueCount: count, duplicateCount: count };
const optional = {
  requestedUrl: documentUrl,
  lastModified: date,
  http,
  partial: yes,
  contentHash: matching(/^[\da-f]{64}$/, "64 hexadecimal digits"),
  duplicateOf: documentUrl,
};

const kinds = oneOf(["index", "pages", "invalid"]);

const checks: { readonly [K in Sitemap["kind"]]: Check<SitemapFacts> } = {
  index: shape<Facts<IndexSitemap>>(
    { ...required, kind: oneOf(["index"]), format: oneOf(["website", "robots", "xml"]) },
    optional,
  ),
  pages: shape<Facts<PagesSitemap>>(
    {
      ...required,
      kind: oneOf(["pages"]),
      format: oneOf(["xml", "text", "rss", "atom", "json", "html", "llms"]),
    },
    optional,
  ),
  invalid: shape<Facts<InvalidSitemap>>(
    { ...required, kind: oneOf(["invalid"]), code, reason: printable },
    { ...optional, cause: printable },
  ),
};

export const sitemapFacts: Check<SitemapFacts> = (value) => {
  const kind = checkPart("kind", kinds, record(value)["kind"]);
  return checks[kind](value);
};
