/**
 * Decides which sitemaps the next snapshot has. A sitemap is gone only if all sitemaps that listed it were read
 * completely and no longer list it. A sitemap that failed, was truncated, or is listed only by one that failed keeps
 * its pages and is marked as unknown.
 */
import { isAbsent } from "../model/http-status.ts";
import type { IssueCode } from "../model/issue-severity.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import type { SitemapOrigin, WalkedSitemap } from "../walk/events/events.ts";
import type { Place } from "../walk/place.ts";
import {
  type Declaration,
  isRead,
  type SiteGraph,
  type SitemapDocument,
  settle,
  verdictOf,
} from "../walk/site-graph.ts";
import { urlKey } from "../walk/url-key.ts";
import type { LastmodTrust } from "./revalidate/lastmod-trust.ts";
import { declaredText, type Finding, type RevalidationPlan } from "./revalidate/revalidation-plan.ts";
import { NO_EVIDENCE } from "./revalidate/validator-trust.ts";
import {
  GRACE_MS,
  GRACE_SYNCS,
  isThere,
  type SnapshotSitemap,
  UNREAD_MS,
  type UnknownFacts,
} from "./snapshot/snapshot-format.ts";
import type { SitemapEntry } from "./snapshot/write-snapshot.ts";

/** Facts about a sitemap that the sync collects in addition to the walk. */
export interface ReadFacts {
  readonly pageCount: number;
  readonly finding: Finding;
  readonly lastmod: LastmodTrust | undefined;
  /** The newest lastModified of the pages. */
  readonly newestDate: string | undefined;
}

export interface NextOptions {
  readonly graph: SiteGraph;
  readonly roots: readonly Place[];
  readonly before: readonly SnapshotSitemap[];
  readonly plan: RevalidationPlan;
  readonly read: ReadonlyMap<string, ReadFacts>;
  /** Sitemaps that a filter, an option or robots.txt skipped. */
  readonly skipped: readonly WalkedSitemap[];
  /** Whether a limit ended the walk early. */
  readonly isCut: boolean;
  /** Start of this sync, as an ISO date. */
  readonly at: string;
}

export interface NextEntries {
  /** Sitemaps that were read or are known to be unchanged. */
  readonly seen: SitemapEntry[];
  /** Sitemaps whose current content is unknown. They may still exist, so their pages are kept. */
  readonly kept: SitemapEntry[];
  /** Sitemaps that are listed for the first time but could not be read. */
  readonly unread: SitemapEntry[];
  /** URLs of sitemaps that are gone, after three syncs and a day of absence. */
  readonly gone: ReadonlySet<string>;
}

/** A document with its first declaration and the URLs of all indexes that list it. */
interface Declared {
  readonly document: SitemapDocument;
  readonly declaration: Declaration;
  readonly source: SitemapOrigin;
  readonly parents: string[];
}

export function nextEntries(options: NextOptions): NextEntries {
  const { before, plan, at } = options;
  const { documents, asked } = gather(options);
  const old = new Map(before.map((sitemap) => [sitemap.url, sitemap]));
  const seen: SitemapEntry[] = [];
  const unread: SitemapEntry[] = [];
  for (const declared of documents.values()) {
    const { document } = declared;
    if (isRead(document)) seen.push(entryOf(declared, old.get(document.url), options));
    else if (declared.parents.length > 0 && isFailed(document) && !knows(old, document)) {
      unread.push(unreadEntry(declared, old.get(document.url), at));
    }
  }
  // Done in a second pass: evidence about an index is complete only when all its sitemaps were processed.
  const withDeclarations = seen.map((entry) => {
    const declarations = plan.declarationsOf(entry.url);
    return declarations === undefined ? entry : { ...entry, evidence: { ...entry.evidence, declarations } };
  });
  const found = new Map(seen.map((entry) => [entry.url, entry]));
  const absence = new Absence(options, old, found, asked);
  return { seen: withDeclarations, kept: absence.kept(), unread, gone: absence.gone };
}

function knows(old: ReadonlyMap<string, SnapshotSitemap>, { url, demand }: SitemapDocument): boolean {
  const sitemap = old.get(url) ?? old.get(demand.url);
  return sitemap !== undefined && isThere(sitemap);
}

function isFailed({ kind, outcome }: SitemapDocument): boolean {
  return kind?.kind === "invalid" && outcome !== "skipped";
}

/** An entry for a sitemap that was listed but never read. */
function unreadEntry(
  { document, declaration, source, parents }: Declared,
  before: SnapshotSitemap | undefined,
  at: string,
): SitemapEntry {
  const { url, kind, http } = document;
  const code = kind?.kind === "invalid" ? kind.code : "not-fetched";
  const isMissing = isAbsent(http?.status);
  return {
    url,
    ...(urlKey(declaration.url) !== url && { requestedUrl: declaration.url }),
    source,
    parents: parents.toSorted(),
    kind: "pages",
    format: "xml",
    children: [],
    pageCount: 0,
    seenAt: at,
    isNeverRead: true,
    unknown: {
      ...unknownSince(isMissing ? before : undefined, code, at, isMissing),
      ...statusOf(document),
      // A sitemap that was never read and does not exist (404, 410) counts as gone, not as unknown.
      ...(isMissing && { isGone: true }),
    },
    evidence: NO_EVIDENCE,
  };
}

/** The HTTP status, if it is the reason for the failure. */
function statusOf({ kind, http }: SitemapDocument): Pick<UnknownFacts, "status"> {
  const isReason = kind?.kind === "invalid" && kind.code === "http.status" && http !== undefined;
  return isReason ? { status: http.status } : {};
}

/**
 * `documents`: all documents, each with the indexes that list it. `asked`: for each requested URL, the document at the
 * end of its redirects.
 */
function gather({ graph, roots }: NextOptions): {
  documents: Map<SitemapDocument, Declared>;
  asked: Map<string, SitemapDocument>;
} {
  const documents = new Map<SitemapDocument, Declared>();
  const asked = new Map<string, SitemapDocument>();
  const queue: { declaration: Declaration; source: SitemapOrigin; index?: SitemapDocument }[] = roots.map(
    ({ declaration, source }) => ({ declaration, source }),
  );
  for (const { declaration, source, index } of queue) {
    if (declaration.document === undefined) continue;
    const { chain, document = chain[0]!, problem } = graph.resolve(declaration.document);
    // A redirect loop has no final document, so the first document of the loop is used.
    if (problem !== undefined) settle(document, verdictOf("failed", problem));
    for (const { url } of chain) asked.set(urlKey(url), document);
    let declared = documents.get(document);
    if (declared === undefined) {
      declared = { document, declaration, source, parents: [] };
      documents.set(document, declared);
      for (const child of document.children) {
        queue.push({ declaration: child, source: "sitemap", index: document });
      }
    }
    if (index !== undefined && index !== document && !declared.parents.includes(index.url)) {
      declared.parents.push(index.url);
    }
  }
  return { documents, asked };
}

function entryOf(
  { document, declaration, source, parents }: Declared,
  before: SnapshotSitemap | undefined,
  { plan, read, at }: NextOptions,
): SitemapEntry {
  const { url, kind, http, partial } = document;
  const facts = read.get(url);
  const finding = facts?.finding ?? "same";
  const isNew = document.outcome === "found";
  const isComplete = isNew && !partial;
  const { etag, lastModified } = isComplete ? (http ?? {}) : isNew ? {} : (before ?? {});
  const contentHash = isComplete ? document.contentHash : isNew ? undefined : before?.contentHash;
  const declared = declaration.lastModified && declaredText(declaration.lastModified);
  const [parentUrl] = parents;
  const format: SitemapEntry["format"] = kind === undefined || kind.kind === "invalid" ? "xml" : kind.format;
  const children: SitemapEntry["children"] = document.children.map((child) =>
    child.lastModified === undefined ? [child.url] : [child.url, declaredText(child.lastModified)],
  );
  return omitUndefined({
    url,
    requestedUrl: urlKey(declaration.url) === url ? undefined : declaration.url,
    source,
    parents: parents.toSorted(),
    kind: kind?.kind === "index" ? ("index" as const) : ("pages" as const),
    format,
    etag,
    lastModified,
    declared,
    contentHash,
    children,
    isShared: before?.isShared,
    pageCount: facts?.pageCount ?? (isNew ? 0 : (before?.pageCount ?? 0)),
    newestDate: facts?.newestDate,
    seenAt: finding === "unasked" || finding === "fresh" ? (before?.seenAt ?? at) : at,
    readAt: isComplete ? at : before?.readAt,
    unknown: partial ? unknownSince(before, cutCode(document), at) : undefined,
    evidence: partial
      ? (before?.evidence ?? NO_EVIDENCE)
      : plan.conclude(before, finding, { declared, parentUrl, etag, lastModified }),
    lastmod: facts?.lastmod ?? before?.lastmod,
  });
}

/** Code of the last error of a sitemap that was not read completely. */
function cutCode({ issues }: SitemapDocument): IssueCode {
  return issues.findLast(({ severity }) => severity === "error")?.code ?? "http.truncated";
}

function unknownSince(
  before: SnapshotSitemap | undefined,
  code: IssueCode,
  at: string,
  isMissing = false,
): UnknownFacts {
  const { since = at, times = 0, absences = 0, absentSince = at, isGone } = before?.unknown ?? {};
  // If the clock was wrong before, a time may be in the future. Then a grace would never end.
  const facts = { code, since: since > at ? at : since, times: times + 1 };
  if (!isMissing) return { ...facts, absences: 0 };
  const isOver = absences + 1 >= GRACE_SYNCS && Date.parse(at) - Date.parse(absentSince) >= GRACE_MS;
  return {
    ...facts,
    absences: absences + 1,
    absentSince: absentSince > at ? at : absentSince,
    ...((isGone === true || isOver) && { isGone: true }),
  };
}

/** Decides which of the sitemaps that were not seen are gone, and which may still exist. */
class Absence {
  /** URLs of sitemaps that are gone after a time of absence. Complete when `kept` has returned. */
  readonly gone: Set<string> = new Set();
  readonly #options: NextOptions;
  readonly #old: ReadonlyMap<string, SnapshotSitemap>;
  readonly #found: ReadonlyMap<string, SitemapEntry>;
  readonly #asked: ReadonlyMap<string, SitemapDocument>;
  /** The sitemaps that each index lists, by the URL of the index. Filled on demand. */
  readonly #listed: Map<string, ReadonlyMap<string, Declaration>> = new Map();
  /** Why sitemaps were skipped, by URL. */
  readonly #skipped: ReadonlyMap<string, IssueCode>;
  /** Why listed sitemaps were not requested, by URL. */
  readonly #refused: Map<string, IssueCode> = new Map();
  /**
   * Whether the walk reached its end: no limit ended it, robots.txt did not fail, and a sitemap with pages was read.
   */
  readonly #isComplete: boolean;

  constructor(
    options: NextOptions,
    old: ReadonlyMap<string, SnapshotSitemap>,
    found: ReadonlyMap<string, SitemapEntry>,
    asked: ReadonlyMap<string, SitemapDocument>,
  ) {
    this.#options = options;
    this.#old = old;
    this.#found = found;
    this.#asked = asked;
    this.#skipped = new Map(
      options.skipped.map(({ url, code = "not-fetched" }) => [urlKey(url), code] as const),
    );
    for (const { children } of new Set(asked.values())) {
      for (const { url, document, verdict } of children) {
        if (document === undefined && verdict !== undefined) this.#refused.set(urlKey(url), verdict.code);
      }
    }
    const isDown = options.roots.some(
      ({ source, document }) => source === "robots" && document !== undefined && isOutage(document),
    );
    this.#isComplete = !options.isCut && !isDown && [...found.values()].some(({ kind }) => kind === "pages");
  }

  kept(): SitemapEntry[] {
    const unseen = [...this.#old.values()].filter(({ url }) => !this.#found.has(url));
    const unknown = new Map<string, UnknownFacts>();
    const queue: SnapshotSitemap[] = [];
    const keep = (sitemap: SnapshotSitemap, facts: UnknownFacts): void => {
      unknown.set(sitemap.url, facts);
      queue.push(sitemap);
    };
    for (const sitemap of unseen) {
      const facts = this.#failure(sitemap);
      if (facts?.isGone === true) this.gone.add(sitemap.url);
      else if (facts !== undefined) keep(sitemap, facts);
    }
    // Sitemaps that are listed only by unknown sitemaps are unknown for the same reason.
    const below = new Map<string, SnapshotSitemap[]>();
    for (const sitemap of unseen) {
      if (this.#documentOf(sitemap) !== undefined) continue;
      for (const url of sitemap.parents) {
        const known = below.get(url);
        if (known === undefined) below.set(url, [sitemap]);
        else known.push(sitemap);
      }
    }
    for (const { url } of queue) {
      for (const sitemap of below.get(url) ?? []) {
        if (unknown.has(sitemap.url)) continue;
        const { code, behind = url } = unknown.get(url)!;
        keep(sitemap, { ...unknownSince(sitemap, code, this.#options.at), behind });
      }
    }
    return queue.map(({ section: _, ...entry }) => ({ ...entry, unknown: unknown.get(entry.url)! }));
  }

  /** Returns why the sitemap was not seen. Undefined if nothing failed: then the sitemap is gone. */
  #failure(sitemap: SnapshotSitemap): UnknownFacts | undefined {
    const { at } = this.#options;
    const document = this.#documentOf(sitemap);
    if (document !== undefined) {
      const { kind, http, url, partial } = document;
      if (kind?.kind === "invalid") {
        return { ...unknownSince(sitemap, kind.code, at, isAbsent(http?.status)), ...statusOf(document) };
      }
      if (this.#isBelow(sitemap, url)) return unknownSince(sitemap, "index.cycle", at);
      const doubt = robotsDoubt(document);
      if (doubt !== undefined) return unknownSince(sitemap, doubt, at);
      // The sitemap now redirects to another one. If the target is partial, this sitemap stays unknown.
      return partial ? unknownSince(sitemap, cutCode(document), at) : undefined;
    }
    const key = urlKey(sitemap.requestedUrl ?? sitemap.url);
    const code = this.#skipped.get(key) ?? this.#refused.get(key) ?? this.#refused.get(urlKey(sitemap.url));
    if (code !== undefined) return unknownSince(sitemap, code, at);
    for (const url of sitemap.parents) {
      const verdict = this.#verdictOn(url, sitemap);
      if (verdict !== undefined) return unknownSince(sitemap, verdict, at);
    }
    // A sitemap at a known location or linked by the homepage does not depend on the indexes that list it.
    const isRoot = sitemap.source !== "sitemap" || sitemap.parents.length === 0;
    return isRoot ? unknownSince(sitemap, "not-fetched", at, this.#isComplete) : undefined;
  }

  /** Whether this index listed the sitemap, directly or through other indexes. */
  #isBelow(sitemap: SnapshotSitemap, indexUrl: string): boolean {
    const above = new Set(sitemap.parents);
    for (const url of above) for (const parent of this.#old.get(url)?.parents ?? []) above.add(parent);
    return above.has(indexUrl);
  }

  /**
   * Returns why a parent does not prove that the sitemap is gone: the parent is truncated, or it lists the sitemap
   * but the walk skipped it.
   */
  #verdictOn(
    parentUrl: string,
    { url, requestedUrl = url, unknown }: SnapshotSitemap,
  ): IssueCode | undefined {
    const parent = this.#asked.get(urlKey(parentUrl));
    if (parent === undefined || !isRead(parent)) return undefined;
    let listed = this.#listed.get(parentUrl);
    if (listed === undefined) {
      listed = new Map(parent.children.map((child) => [urlKey(child.url), child]));
      this.#listed.set(parentUrl, listed);
    }
    const declaration = listed.get(urlKey(url)) ?? listed.get(urlKey(requestedUrl));
    if (declaration !== undefined) return declaration.verdict?.code ?? "not-fetched";
    const doubt = robotsDoubt(parent);
    if (doubt !== undefined) return doubt;
    // A text in place of robots.txt may be the message of a site in maintenance.
    const { at } = this.#options;
    const age = Date.parse(at) - Date.parse(unknown?.since ?? at);
    if (parent.isRobotsText && age < UNREAD_MS) return "robots.unreachable";
    return parent.partial ? cutCode(parent) : undefined;
  }

  #documentOf({ url, requestedUrl = url }: SnapshotSitemap): SitemapDocument | undefined {
    return this.#asked.get(urlKey(url)) ?? this.#asked.get(urlKey(requestedUrl));
  }
}

/**
 * Returns the code of a reason not to believe a robots.txt: it is an HTML page, or its body is empty. Such a robots.txt
 * does not prove that sitemaps are gone.
 */
function robotsDoubt({ kind, http, issues }: SitemapDocument): IssueCode | undefined {
  if (issues.some(({ code }) => code === "robots.html")) return "robots.html";
  const isEmpty = kind?.kind === "index" && kind.format === "robots" && http?.bytes === 0;
  return isEmpty ? "content.empty" : undefined;
}

/** Whether the server did not respond, or responded with an error of its own (5xx). */
function isOutage({ kind, http }: SitemapDocument): boolean {
  return kind?.kind === "invalid" && (http === undefined || http.status >= 500);
}
