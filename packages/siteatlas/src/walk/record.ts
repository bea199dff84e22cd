/**
 * What a walk knows of the sitemaps of a site: a graph. A record is one document, requested once; a place
 * is where a document declares it. Several places may lead to one record, and a record may turn out to be
 * another one behind a redirect. The tree is folded out of this (tree.ts).
 */
import type { IssueCode } from "../issues.ts";
import type { DateValue, HttpFacts, Issue, PageList } from "../model.ts";
import type { DocumentKind } from "../parse/document.ts";
import type { SitemapOrigin, SitemapOutcome } from "./events.ts";

export interface Place {
  readonly url: string;
  readonly lastModified: DateValue | undefined;
  /** What is there; undefined when it was not requested from here: then `verdict` says why. */
  record: SitemapRecord | undefined;
  verdict: Verdict | undefined;
}

export interface Verdict {
  readonly outcome: "skipped" | "stopped" | "failed";
  readonly code: IssueCode;
  readonly reason: string;
}

export interface SitemapRecord {
  /** As first declared. */
  readonly url: string;
  readonly source: SitemapOrigin;
  /** The first that declared it. */
  readonly parent: SitemapRecord | undefined;
  readonly lastModified: DateValue | undefined;
  /** The smallest level at which it is declared. */
  level: number;
  /** After redirects. */
  finalUrl: string;
  /** What was requested on the way there. */
  redirects: string[];
  outcome: SitemapOutcome | undefined;
  /** The record that a redirect led to. */
  sameAs: SitemapRecord | undefined;
  kind: DocumentKind | undefined;
  partial: boolean;
  cutBy: IssueCode | undefined;
  http: HttpFacts | undefined;
  /** Its children, but for those that a filter left out, and how many were read. */
  places: readonly Place[];
  childCount: number;
  pageCount: number;
  pages: PageList;
  issues: readonly Issue[];
  issueCount: number;
  duplicateCount: number;
  /** Of one that was read to its end. */
  contentHash: string | undefined;
  /** Equal where two list the same (content-hash.ts); of one that lists anything. */
  contentKey: string | undefined;
}

/** Shared by all that have none, which may be 50,000. */
export const NONE: never[] = [];

export function createRecord(
  url: string,
  source: SitemapOrigin,
  level: number,
  parent?: SitemapRecord,
  lastModified?: DateValue,
): SitemapRecord {
  return {
    url,
    source,
    parent,
    lastModified,
    level,
    finalUrl: url,
    redirects: [],
    outcome: undefined,
    sameAs: undefined,
    kind: undefined,
    partial: false,
    cutBy: undefined,
    http: undefined,
    places: NONE,
    childCount: 0,
    pageCount: 0,
    pages: NONE,
    issues: NONE,
    issueCount: 0,
    duplicateCount: 0,
    contentHash: undefined,
    contentKey: undefined,
  };
}

/** One for each verdict: it may be that of 50,000 documents (sec-S08). */
const kinds = new WeakMap<Verdict, DocumentKind>();

/** It ended so, and gave nothing. */
export function settle(record: SitemapRecord, verdict: Verdict): void {
  const { outcome, code, reason } = verdict;
  const kind: DocumentKind = kinds.get(verdict) ?? { kind: "invalid", code, reason };
  kinds.set(verdict, kind);
  record.outcome = outcome;
  record.kind = kind;
}

/** The record that this one stands for, behind all redirects. */
export function resolveRecord(record: SitemapRecord): SitemapRecord {
  let target = record;
  while (target.sameAs !== undefined) target = target.sameAs;
  return target;
}

/** The URLs of a sitemap and of all that lead to it. */
export function lineage(record: SitemapRecord): Set<string> {
  const urls = new Set<string>();
  for (let at: SitemapRecord | undefined = record; at !== undefined; at = at.parent) {
    urls.add(at.finalUrl);
    urls.add(at.url);
  }
  return urls;
}

/** Whether this is one of those that lead to the record, or the record itself. */
export function isAbove(candidate: SitemapRecord, record: SitemapRecord): boolean {
  for (let at: SitemapRecord | undefined = record; at !== undefined; at = at.parent) {
    if (resolveRecord(at) === candidate) return true;
  }
  return false;
}

/** Whether robots.txt led to it, and not a guess. */
export function isBelowRobots(record: SitemapRecord): boolean {
  let top = record;
  while (top.parent !== undefined) top = top.parent;
  return top.source === "robots";
}
