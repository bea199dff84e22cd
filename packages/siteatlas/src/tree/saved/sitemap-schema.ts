/** The form of a node of a tree in JSON, without the lists of its sitemaps and pages. */
import {
  amount,
  type Check,
  checkPart,
  count,
  listOf,
  matching,
  oneOf,
  record,
  shape,
  text,
  yes,
} from "../../check/check-value.ts";
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
import { date } from "./page-schema.ts";

/** A node without its lists. */
export type SitemapFacts = Facts<IndexSitemap> | Facts<PagesSitemap> | Facts<InvalidSitemap>;

type Facts<S extends Sitemap> = Omit<S, "subSitemaps" | "pages" | "toJSON">;

/**
 * The URL of a document, without credentials. It may have a fragment, and is empty if the document was parsed without
 * a URL.
 */
const documentUrl = matching(
  /^(?:https?:\/\/[!-.0-?A-~]+(?:\/[!-~]*)?)?$/,
  "an http or https URL without credentials",
);

const code = oneOf(Object.keys(issueTable) as IssueCode[]);

const issue = shape<Issue>(
  { code, severity: oneOf(["error", "warning", "info"]), url: text },
  { line: count, value: text },
);

const http = shape<HttpFacts>(
  { status: count, bytes: count, ms: amount },
  { etag: text, lastModified: text, waitMs: amount },
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
    { ...required, kind: oneOf(["pages"]), format: oneOf(["xml", "text", "rss", "atom", "json"]) },
    optional,
  ),
  invalid: shape<Facts<InvalidSitemap>>(
    { ...required, kind: oneOf(["invalid"]), code, reason: text },
    { ...optional, cause: text },
  ),
};

export const sitemapFacts: Check<SitemapFacts> = (value) => {
  const kind = checkPart("kind", kinds, record(value)["kind"]);
  return checks[kind](value);
};
