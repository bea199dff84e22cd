/**
 * The walk over one site: robots.txt, what it names, the known locations, the links of the homepage, and
 * all that these declare. Each URL is requested once; what ends how is told event by event, in the order
 * in which it happens. The tree comes out of the same records (tree.ts).
 *
 * What any server does ends up in a record. Thrown are only the reason of the caller's abort and errors of
 * the caller's own callbacks.
 *
 * Longer than most files: the plan and the accounting of who was asked what share their records. How it asks is in
 * manners.ts, limits are counted in budget.ts, one document is read in read-document.ts.
 */
import { decompress } from "../decode/inflate.ts";
import { knownUrl, readHomepageUrl } from "../discover/homepage-url.ts";
import { knownPaths } from "../discover/known-paths.ts";
import type { Client } from "../fetch/client.ts";
import { createDeadline, type Deadline, TimeoutError, unlessAborted } from "../fetch/deadline.ts";
import { fetchResource, type Resource, type ResourceOptions } from "../fetch/fetch-resource.ts";
import { IssueLog, issueValue, type Report } from "../issue-log.ts";
import { type IssueCode, refusals, severityOf } from "../issues.ts";
import type { Issue, Page } from "../model.ts";
import { logUrl } from "../sinks/log-line.ts";
import { Agenda } from "./agenda.ts";
import { type Breach, Budget, breachOf } from "./budget.ts";
import { Channel } from "./channel.ts";
import { ChildRun } from "./child-run.ts";
import { contentKey } from "./content-hash.ts";
import { DeclaredChildren } from "./declared-children.ts";
import {
  copyIssue,
  describe,
  describePlace,
  misplacedIssue,
  reasonOf,
  recursionReason,
  stoppedBy,
} from "./describe.ts";
import { DocumentMeter } from "./document-meter.ts";
import type { SitemapOrigin, WalkEvent } from "./events.ts";
import { filterPlaces } from "./filter.ts";
import { HomepageBytes, type HomepageLinks } from "./homepage-bytes.ts";
import { Hosts } from "./hosts.ts";
import { DEFAULT_CONCURRENCY, Manners } from "./manners.ts";
import { checkPoliteness, readLimits, type WalkLimits, type WalkOptions } from "./options.ts";
import { type Body, httpFacts, type ReadDocument, readDocument } from "./read-document.ts";
import {
  createRecord,
  isAbove,
  NONE,
  type Place,
  resolveRecord,
  type SitemapRecord,
  settle,
  type Verdict,
} from "./record.ts";
import { RequestTimer } from "./request-timer.ts";
import type { Earlier, Revisit } from "./revisit.ts";
import { Turns } from "./turns.ts";
import { urlKey } from "./url-key.ts";

/** Documents read at once, over all hosts; each host has its own, smaller number. */
const MAX_TASKS = 16;
/** Batches of events that may wait for the reader. */
const CHANNEL_CAPACITY = 4;
/** As many pages are remembered for a second reading (url-set.ts). */
const MAX_REMEMBERED = 393_216;

/** So much is told or queued before others have their turn: 10 ms. */
const STEP = 500;

const FILTERED: Verdict = { outcome: "skipped", code: "filtered", reason: "left out by a filter" };

/** What is asked for under this name is a robots.txt, wherever a redirect leads. */
const ROBOTS_PATH = /\/robots\.txt$/i;

/** What is made of a walk besides its events. */
export interface WalkUse {
  /** Takes the pages: they are no events then, unless somebody asks for events. */
  readonly keepPages?: (record: SitemapRecord, pages: readonly Page[]) => void;
  /** Knows what was there before. */
  readonly revisit?: Revisit;
}

interface Postponed {
  readonly parent: SitemapRecord;
  readonly breach: Breach;
}

export class Walker {
  readonly homepage: URL;
  /** In order: robots.txt, the known locations, the links of the homepage. */
  readonly roots: SitemapRecord[] = [];
  /** Those of the site, not of a sitemap: the limits that were reached among them. */
  readonly issues: Issue[] = [];

  readonly #options: WalkOptions;
  readonly #limits: Required<WalkLimits>;
  readonly #budget: Budget;
  readonly #hosts: Hosts;
  readonly #manners: Manners;
  readonly #keepPages: WalkUse["keepPages"];
  readonly #revisit: Revisit | undefined;
  /** What did not change has pages, too. */
  #hasUnchangedPages = false;
  readonly #channel: Channel<readonly WalkEvent[]> = new Channel(CHANNEL_CAPACITY);
  readonly #turns: Turns = new Turns(STEP);
  /** Ends with the caller's signal, with the reader, or when time is up. */
  readonly #deadline: Deadline;

  /** Every URL requested or about to be, redirects among them. */
  readonly #claimed: Map<string, SitemapRecord> = new Map();
  readonly #agenda: Agenda = new Agenda();
  /** What a limit keeps us from requesting, unless somebody else declares it who is not so limited. */
  readonly #postponed: Map<Place, Postponed> = new Map();
  /** Shared by those that come one after the other: there may be 50,000. */
  #lastPostponed: Postponed | undefined;
  /** One breach for all: there may be 50,000 sitemaps too many. */
  #tooMany: Breach | undefined;
  /** The first with this content. */
  readonly #contents: Map<string, SitemapRecord> = new Map();
  /** The children that are to be requested, by what declares them. */
  readonly #runs: Map<SitemapRecord, ChildRun> = new Map();
  #running = 0;
  #idle: (() => void) | undefined;
  /** The limit that ended the walk. */
  #stopped: Breach | undefined;
  readonly #startedAt = performance.now();
  #homepageLinks: HomepageLinks = { sitemaps: [], feeds: [] };

  constructor(
    homepageUrl: string,
    options: WalkOptions,
    client: Client,
    { keepPages, revisit }: WalkUse = {},
  ) {
    this.homepage = readHomepageUrl(homepageUrl, { normalize: options.normalizeHomepageUrl ?? true });
    this.#options = options;
    checkPoliteness(options);
    if (options.httpsOnly && this.homepage.protocol === "http:") {
      throw new TypeError(`Cannot walk ${logUrl(this.homepage.href)} with httpsOnly: it is not https`);
    }
    this.#limits = readLimits(options.limits);
    this.#budget = new Budget(this.#limits);
    this.#hosts = new Hosts(this.homepage, options, this.#budget);
    this.#manners = new Manners(this.homepage, options, client, this.#limits, this.#hosts);
    this.#keepPages = keepPages;
    this.#revisit = revisit;
    this.#deadline = createDeadline(options.signal, this.#limits.timeMs, "The walk");
    this.#deadline.signal.addEventListener("abort", () => {
      if (this.#deadline.signal.reason instanceof TimeoutError) this.#stopInTime();
    });
    if (this.#limits.timeMs === 0) this.#stopInTime();
  }

  /** Redirects, further tries and the homepage among them. */
  get requestCount(): number {
    return this.#manners.requestCount;
  }

  /** A limit kept something back. */
  get isPartial(): boolean {
    return this.#budget.reached.size > 0;
  }

  /** Walks, giving events in batches. Leaving the loop early ends everything that goes on. */
  async *run(): AsyncGenerator<readonly WalkEvent[]> {
    const done = this.#walk().then(
      () => this.#channel.close(),
      (reason: unknown) => this.#channel.close({ reason }),
    );
    try {
      yield* this.#channel.read();
    } finally {
      this.#deadline.expire(new Error("The walk was left"));
      await done;
      this.#deadline.clear();
    }
  }

  // ---------------------------------------------------------------- the plan

  async #walk(): Promise<void> {
    const { useRobots = true, useHomepageLinks = "when-empty" } = this.#options;
    if (useRobots) await this.#readRobots();
    if (this.#options.useKnownPaths === "when-empty") await this.#drain();
    this.#guess();
    await this.#drain();
    if (useHomepageLinks === true || (useHomepageLinks === "when-empty" && this.#isEmpty)) {
      await this.#readHomepage();
    } else if (useHomepageLinks !== false) {
      // It may lead there still: nobody has looked.
      for (const url of this.#revisit?.homepageLinks ?? []) this.#addRoot(url, "homepage");
      await this.#drain();
    }
    await this.#settlePostponed();
    for (const { code, value } of this.#budget.reached.values()) {
      await this.#tellIssue(code, this.homepage.href, value);
    }
    this.#options.signal?.throwIfAborted();
  }

  async #readRobots(): Promise<void> {
    const record = this.#addRoot(knownUrl(this.homepage, "robots.txt"), "robots");
    if (record === undefined) return;
    await this.#drain(1);
    const { outcome, kind, http } = record;
    const isDown =
      outcome === "failed" && kind?.kind === "invalid" && http !== undefined && http.status >= 500;
    const isUnreachable = outcome === "failed" && http === undefined;
    if (isDown || isUnreachable) {
      this.#manners.isRobotsDown = true;
      await this.#tellIssue("robots.unreachable", record.url);
    }
    // A site that lives elsewhere says so with its robots.txt, even if there is none (H40).
    const { origin, pathname } = new URL(record.finalUrl);
    if (http !== undefined && origin !== this.homepage.origin && pathname === new URL(record.url).pathname) {
      this.#manners.origin = new URL(this.homepage.pathname, origin);
      this.#hosts.addOwn(this.#manners.origin);
    }
  }

  /** No page was found so far. */
  get #isEmpty(): boolean {
    return this.#budget.pageCount === 0 && !this.#hasUnchangedPages;
  }

  #guess(): void {
    const { useKnownPaths = true, knownPaths: set = "usual", extraKnownPaths = [] } = this.#options;
    const known = useKnownPaths === false ? [] : knownPaths(set).filter((path) => this.#isTried(path));
    // What robots.txt named is not guessed, not even what a filter left out of it.
    const named = new Set(this.roots.flatMap(({ places }) => places.map(({ url }) => urlKey(url))));
    for (const path of [...known, ...extraKnownPaths]) {
      const url = knownUrl(this.#manners.origin, path);
      if (!named.has(urlKey(url)) && !this.#revisit?.isSkipped(url)) this.#addRoot(url, "known");
    }
  }

  #isTried(path: string): boolean {
    if (this.#options.useKnownPaths !== "when-empty" || this.#isEmpty) return true;
    // What was there the last time is no guess.
    return this.#revisit?.recall(knownUrl(this.#manners.origin, path), undefined, undefined) !== undefined;
  }

  #addRoot(url: string, source: SitemapOrigin): SitemapRecord | undefined {
    if (this.#claimed.has(urlKey(url))) return undefined;
    const record = createRecord(url, source, 0);
    this.roots.push(record);
    this.#enqueue(record);
    return record;
  }

  #enqueue(record: SitemapRecord): void {
    this.#claimed.set(urlKey(record.url), record);
    this.#agenda.add(record);
  }

  /** Works off the queue, all that is added meanwhile included; with a number, only so many documents. */
  async #drain(most: number = Number.POSITIVE_INFINITY): Promise<void> {
    let begun = 0;
    let failure: { reason: unknown } | undefined;
    for (;;) {
      while (this.#running < MAX_TASKS && begun < most && failure === undefined && !this.#channel.closed) {
        // A guess that waits for its turn at the host would keep what is declared meanwhile from its own.
        const record = this.#agenda.take(this.#running < (this.#options.concurrency ?? DEFAULT_CONCURRENCY));
        if (record === undefined) break;
        begun++;
        this.#running++;
        this.#visit(record)
          .catch((reason: unknown) => {
            failure ??= { reason };
            this.#deadline.expire(reason);
          })
          .finally(() => {
            this.#running--;
            this.#idle?.();
          });
      }
      if (this.#running === 0) break;
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    if (failure !== undefined) throw failure.reason;
  }

  // ---------------------------------------------------------------- one document

  async #visit(record: SitemapRecord): Promise<void> {
    const refusal = await this.#refusal(record);
    if (refusal !== undefined) settle(record, refusal);
    else {
      try {
        await this.#request(record);
      } catch (error) {
        settle(record, this.#expectStop(error));
        record.finalUrl = record.redirects.pop() ?? record.url;
      }
    }
    const misplaced = misplacedIssue(record);
    if (misplaced !== undefined) {
      record.issues = [...record.issues, misplaced];
      record.issueCount++;
    }
    await this.#tellEnd(record);
    await this.#follow(record);
    if (record.parent !== undefined) await this.#feed(record.parent);
  }

  async #tellEnd(record: SitemapRecord): Promise<void> {
    const key = record.contentKey;
    const original = key === undefined ? undefined : this.#contents.get(key);
    if (key !== undefined && original === undefined) this.#contents.set(key, record);
    // Not among the record's own: which of the two came first is chance, and the tree has an order.
    const told = original === undefined ? record.issues : [...record.issues, copyIssue(record, original)];
    const issues = told.map((issue) => ({ kind: "issue", issue }) as const);
    const { finalUrl, contentHash } = record;
    const isSame = contentHash !== undefined && this.#revisit?.isSame(finalUrl, contentHash) === true;
    const sitemap = describe(record, original, isSame);
    await this.#tell([...issues, { kind: "sitemap", sitemap }]);
    if (this.#keepPages !== undefined) return;
    // A stream that never ends must not gather them.
    record.issues = [];
    record.contentHash = undefined;
    record.contentKey = undefined;
    if (record.redirects.length === 0) record.redirects = NONE;
  }

  /** Why a document is not requested at all. */
  async #refusal(record: SitemapRecord): Promise<Verdict | undefined> {
    const full = this.#budget.bytesBreach(true);
    if (full !== undefined) this.#stop(full);
    if (this.#stopped !== undefined) return stoppedBy(this.#stopped);
    const url = new URL(record.url);
    if (this.#hosts.isDead(url.host)) {
      return { outcome: "failed", code: "http.connection", reason: "the host did not answer before" };
    }
    // What robots.txt itself lists is meant to be read (H34).
    const listed = record.source === "robots" || record.parent?.source === "robots";
    if (!listed && !this.#manners.isAllowed(record.url)) {
      return { outcome: "skipped", code: "robots.disallowed", reason: "robots.txt disallows it" };
    }
    const elsewhere = await this.#hosts.refusal(url);
    if (elsewhere !== undefined) return elsewhere;
    const tooMany = this.#budget.take("sitemaps");
    return tooMany && stoppedBy(this.#budget.reach(tooMany));
  }

  async #request(record: SitemapRecord): Promise<void> {
    const timer = new RequestTimer();
    const log = new IssueLog(record.url, false, this.#limits.issues);
    const earlier = this.#recall(record);
    if (earlier?.isTrusted) return this.#reuse(record, earlier);
    const ask = (url: string, known?: Earlier): Promise<Resource> =>
      fetchResource(url, this.#resourceOptions(record, log.report, timer, known));
    let resource = await ask(record.url, earlier);
    const isUnmodified = resource.kind === "failed" && resource.status === 304 && earlier !== undefined;
    if (isUnmodified && this.#believes(record)) {
      timer.stop();
      record.http = { status: 304, bytes: 0, ...timer.facts() };
      return this.#reuse(record, earlier);
    }
    if (isUnmodified) resource = await ask(record.redirects.pop()!);
    record.issues = log.kept;
    record.issueCount = log.total;
    if (resource.kind === "known") return this.#share(record, resource.url);
    record.finalUrl = resource.url;
    record.redirects.pop();
    if (resource.kind === "failed") {
      settle(record, failure(resource));
      record.partial = resource.code === "limit.bytes";
      timer.stop();
      const { status } = resource;
      if (status !== undefined) record.http = { status, bytes: 0, ...timer.facts() };
      return;
    }
    const document = await this.#read(record, resource, log);
    timer.stop();
    const isLost = resource.cut() === "http.truncated";
    const last = (isLost && (await this.#readAgain(record, document, log, timer))) || resource;
    timer.stop();
    record.http = httpFacts(last, timer.facts());
  }

  /** What is known of it from before. The rules of robots.txt are not kept, so it is always read. */
  #recall({ url, source, lastModified, parent }: SitemapRecord): Earlier | undefined {
    return source === "robots" ? undefined : this.#revisit?.recall(url, lastModified, parent?.finalUrl);
  }

  #believes({ url, lastModified, parent }: SitemapRecord): boolean {
    return this.#revisit!.believes(url, lastModified, parent?.finalUrl);
  }

  /** It is what it was: its pages are known, its sitemaps are followed. */
  async #reuse(record: SitemapRecord, { url, kind, pageCount, children }: Earlier): Promise<void> {
    const owner = this.#claimed.get(urlKey(url));
    if (owner !== undefined && owner !== record) return this.#share(record, url);
    this.#claimed.set(urlKey(url), record);
    const declared = new DeclaredChildren(this.#budget, "children");
    for (const child of children) declared.add(child);
    if (record.redirects.at(-1) === url) record.redirects.pop();
    record.finalUrl = url;
    record.kind = kind;
    record.outcome = "unchanged";
    record.pageCount = pageCount;
    record.places = declared.places;
    record.childCount = declared.places.length;
    record.partial = declared.breach !== undefined;
    if (pageCount > 0) this.#hasUnchangedPages = true;
  }

  /**
   * A body was cut: asks once more (H20). Pages that were given out are not given again, and the result is
   * that of the second time, unless the first was better.
   */
  async #readAgain(
    record: SitemapRecord,
    document: ReadDocument,
    log: IssueLog,
    timer: RequestTimer,
  ): Promise<Body | undefined> {
    if (this.#limits.retries === 0 || this.#stopped !== undefined) return undefined;
    if (record.pageCount > MAX_REMEMBERED) return undefined;
    const first = { ...record };
    const hops = record.redirects.length;
    log.report("http.retry", "the connection broke");
    try {
      const resource = await fetchResource(record.finalUrl, this.#resourceOptions(record, log.report, timer));
      if (resource.kind === "body" && resource.url === record.finalUrl) {
        document.pageUrls.duplicates = 0;
        this.#hold(record, []);
        const { isPartial } = await this.#read(record, resource, log, document);
        // Pages were given that this one does not list: together they are no document that there ever was.
        if (record.duplicateCount < first.pageCount) record.contentHash = undefined;
        record.duplicateCount = Math.max(0, record.duplicateCount - first.pageCount);
        const isMore = record.pageCount > first.pageCount || record.places.length >= first.places.length;
        if (record.outcome === "found" && (isMore || !isPartial)) return resource;
      } else if (resource.kind === "body") resource.cancel();
    } catch (error) {
      this.#expectStop(error);
    } finally {
      record.redirects.length = hops;
    }
    this.#hold(record, first.places);
    const { pageCount } = record;
    const issues = [...log.kept, ...document.log.kept];
    Object.assign(record, first, { pageCount, issues, issueCount: log.total + document.log.total });
    return undefined;
  }

  /** A redirect led to what was requested before: the two are one document. */
  async #share(record: SitemapRecord, url: string): Promise<void> {
    const target = resolveRecord(this.#claimed.get(urlKey(url))!);
    if (target === record) {
      // The other one was led here before: neither of them is anything.
      record.finalUrl = record.redirects.pop()!;
      settle(record, {
        outcome: "failed",
        code: "http.redirect-loop",
        reason: `redirects to ${url}, which leads back`,
      });
      return;
    }
    record.sameAs = target;
    record.outcome = "shared";
    record.finalUrl = url;
    await this.#relax(target, record.level);
  }

  async #read(
    record: SitemapRecord,
    resource: Body,
    log: IssueLog,
    before?: ReadDocument,
  ): Promise<ReadDocument> {
    const homepage = this.#isHomepage(record)
      ? new HomepageBytes(resource.url, resource.headers["link"])
      : undefined;
    const document = await readDocument(resource, {
      budget: this.#budget,
      strict: this.#options.strict ?? false,
      isRobots: ROBOTS_PATH.test(new URL(record.url).pathname),
      pageUrls: before?.pageUrls,
      homepage,
      onPages: (pages) => this.#givePages(record, pages),
      stopped: () => this.#stopAtBytes(),
    });
    if (homepage !== undefined) this.#homepageLinks = homepage.end();
    record.kind = document.kind;
    record.outcome = document.kind.kind === "invalid" ? "failed" : "found";
    record.partial = document.isPartial;
    record.cutBy = document.cutBy;
    record.duplicateCount = document.duplicateCount;
    record.places = document.places;
    record.childCount = document.places.length;
    record.contentHash = document.contentHash;
    record.contentKey = keyOf(document, before);
    if (record.source === "robots" && document.robots !== undefined) {
      this.#manners.obey(record, document.robots, document.log.report);
    }
    record.issues = [...log.kept, ...document.log.kept];
    record.issueCount = log.total + document.log.total;
    this.#options.signal?.throwIfAborted();
    return document;
  }

  /** Gives out as many as there is room for; says if that is not all. */
  async #givePages(record: SitemapRecord, pages: readonly Page[]): Promise<Breach | undefined> {
    if (pages.length === 0) return undefined;
    const { count, breach, endsWalk } = this.#budget.takePages(pages.length, record.pageCount);
    const given = count < pages.length ? pages.slice(0, count) : pages;
    record.pageCount += given.length;
    this.#keepPages?.(record, given);
    // Who keeps the pages does not read them here.
    if (this.#keepPages === undefined || this.#options.onEvent !== undefined) {
      const sitemapUrl = record.finalUrl;
      await this.#tell(given.map((page) => ({ kind: "page", page, sitemapUrl })));
    }
    if (breach !== undefined && endsWalk) this.#stop(breach);
    return breach;
  }

  // ---------------------------------------------------------------- what a document declares

  async #follow(record: SitemapRecord): Promise<void> {
    const isHere = record.outcome === "found" || record.outcome === "unchanged";
    if (!isHere || record.places.length === 0) return;
    const tooMany = record.source === "robots" ? undefined : this.#budget.take("indexes");
    if (tooMany !== undefined) {
      for (const place of record.places) this.#postpone(place, record, tooMany);
      return;
    }
    const answer = <T>(given: T | Promise<T>): Promise<T> =>
      unlessAborted(Promise.resolve(given), this.#deadline.signal);
    const kept = await filterPlaces(record, this.#options, answer).catch((error: unknown) => {
      this.#expectStop(error);
      return undefined;
    });
    const places = kept === undefined ? record.places : [...kept];
    const declared = record.places;
    // What robots.txt named must stay known: it is not guessed.
    if (record.source !== "robots") this.#hold(record, places);
    for (const place of declared) {
      if (kept?.has(place) === false) await this.#refuse(record, place, FILTERED);
    }
    this.#runs.set(record, new ChildRun(record, places, this.#limits.barrenChildren));
    await this.#feed(record);
  }

  /** These children and no others. */
  #hold(record: SitemapRecord, places: readonly Place[]): void {
    this.#budget.releaseChildren(record.places.length - places.length);
    record.places = places;
  }

  /** Requests as many children of this one as may be, now that it or one of them has ended. */
  async #feed(parent: SitemapRecord): Promise<void> {
    const run = this.#runs.get(parent);
    if (run === undefined || run.busy) return;
    run.busy = true;
    for (let place = run.take(); place !== undefined; place = run.take()) {
      await this.#place(parent, place);
      await this.#turns.rest();
    }
    run.busy = false;
    if (!run.isOver) return;
    this.#runs.delete(parent);
    const { rest } = run;
    if (rest.length === 0) return;
    const { barrenChildren } = this.#limits;
    const breach = breachOf(this.#limits, "barrenChildren", barrenChildren);
    // Somebody else may still lead there, or did so before.
    for (const place of rest) this.#postpone(place, parent, breach);
  }

  /** Requests what is declared here, or shares what was requested before. */
  async #place(parent: SitemapRecord, place: Place): Promise<void> {
    const level = parent.level + 1;
    const known = this.#claimed.get(urlKey(place.url));
    if (known !== undefined) {
      place.record = known;
      this.#agenda.promote(known);
      const code = place.url === parent.finalUrl ? "index.self-reference" : "index.cycle";
      const target = resolveRecord(known);
      const reason = recursionReason(target.finalUrl, parent.finalUrl, place.url);
      const verdict = isAbove(target, parent) ? ({ outcome: "failed", code, reason } as const) : undefined;
      await this.#tell([{ kind: "sitemap", sitemap: describePlace(parent, place, level, verdict) }]);
      await this.#relax(target, level);
      return;
    }
    if (level > this.#limits.depth) {
      this.#postpone(place, parent, breachOf(this.#limits, "depth", level));
      return;
    }
    // What cannot be requested any more needs no record: there may be 50,000.
    if (this.#stopped !== undefined) return this.#refuse(parent, place, stoppedBy(this.#stopped));
    const over = this.#budget.full("sitemaps");
    if (over !== undefined) {
      // A redirect of one that is under way may still lead there.
      this.#tooMany ??= over;
      this.#postpone(place, parent, this.#tooMany);
      return;
    }
    place.record = createRecord(place.url, "sitemap", level, parent, place.lastModified);
    this.#enqueue(place.record);
  }

  #postpone(place: Place, parent: SitemapRecord, breach: Breach): void {
    const last = this.#lastPostponed;
    const isSame = last !== undefined && last.parent === parent && last.breach === breach;
    this.#lastPostponed = isSame ? last : { parent, breach };
    this.#postponed.set(place, this.#lastPostponed);
  }

  async #refuse(parent: SitemapRecord, place: Place, verdict: Verdict): Promise<void> {
    place.verdict = verdict;
    await this.#tell([{ kind: "sitemap", sitemap: describePlace(parent, place, parent.level + 1, verdict) }]);
  }

  /** A document turned up at a smaller level: what was too deep below it may not be any more. */
  async #relax(record: SitemapRecord, level: number): Promise<void> {
    if (level >= record.level) return;
    record.level = level;
    for (const place of record.places) {
      if (place.record !== undefined) await this.#relax(resolveRecord(place.record), level + 1);
      else if (this.#postponed.get(place)?.breach.code === "limit.depth") {
        this.#postponed.delete(place);
        await this.#place(record, place);
      }
    }
  }

  /** At the end: what was requested after all is shared, the rest is refused. */
  async #settlePostponed(): Promise<void> {
    for (let isShared = true; isShared; ) {
      isShared = false;
      for (const [place, { parent }] of this.#postponed) {
        await this.#turns.rest();
        if (!this.#claimed.has(urlKey(place.url))) continue;
        this.#postponed.delete(place);
        await this.#place(parent, place);
        isShared = true;
      }
      await this.#drain();
    }
    for (const [place, { parent, breach }] of this.#postponed) {
      if (breach.code === "limit.barren") parent.partial = true;
      await this.#refuse(parent, place, stoppedBy(this.#budget.reach(breach)));
    }
  }

  // ---------------------------------------------------------------- the homepage

  async #readHomepage(): Promise<void> {
    if (this.#stopped !== undefined) return;
    // Many a guess redirects to the homepage: then it was read on that occasion.
    const { href } = this.homepage;
    if (!this.#claimed.has(urlKey(href)) && this.#manners.isAllowed(href)) {
      await this.#requestHomepage().catch((error: unknown) => this.#expectStop(error));
    }
    const { sitemaps, feeds } = this.#homepageLinks;
    for (const link of sitemaps) this.#addRoot(link, "homepage");
    await this.#drain();
    // Better than nothing: its latest entries.
    if (!this.#isEmpty) return;
    for (const link of feeds) this.#addRoot(link, "homepage");
    await this.#drain();
  }

  /** Whether a redirect led to the homepage or over it. */
  #isHomepage({ redirects, finalUrl }: SitemapRecord): boolean {
    const key = urlKey(this.homepage.href);
    const isWanted = this.#options.useHomepageLinks !== false;
    return isWanted && (urlKey(finalUrl) === key || redirects.some((url) => urlKey(url) === key));
  }

  async #requestHomepage(): Promise<void> {
    const { href } = this.homepage;
    // For those that redirect here later: the homepage is no sitemap.
    const record = createRecord(href, "homepage", 0);
    settle(record, { outcome: "failed", code: "content.html", reason: refusals["content.html"] });
    const { claim, ...options } = this.#resourceOptions(record, () => {});
    const resource = await fetchResource(href, { ...options, claim: (url) => claim(url) || true });
    if (resource.kind === "failed") await this.#tellIssue(resource.code, href, resource.reason);
    if (resource.kind !== "body") return;
    const homepage = new HomepageBytes(resource.url, resource.headers["link"]);
    const { takeBytes: onInput, mayInflate } = new DocumentMeter(this.#limits, resource.usedBytes);
    const frame = { report() {}, url: resource.url, onCut() {}, onInput, mayInflate };
    for await (const chunk of decompress(resource.body, frame)) {
      homepage.push(chunk);
      if (homepage.done) break;
    }
    this.#homepageLinks = homepage.end();
  }

  /** How to ask for what this record is: each URL on the way is requested once. */
  #resourceOptions(
    record: SitemapRecord,
    report: Report,
    timer?: RequestTimer,
    earlier?: Earlier,
  ): ResourceOptions {
    const claim = (url: string): boolean => {
      const key = urlKey(url);
      const owner = this.#claimed.get(key);
      if (owner !== undefined && owner !== record) return false;
      this.#claimed.set(key, record);
      record.redirects.push(url);
      return true;
    };
    const asker = { report, ...(timer !== undefined && { timer }), earlier, claim };
    return this.#manners.resourceOptions(record, asker, this.#deadline.signal);
  }

  // ---------------------------------------------------------------- telling

  async #tell(events: readonly WalkEvent[]): Promise<void> {
    const { onEvent } = this.#options;
    if (onEvent !== undefined) for (const event of events) onEvent(event);
    await this.#channel.send(events);
    await this.#turns.rest();
  }

  async #tellIssue(code: IssueCode, url: string, value?: string): Promise<void> {
    const issue: Issue = {
      code,
      severity: severityOf(code),
      url,
      ...(value !== undefined && { value: issueValue(value) }),
    };
    this.issues.push(issue);
    await this.#tell([{ kind: "issue", issue }]);
  }

  // ---------------------------------------------------------------- limits

  /** A limit of the whole walk: all requests end. What they gave is kept. */
  #stop(breach: Breach): void {
    this.#stopped ??= this.#budget.reach(breach);
    this.#deadline.expire(new Error(reasonOf(breach)));
  }

  #stopInTime(): void {
    const elapsedMs = Math.max(this.#limits.timeMs, performance.now() - this.#startedAt);
    this.#stop(breachOf(this.#limits, "timeMs", elapsedMs));
  }

  /** Why the walk is over, if it is, by bytes or otherwise. */
  #stopAtBytes(): Breach | undefined {
    const breach = this.#budget.bytesBreach();
    if (breach !== undefined) this.#stop(breach);
    return this.#stopped;
  }

  /** Something was ended: by a limit, as it should be, or else it throws on. */
  #expectStop(error: unknown): Verdict {
    this.#options.signal?.throwIfAborted();
    if (this.#stopped === undefined || error !== this.#deadline.signal.reason) throw error;
    return stoppedBy(this.#stopped);
  }
}

/** The key of the content of a document that was read to its end and lists anything; `before`: an earlier reading. */
function keyOf({ contentHash, firstUrl }: ReadDocument, before?: ReadDocument): string | undefined {
  const first = before?.firstUrl ?? firstUrl;
  return contentHash === undefined || first === undefined ? undefined : contentKey(contentHash, first);
}

/** What became of a request that gave no body. */
function failure({ code, reason }: { readonly code: IssueCode; readonly reason: string }): Verdict {
  if (code === "url.cross-host" || code === "http.downgrade") return { outcome: "skipped", code, reason };
  return { outcome: code === "limit.foreign-hosts" ? "stopped" : "failed", code, reason };
}
