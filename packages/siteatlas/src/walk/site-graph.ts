/**
 * The sitemaps of a site as a graph. It has one document per URL, which is requested once, even if several sitemaps
 * list it. A document is a redirect, a failure, or has content. The graph does not know levels, parents and filters:
 * placement.ts creates the places of each document in the tree.
 */
import { redirectProblem } from "../fetch/fetch-resource.ts";
import type { IssueCode } from "../model/issue-severity.ts";
import type { DateValue, HttpFacts, Issue, PageList } from "../model/model.ts";
import { NO_PAGES } from "../page-list/page-list.ts";
import type { DocumentKind } from "../parse/document.ts";
import type { SitemapOrigin } from "./events/events.ts";
import { urlKey } from "./url-key.ts";

/** One listing of a sitemap in a document. */
export interface Declaration {
  readonly url: string;
  readonly lastModified: DateValue | undefined;
  /** The document at this URL. Undefined until the sitemap is followed. */
  document: SitemapDocument | undefined;
  /** The reason why the sitemap is not read at one of its places in the tree. Undefined if no place refused it. */
  verdict: Verdict | undefined;
  /** Whether an event reported the outcome. */
  isReported: boolean;
}

/** The reason why a sitemap is not read. A verdict is also the `kind` of a document that was not read. */
export interface Verdict {
  readonly kind: "invalid";
  readonly outcome: "skipped" | "stopped" | "failed";
  readonly code: IssueCode;
  readonly reason: string;
  readonly cause?: string;
}

export function verdictOf(
  outcome: Verdict["outcome"],
  {
    code,
    reason,
    cause,
  }: { readonly code: IssueCode; readonly reason: string; readonly cause?: string | undefined },
): Verdict {
  const verdict = { kind: "invalid", outcome, code, reason } as const;
  return cause === undefined ? verdict : { ...verdict, cause };
}

/**
 * Why a document is requested: the URL that was listed, and by which document. All documents of a redirect chain share
 * one demand.
 */
export interface Demand {
  readonly url: string;
  readonly lastModified: DateValue | undefined;
  readonly source: SitemapOrigin;
  /** The document that lists the URL. Undefined at the top level of the tree. */
  readonly parent: SitemapDocument | undefined;
}

export interface SitemapDocument {
  readonly url: string;
  readonly demand: Demand;
  /** The outcome of the request. Undefined until the request has ended. */
  outcome: "redirect" | "found" | "unchanged" | Verdict["outcome"] | undefined;
  redirectsTo: string | undefined;
  kind: DocumentKind | undefined;
  partial: boolean;
  cutBy: IssueCode | undefined;
  http: HttpFacts | undefined;
  /** The start of an error page. Only kept until it is reported. */
  errorPage: string | undefined;
  children: readonly Declaration[];
  pageCount: number;
  pages: PageList;
  issues: readonly Issue[];
  issueCount: number;
  /** Number of issues by code. Only kept until they are reported. */
  issueCounts: readonly ReadonlyMap<IssueCode, number>[];
  duplicateCount: number;
  /** Hash of the content. Undefined if the document was not read to its end. */
  contentHash: string | undefined;
  /**
   * A key that is equal for documents with the same content (content-hash.ts). Undefined if the document lists no URLs.
   */
  contentKey: string | undefined;
  /** Whether an event reported the outcome. */
  isReported: boolean;
  /** Whether the document is in the tree. */
  isPlaced: boolean;
  /** Whether this is a robots.txt that is an HTML page without any record. Such a robots.txt counts as absent. */
  isRobotsPage: boolean;
  /** Whether this robots.txt is a text without any record, for example only comments. */
  isRobotsText: boolean;
  /** Whether this is the homepage, or the homepage redirects here. */
  isHomepage: boolean;
}

/** An empty list. Documents share it, because there may be 50,000 documents. */
export const NONE: never[] = [];

/** The result of following a redirect chain. */
export interface Resolution {
  /** All documents of the chain, including the last one. */
  readonly chain: readonly SitemapDocument[];
  /** The document at the end of the chain. Undefined if the chain has a `problem` or a `next` URL. */
  readonly document: SitemapDocument | undefined;
  /** The next URL of the chain, if its document does not exist yet. */
  readonly next?: string;
  readonly problem?: { readonly code: IssueCode; readonly reason: string };
}

export class SiteGraph {
  readonly #documents: Map<string, SitemapDocument> = new Map();
  readonly #limits: { readonly redirects: number };

  constructor(limits: { readonly redirects: number }) {
    this.#limits = limits;
  }

  find(url: string): SitemapDocument | undefined {
    return this.#documents.get(urlKey(url));
  }

  /** Adds a document for this URL. URLs with the same `urlKey` have the same document, so it is requested only once. */
  add(spelling: string, demand: Demand): SitemapDocument {
    const key = urlKey(spelling);
    // Share the string with the declaration: a copy for each of 50,000 documents would take megabytes.
    const url = key === spelling ? spelling : key;
    const document: SitemapDocument = {
      url,
      demand,
      outcome: undefined,
      redirectsTo: undefined,
      kind: undefined,
      partial: false,
      cutBy: undefined,
      http: undefined,
      errorPage: undefined,
      children: NONE,
      pageCount: 0,
      pages: NO_PAGES,
      issues: NONE,
      issueCount: 0,
      issueCounts: NONE,
      duplicateCount: 0,
      contentHash: undefined,
      contentKey: undefined,
      isReported: false,
      isPlaced: false,
      isRobotsPage: false,
      isRobotsText: false,
      isHomepage: false,
    };
    this.#documents.set(url, document);
    return document;
  }

  /** Follows the known redirects. The result depends only on `first`, not on the order of the requests. */
  resolve(first: SitemapDocument): Resolution {
    if (first.redirectsTo === undefined) return { chain: [first], document: first };
    const chain = [first];
    for (let redirectsTo: string | undefined = first.redirectsTo; redirectsTo !== undefined; ) {
      const next = this.find(redirectsTo);
      const hops = chain.map(({ url }) => url);
      const problem = redirectProblem(hops, urlKey(redirectsTo), this.#limits);
      if (problem !== undefined) return { chain, document: undefined, problem };
      if (next === undefined) return { chain, document: undefined, next: redirectsTo };
      chain.push(next);
      redirectsTo = next.redirectsTo;
    }
    return { chain, document: chain.at(-1) };
  }
}

/** Sets the outcome of a document that was not read. */
export function settle(document: SitemapDocument, verdict: Verdict): void {
  document.outcome = verdict.outcome;
  document.kind = verdict;
}

/** Whether the content of the document is known: it was read in this walk, or is unchanged since the last sync. */
export function isRead({ outcome }: SitemapDocument): boolean {
  return outcome === "found" || outcome === "unchanged";
}

/** Whether robots.txt lists this document, directly or through indexes. */
export function isBelowRobots({ demand }: SitemapDocument): boolean {
  let top = demand;
  while (top.parent !== undefined) top = top.parent.demand;
  return top.source === "robots";
}
