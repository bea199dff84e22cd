/**
 * The sitemaps of the next snapshot: what the walk found, and what it could not find out about. A sitemap is
 * gone only if all that listed it were read whole and list it no more; whatever failed, or was cut, or could not
 * be reached through what failed, stays with the pages that it had, and is marked as unknown.
 */
import type { IssueCode } from "../issues.ts";
import { type Place, resolveRecord, type SitemapRecord } from "../walk/record.ts";
import { urlKey } from "../walk/url-key.ts";
import { NO_EVIDENCE } from "./evidence.ts";
import type { LastmodTrust } from "./lastmod-trust.ts";
import type { SnapshotSitemap } from "./snapshot-format.ts";
import { declaredText, type Finding, type VisitPlan } from "./visit-plan.ts";
import type { SitemapEntry } from "./write-snapshot.ts";

/** So often in a row nothing is there, or nobody asks: then it is gone, though something still lists it. */
const MAX_ABSENT = 3;

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
  /** Now, as text. */
  readonly at: string;
}

/** Where a document is declared first, and by whom at all. */
interface Declared {
  readonly record: SitemapRecord;
  readonly place: Place | undefined;
  readonly parents: string[];
}

export function nextEntries(options: NextOptions): { seen: SitemapEntry[]; kept: SitemapEntry[] } {
  const { before, plan } = options;
  const declared = gather(options.roots);
  const old = new Map(before.map((sitemap) => [sitemap.url, sitemap]));
  const seen: SitemapEntry[] = [];
  const asked = new Map<string, SitemapRecord>();
  for (const [record, declaration] of declared) {
    for (const url of [record.url, record.finalUrl, ...record.redirects]) asked.set(urlKey(url), record);
    if (isSeen(record)) seen.push(entryOf(declaration, old.get(record.finalUrl), options));
  }
  // Only now all is known of what each index declared.
  const withDeclarations = seen.map((entry) => {
    const declarations = plan.declarationsOf(entry.url);
    return declarations === undefined ? entry : { ...entry, evidence: { ...entry.evidence, declarations } };
  });
  const found = new Map(seen.map((entry) => [entry.url, entry]));
  const kept = new Absence(options, old, found, asked).kept();
  return { seen: withDeclarations, kept };
}

function isSeen({ outcome, sameAs }: SitemapRecord): boolean {
  return sameAs === undefined && (outcome === "found" || outcome === "unchanged");
}

/** All documents that the walk came to, each with what declares it. */
function gather(roots: readonly SitemapRecord[]): Map<SitemapRecord, Declared> {
  const declared = new Map<SitemapRecord, Declared>();
  const queue: { record: SitemapRecord; place?: Place; parent?: SitemapRecord }[] = [];
  for (const record of roots) queue.push({ record });
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { place, parent } = next;
    const target = resolveRecord(next.record);
    let declaration = declared.get(target);
    if (declaration === undefined) {
      declaration = { record: target, place, parents: [] };
      declared.set(target, declaration);
      for (const child of target.places) {
        if (child.record !== undefined) queue.push({ record: child.record, place: child, parent: target });
      }
    }
    if (parent !== undefined && parent !== target && !declaration.parents.includes(parent.finalUrl)) {
      declaration.parents.push(parent.finalUrl);
    }
  }
  return declared;
}

function entryOf(
  { record, place, parents }: Declared,
  before: SnapshotSitemap | undefined,
  { plan, read, at }: NextOptions,
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
    children: record.places.map(({ url, lastModified: date }) =>
      date === undefined ? [url] : [url, declaredText(date)],
    ),
    pageCount: facts?.pageCount ?? (isRead ? 0 : (before?.pageCount ?? 0)),
    seenAt: finding === "unasked" ? (before?.seenAt ?? at) : at,
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
): NonNullable<SnapshotSitemap["unknown"]> {
  const { since = at, times = 0 } = before?.unknown ?? {};
  return { code, since, times: times + 1 };
}

/** Which of the sitemaps that were not seen are gone, and which may still be there. */
class Absence {
  readonly #options: NextOptions;
  readonly #old: ReadonlyMap<string, SnapshotSitemap>;
  readonly #found: ReadonlyMap<string, SitemapEntry>;
  readonly #asked: ReadonlyMap<string, SitemapRecord>;
  /** By URL: undefined while it is being found out, which counts as gone: a circle keeps nobody. */
  readonly #unknown: Map<string, NonNullable<SnapshotSitemap["unknown"]> | undefined> = new Map();

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
  }

  kept(): SitemapEntry[] {
    return [...this.#old.values()].flatMap((sitemap) => {
      if (this.#found.has(sitemap.url)) return [];
      const unknown = this.#judge(sitemap);
      const { section: _, ...entry } = sitemap;
      return unknown === undefined ? [] : [{ ...entry, unknown }];
    });
  }

  /** Since when nobody knows about it; undefined when it is gone. */
  #judge(sitemap: SnapshotSitemap): SnapshotSitemap["unknown"] {
    if (this.#unknown.has(sitemap.url)) return this.#unknown.get(sitemap.url);
    this.#unknown.set(sitemap.url, undefined);
    const code = this.#failure(sitemap);
    const unknown = code && unknownSince(sitemap, code, this.#options.at);
    const isAbsent = code === "not-fetched" || this.#isNotFound(sitemap);
    const verdict = isAbsent && unknown !== undefined && unknown.times >= MAX_ABSENT ? undefined : unknown;
    this.#unknown.set(sitemap.url, verdict);
    return verdict;
  }

  /** Why it could not be seen; undefined when nothing stood in the way. */
  #failure(sitemap: SnapshotSitemap): IssueCode | undefined {
    const record = this.#recordOf(sitemap);
    if (record !== undefined) {
      if (record.sameAs !== undefined || record.kind?.kind !== "invalid") return undefined;
      return record.kind.code;
    }
    if (sitemap.parents.length === 0) return "not-fetched";
    for (const url of sitemap.parents) {
      const parent = this.#found.get(url);
      if (parent !== undefined) {
        const verdict = this.#verdictOn(parent.url, sitemap);
        if (verdict !== undefined) return verdict;
        continue;
      }
      const old = this.#old.get(url);
      const unknown = old && this.#judge(old);
      if (unknown !== undefined) return unknown.code;
    }
    return undefined;
  }

  /** A parent that was seen: cut before it could list this one, or it does list it and we did not go there. */
  #verdictOn(parentUrl: string, { url, requestedUrl }: SnapshotSitemap): IssueCode | undefined {
    const record = this.#asked.get(urlKey(parentUrl))!;
    const target = resolveRecord(record);
    const keys = new Set([urlKey(url), urlKey(requestedUrl ?? url)]);
    const place = target.places.find((each) => keys.has(urlKey(each.url)));
    if (place !== undefined) return place.verdict?.code ?? "not-fetched";
    return target.partial ? cutCode(target) : undefined;
  }

  #recordOf({ url, requestedUrl }: SnapshotSitemap): SitemapRecord | undefined {
    return this.#asked.get(urlKey(url)) ?? this.#asked.get(urlKey(requestedUrl ?? url));
  }

  #isNotFound(sitemap: SnapshotSitemap): boolean {
    const status = this.#recordOf(sitemap)?.http?.status;
    return status === 404 || status === 410;
  }
}
