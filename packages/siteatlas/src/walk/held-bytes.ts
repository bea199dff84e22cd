/**
 * Estimates the memory that a walk needs for the sitemaps that a site lists. The size of each object was measured in
 * Node 20, with its entries in arrays and maps. A text counts one byte for each of its first 256 characters, and three
 * bytes for each further character. `Budget` adds the estimates up.
 */
import type { HttpFacts, Issue } from "../model/model.ts";
import type { Declaration, SitemapDocument } from "./site-graph.ts";

/** Size of a document with its entry in the graph, its request and its outcome, without texts. */
export const DOCUMENT_BYTES = 600;
/** Size of a place with its entry in the scheduler. */
export const PLACE_BYTES = 200;
const DECLARATION_BYTES = 200;
const ISSUE_BYTES = 150;

/** Length from which a text counts as long. Real sites do not have many longer URLs. */
const LONG_TEXT = 256;

/**
 * The size of a text. Characters after the first 256 count three times. Requests copy a URL several times, and V8 lets
 * the heap double before it frees the copies. 7,500 URLs of 8 KB (60 MB) took 152 MB (test/limits/limit-attacks.ts).
 */
function textBytes({ length }: string): number {
  return length + 2 * Math.max(0, length - LONG_TEXT);
}

export function declarationBytes({ url, lastModified }: Pick<Declaration, "url" | "lastModified">): number {
  return DECLARATION_BYTES + textBytes(url) + (lastModified?.text.length ?? 0);
}

/** The size of a redirect. A redirect adds a document, and its target is stored twice: as sent, and normalized. */
export function redirectBytes(target: string): number {
  return DOCUMENT_BYTES + 2 * textBytes(target);
}

export function validatorBytes({ etag = "", lastModified = "" }: HttpFacts): number {
  return etag.length + lastModified.length;
}

export function reasonBytes({ kind }: SitemapDocument): number {
  return kind?.kind === "invalid" ? kind.reason.length : 0;
}

export function issueBytes(issues: readonly Issue[]): number {
  return issues.reduce((sum, { value = "" }) => sum + ISSUE_BYTES + value.length, 0);
}
