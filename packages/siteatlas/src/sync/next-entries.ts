/**
 * The sitemaps of the next snapshot: what the walk found, and what it could not find out about. A sitemap is
 * gone only if all that listed it were read whole and list it no more; whatever failed, or was cut, or could not
 * be reached through what failed, stays with the pages that it had, and is marked as unknown.
 */
import type { IssueCode } from "../issues.ts";
import type { WalkedSitemap } from "../walk/events.ts";
import { type Place, resolveRecord, type SitemapRecord } from "../walk/record.ts";
import { urlKey } from "../walk/url-key.ts";
import { NO_EVIDENCE } from "./evidence.ts";
import type { LastmodTrust } from "./lastmod-trust.ts";
import { isThere, MAX_ABSENCES, type SnapshotSitemap, type UnknownFacts } from "./snapshot-format.ts";
import { declaredText, type Finding, type VisitPlan } from "./visit-plan.ts";
import type { SitemapEntry } from "./write-snapshot.ts";

/** What reading a sitemap gave, besides what the walk knows. */
export interface ReadFacts {
  readonly pageCount: number;
  readonly finding: Finding;
  readonly lastmod: LastmodTrust | undefined;
}

export interface NextOptions {
  readonly roots: readonly SitemapRecord[];
  readonly before: readonly SnapshotSitemap[];
  readonly plan: VisitPlan;
  readonly read: ReadonlyMap<string, ReadFacts>;
  /** What was left out by a filter, an option or robots.txt. */
  readonly skipped: readonly WalkedSitemap[];
  /** A limit ended the walk early. */
  readonly isCut: boolean;
  /** Now, as text. */
  readonly at: string;
}

export interface NextEntries {
  /** Those that were seen. */
  readonly seen: SitemapEntry[];
  /** Those that may be there still, with the pages that they had. */
  readonly kept: SitemapEntry[];
  /** Those that are listed and could not be read, now that they are listed for the first time. */
  readonly unread: SitemapEntry[];
}

/** Where a document is declared first, and by whom at all. */
interface Declared {
  readonly record: SitemapRecord;
  readonly place: Place | undefined;
  readonly parents: string[];
}

export function nextEntries(options: NextOptions): NextEntries {
  const { before, plan, at } = options;
  const { documents, asked } = gather(options.roots);
  const old = new Map(before.map((sitemap) => [sitemap.url, sitemap]));
  const seen: SitemapEntry[] = [];
  const unread: SitemapEntry[] = [];
  for (const declared of documents.values()) {
    const { record } = declared;
    if (isSeen(record)) seen.push(entryOf(declared, old.get(record.finalUrl), options));
    else if (record.parent !== undefined && isFailed(record) && !knows(old, record)) {
      unread.push(unreadEntry(declared, at));
    }
  }
  // Only now all is known of what each index declared.
  const withDeclarations = seen.map((entry) => {
    const declarations = plan.declarationsOf(entry.url);
    return declarations === undefined ? entry : { ...entry, evidence: { ...entry.evidence, declarations } };
  });
  const found = new Map(seen.map((entry) => [entry.url, entry]));
  const kept = new Absence(options, old, found, asked).kept();
  return { seen: withDeclarations, kept, unread };
}

function knows(old: ReadonlyMap<string, SnapshotSitemap>, { url, finalUrl }: SitemapRecord): boolean {
  const sitemap = old.get(finalUrl) ?? old.get(url);
  return sitemap !== undefined && isThere(sitemap);
}

function isFailed({ sameAs, kind, outcome }: SitemapRecord): boolean {
  return sameAs === undefined && kind?.kind === "invalid" && outcome !== "skipped";
}

/** A sitemap of which nothing is known yet but that there should be one. */
function unreadEntry({ record, parents }: Declared, at: string): SitemapEntry {
  const code = record.kind?.kind === "invalid" ? record.kind.code : "not-fetched";
  return {
    url: record.finalUrl,
    ...(record.url !== record.finalUrl && { requestedUrl: record.url }),
    source: record.source,
    parents: parents.toSorted(),
    kind: "pages",
    format: "xml",
    children: [],
    pageCount: 0,
    seenAt: at,
    unknown: {
      code,
      ...statusOf(record),
      since: at,
      times: 1,
      // Nothing was ever there: nothing is unknown.
      absences: isAbsent(record) ? MAX_ABSENCES : 0,
    },
    evidence: NO_EVIDENCE,
  };
}

function isAbsent({ http }: SitemapRecord): boolean {
  return http?.status === 404 || http?.status === 410;
}

/** The status, where it is the reason. */
function statusOf({ kind, http }: SitemapRecord): Pick<UnknownFacts, "status"> {
  const isReason = kind?.kind === "invalid" && kind.code === "http.status" && http !== undefined;
  return isReason ? { status: http.status } : {};
}

function isSeen({ outcome, sameAs }: SitemapRecord): boolean {
  return sameAs === undefined && (outcome === "found" || outcome === "unchanged");
}

/** All documents that the walk came to, each with what declares it; and which was asked for by which URL. */
function gather(roots: readonly SitemapRecord[]): {
  documents: Map<SitemapRecord, Declared>;
  asked: Map<string, SitemapRecord>;
} {
  const documents = new Map<SitemapRecord, Declared>();
  const asked = new Map<string, SitemapRecord>();
  const queue: { record: SitemapRecord; place?: Place; parent?: SitemapRecord }[] = [];
  for (const record of roots) queue.push({ record });
  for (const { record, place, parent } of queue) {
    const target = resolveRecord(record);
    for (const url of [record.url, ...record.redirects, target.finalUrl]) asked.set(urlKey(url), target);
    let declaration = documents.get(target);
    if (declaration === undefined) {
      declaration = { record: target, place, parents: [] };
      documents.set(target, declaration);
      for (const child of target.places) {
        if (child.record !== undefined) queue.push({ record: child.record, place: child, parent: target });
      }
    }
    if (parent !== undefined && parent !== target && !declaration.parents.includes(parent.finalUrl)) {
      declaration.parents.push(parent.finalUrl);
    }
  }
  return { documents, asked };
}

function entryOf(
  { record, place, parents }: Declared,
  before: SnapshotSitemap | undefined,
  { plan, read, skipped, at }: NextOptions,
): SitemapEntry {
  const { finalUrl, kind, http, partial } = record;
  const facts = read.get(finalUrl);
  const finding = facts?.finding ?? "same";
  const isRead = record.outcome === "found";
  const isWhole = isRead && !partial;
  const { etag, lastModified } = isWhole ? (http ?? {}) : isRead ? {} : (before ?? {});
  const contentHash = isWhole ? record.contentHash : isRead ? undefined : before?.contentHash;
  const declared = place?.lastModified && declaredText(place.lastModified);
  const [parentUrl] = parents;
  // Those that a filter left out are listed, too: another day they may be wanted.
  const leftOut =
    kind?.kind === "index"
      ? skipped.filter(({ parentUrl: by, code }) => by === finalUrl && code === "filtered")
      : [];
  return {
    url: finalUrl,
    ...(record.url !== finalUrl && { requestedUrl: record.url }),
    source: record.source,
    parents: parents.toSorted(),
    kind: kind?.kind === "index" ? "index" : "pages",
    format: kind !== undefined && kind.kind !== "invalid" ? kind.format : "xml",
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
    ...(declared !== undefined && { declared }),
    ...(contentHash !== undefined && { contentHash }),
    children: [...record.places, ...leftOut].map(({ url, lastModified: date }) =>
      date === undefined ? [url] : [url, declaredText(date)],
    ),
    ...(before?.isShared && { isShared: true }),
    pageCount: facts?.pageCount ?? (isRead ? 0 : (before?.pageCount ?? 0)),
    seenAt: finding === "unasked" || finding === "fresh" ? (before?.seenAt ?? at) : at,
    ...(partial && { unknown: unknownSince(before, cutCode(record), at) }),
    evidence: partial
      ? (before?.evidence ?? NO_EVIDENCE)
      : plan.conclude(before, finding, { url: finalUrl, declared, parentUrl, etag, lastModified }),
    ...trustOf(facts?.lastmod ?? before?.lastmod),
  };
}

function trustOf(lastmod: LastmodTrust | undefined): { lastmod?: LastmodTrust } {
  return lastmod === undefined ? {} : { lastmod };
}

/** The worst that was said about it. */
function cutCode({ issues }: SitemapRecord): IssueCode {
  return issues.findLast(({ severity }) => severity === "error")?.code ?? "http.truncated";
}

function unknownSince(
  before: SnapshotSitemap | undefined,
  code: IssueCode,
  at: string,
  isAbsent = false,
): UnknownFacts {
  const { since = at, times = 0, absences = 0 } = before?.unknown ?? {};
  return { code, since, times: times + 1, absences: isAbsent ? absences + 1 : 0 };
}

/** Which of the sitemaps that were not seen are gone, and which may still be there. */
class Absence {
  readonly #options: NextOptions;
  readonly #old: ReadonlyMap<string, SnapshotSitemap>;
  readonly #found: ReadonlyMap<string, SitemapEntry>;
  readonly #asked: ReadonlyMap<string, SitemapRecord>;
  /** What each index that was seen lists. */
  readonly #places: Map<string, ReadonlyMap<string, Place>> = new Map();
  /** What was left out on purpose, and why. */
  readonly #skipped: ReadonlyMap<string, IssueCode>;
  /** What is listed and was not requested, and why. */
  readonly #refused: Map<string, IssueCode> = new Map();
  /** The site answered, and the walk came to its end. */
  readonly #isGoodDay: boolean;

  constructor(
    options: NextOptions,
    old: ReadonlyMap<string, SnapshotSitemap>,
    found: ReadonlyMap<string, SitemapEntry>,
    asked: ReadonlyMap<string, SitemapRecord>,
  ) {
    this.#options = options;
    this.#old = old;
    this.#found = found;
    this.#asked = asked;
    this.#skipped = new Map(
      options.skipped.map(({ url, code = "not-fetched" }) => [urlKey(url), code] as const),
    );
    for (const { places } of new Set(asked.values())) {
      for (const { url, record, verdict } of places) {
        if (record === undefined && verdict !== undefined) this.#refused.set(urlKey(url), verdict.code);
      }
    }
    const isDown = options.roots.some((root) => root.source === "robots" && isOutage(resolveRecord(root)));
    this.#isGoodDay = !options.isCut && !isDown && [...found.values()].some(({ kind }) => kind === "pages");
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
      if (facts !== undefined && facts.absences < MAX_ABSENCES) keep(sitemap, facts);
    }
    // What can only be reached through these is as unknown as they are.
    const below = new Map<string, SnapshotSitemap[]>();
    for (const sitemap of unseen) {
      if (this.#recordOf(sitemap) !== undefined) continue;
      for (const url of sitemap.parents) below.set(url, [...(below.get(url) ?? []), sitemap]);
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

  /** Why it could not be seen, as far as it and those that list it show; undefined when nothing stood in the way. */
  #failure(sitemap: SnapshotSitemap): UnknownFacts | undefined {
    const { at } = this.#options;
    const record = this.#recordOf(sitemap);
    if (record !== undefined) {
      if (record.kind?.kind === "invalid") {
        return { ...unknownSince(sitemap, record.kind.code, at, isAbsent(record)), ...statusOf(record) };
      }
      if (this.#isBelow(sitemap, record.finalUrl)) return unknownSince(sitemap, "index.cycle", at);
      // It leads to another one now, which was read, whole or not.
      return record.partial ? unknownSince(sitemap, cutCode(record), at) : undefined;
    }
    const key = urlKey(sitemap.requestedUrl ?? sitemap.url);
    const code = this.#skipped.get(key) ?? this.#refused.get(key) ?? this.#refused.get(urlKey(sitemap.url));
    if (code !== undefined) return unknownSince(sitemap, code, at);
    if (sitemap.parents.length === 0) return unknownSince(sitemap, "not-fetched", at, this.#isGoodDay);
    for (const url of sitemap.parents) {
      const verdict = this.#found.has(url) ? this.#verdictOn(url, sitemap) : undefined;
      if (verdict !== undefined) return unknownSince(sitemap, verdict, at);
    }
    return undefined;
  }

  /** Whether this index listed it, or what lists it: to be led back there is a failure (isAbove in walk/record.ts). */
  #isBelow(sitemap: SnapshotSitemap, indexUrl: string): boolean {
    const above = new Set(sitemap.parents);
    for (const url of above) for (const parent of this.#old.get(url)?.parents ?? []) above.add(parent);
    return above.has(indexUrl);
  }

  /** A parent that was seen: cut before it could list this one, or it does list it and we did not go there. */
  #verdictOn(parentUrl: string, { url, requestedUrl = url }: SnapshotSitemap): IssueCode | undefined {
    const parent = this.#asked.get(urlKey(parentUrl))!;
    let places = this.#places.get(parentUrl);
    if (places === undefined) {
      places = new Map(parent.places.map((place) => [urlKey(place.url), place]));
      this.#places.set(parentUrl, places);
    }
    const place = places.get(urlKey(url)) ?? places.get(urlKey(requestedUrl));
    if (place !== undefined) return place.verdict?.code ?? "not-fetched";
    if (parent.issues.some(({ code }) => code === "robots.html")) return "robots.html";
    return parent.partial ? cutCode(parent) : undefined;
  }

  #recordOf({ url, requestedUrl = url }: SnapshotSitemap): SitemapRecord | undefined {
    return this.#asked.get(urlKey(url)) ?? this.#asked.get(urlKey(requestedUrl));
  }
}

/** The server did not answer, or not as it should. */
function isOutage({ kind, http }: SitemapRecord): boolean {
  return kind?.kind === "invalid" && (http === undefined || http.status >= 500);
}
