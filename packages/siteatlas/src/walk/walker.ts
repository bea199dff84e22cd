/**
 * The walk over one site: robots.txt, what it names, the known locations, the links of the homepage, and
 * all that these declare. Each URL is requested once; what ends how is told event by event, in the order
 * in which it happens. The tree comes out of the same records (tree.ts).
 *
 * What any server does ends up in a record. Thrown are only the reason of the caller's abort and errors of
 * the caller's own callbacks.
 *
 * Longer than most files: the plan, the limits and the accounting of who was asked what share their counts.
 */
import { decompress } from "../decode/inflate.ts";
import { knownUrl, readHomepageUrl } from "../discover/homepage-url.ts";
import { knownPaths } from "../discover/known-paths.ts";
import type { Client } from "../fetch/client.ts";
import { createDeadline, type Deadline, TimeoutError, unlessAborted } from "../fetch/deadline.ts";
import { classifyError, DeadHostError } from "../fetch/errors.ts";
import { fetchResource, type Resource, type ResourceOptions } from "../fetch/fetch-resource.ts";
import { type GateRules, gateOf } from "../fetch/host-gate.ts";
import { IssueLog, type Report } from "../issue-log.ts";
import { describeIssue, type IssueCode } from "../issues.ts";
import type { Issue, Page, SubSitemap } from "../model.ts";
import { DocumentParser } from "../parse/document.ts";
import { createRobotsMatcher, type RobotsMatcher } from "../parse/robots-match.ts";
import { Channel } from "./channel.ts";
import { describe, describePlace, misplacedIssue, recursionReason } from "./describe.ts";
import type { SitemapOrigin, WalkEvent } from "./events.ts";
import { HomepageBytes } from "./homepage-bytes.ts";
import { readLimits, type WalkLimits, type WalkOptions } from "./options.ts";
import {
  createRecord,
  isAbove,
  lineage,
  type Place,
  resolveRecord,
  type SitemapRecord,
  type Verdict,
} from "./record.ts";

/** Documents read at once, over all hosts; each host has its own, smaller number. */
const MAX_TASKS = 16;
/** Batches of events that may wait for the reader. */
const CHANNEL_CAPACITY = 4;
/** The longest Crawl-delay that is waited for. */
const MAX_CRAWL_DELAY_MS = 30_000;
/** So many connections in a row that did not come about, one request with its retries, and a host is dead (H36). */
const MAX_FAILED_CONNECTIONS = 3;

type Body = Extract<Resource, { kind: "body" }>;

/** What is asked for under this name is a robots.txt, wherever a redirect leads. */
const ROBOTS_PATH = /\/robots\.txt$/i;

export class Walker {
  readonly homepage: URL;
  /** In order: robots.txt, the known locations, the links of the homepage. */
  readonly roots: SitemapRecord[] = [];
  /** The limits that were reached. */
  readonly reached: Set<IssueCode> = new Set();
  /** Those of the site, not of a sitemap. */
  readonly issues: Issue[] = [];

  readonly #options: WalkOptions;
  readonly #client: Client;
  readonly #limits: Required<WalkLimits>;
  readonly #keepPages: ((record: SitemapRecord, pages: readonly Page[]) => void) | undefined;
  readonly #channel: Channel<readonly WalkEvent[]> = new Channel(CHANNEL_CAPACITY);
  /** Ends with the caller's signal, with the reader, or when time is up. */
  readonly #deadline: Deadline;

  /** Every URL requested or about to be, redirects among them. */
  readonly #claimed: Map<string, SitemapRecord> = new Map();
  /** Behind `#next`, those that wait. (To shift an array of 500,000 takes time each time.) */
  #queue: SitemapRecord[] = [];
  #next = 0;
  /** What a limit keeps us from requesting, unless somebody else declares it who is not so limited. */
  readonly #postponed: Map<Place, { readonly parent: SitemapRecord; readonly code: IssueCode }> = new Map();
  #running = 0;
  #idle: (() => void) | undefined;
  /** The limit that ended the walk. */
  #stopped: IssueCode | undefined;
  /** Connections in a row that did not come about, by host. */
  readonly #failedConnections: Map<string, number> = new Map();
  #robots: RobotsMatcher | undefined;
  #robotsDown = false;
  #homepageLinks: readonly string[] = [];
  #origin: URL;

  #sitemapCount = 0;
  #indexCount = 0;
  #pageCount = 0;
  #byteCount = 0;

  constructor(
    homepageUrl: string,
    options: WalkOptions,
    client: Client,
    keepPages?: (record: SitemapRecord, pages: readonly Page[]) => void,
  ) {
    this.homepage = readHomepageUrl(homepageUrl, { normalize: options.normalizeHomepageUrl ?? true });
    this.#origin = this.homepage;
    this.#options = options;
    this.#client = client;
    this.#limits = readLimits(options.limits);
    this.#keepPages = keepPages;
    this.#deadline = createDeadline(options.signal, this.#limits.timeMs, "The walk");
    this.#deadline.signal.addEventListener("abort", () => {
      if (this.#deadline.signal.reason instanceof TimeoutError) this.#stop("limit.time");
    });
    if (this.#limits.timeMs === 0) this.#stop("limit.time");
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
    const { useRobots = true, useKnownPaths = true, useHomepageLinks = "when-empty" } = this.#options;
    if (useRobots) await this.#readRobots();
    if (useKnownPaths) this.#guess();
    await this.#drain();
    const isEmpty = this.#pageCount === 0;
    if (useHomepageLinks === true || (useHomepageLinks === "when-empty" && isEmpty)) {
      await this.#readHomepage();
      await this.#drain();
    }
    await this.#settlePostponed();
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
      this.#robotsDown = true;
      await this.#tellIssue("robots.unreachable", record.url);
    }
    // A site that lives elsewhere says so with its robots.txt, even if there is none (H40).
    const { origin, pathname } = new URL(record.finalUrl);
    if (http !== undefined && origin !== this.homepage.origin && pathname === new URL(record.url).pathname) {
      this.#origin = new URL(this.homepage.pathname, origin);
    }
  }

  #guess(): void {
    const { knownPaths: set = "usual", extraKnownPaths = [] } = this.#options;
    // What robots.txt named is not guessed, not even what a filter left out of it.
    const named = new Set(this.roots.flatMap(({ places }) => places.map(({ url }) => urlKey(url))));
    for (const path of [...knownPaths(set), ...extraKnownPaths]) {
      const url = knownUrl(this.#origin, path);
      if (!named.has(urlKey(url))) this.#addRoot(url, "known");
    }
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
    this.#queue.push(record);
  }

  /** Works off the queue, all that is added meanwhile included; with a number, only so many documents. */
  async #drain(most: number = Number.POSITIVE_INFINITY): Promise<void> {
    let begun = 0;
    let failure: { reason: unknown } | undefined;
    for (;;) {
      while (this.#running < MAX_TASKS && begun < most && failure === undefined && !this.#channel.closed) {
        const record = this.#dequeue();
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

  #dequeue(): SitemapRecord | undefined {
    if (this.#next < this.#queue.length) return this.#queue[this.#next++];
    this.#queue = [];
    this.#next = 0;
    return undefined;
  }

  // ---------------------------------------------------------------- one document

  async #visit(record: SitemapRecord): Promise<void> {
    const refusal = this.#refusal(record);
    if (refusal !== undefined) settle(record, refusal);
    else {
      this.#sitemapCount++;
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
    const issues = record.issues.map((issue) => ({ kind: "issue", issue }) as const);
    await this.#tell([...issues, { kind: "sitemap", sitemap: describe(record) }]);
    // A stream that never ends must not gather them.
    if (this.#keepPages === undefined) record.issues = [];
    await this.#follow(record);
  }

  /** Why a document is not requested at all. */
  #refusal(record: SitemapRecord): Verdict | undefined {
    if (this.#byteCount >= this.#limits.totalBytes) this.#stop("limit.bytes");
    if (this.#stopped !== undefined) return stopped(this.#stopped);
    if (this.#sitemapCount >= this.#limits.sitemaps) return this.#reach("limit.sitemaps");
    if (this.#isDead(new URL(record.url).host)) {
      return { outcome: "failed", code: "http.connection", reason: "the host did not answer before" };
    }
    // What robots.txt itself lists is meant to be read (H34).
    const listed = record.source === "robots" || record.parent?.source === "robots";
    if (!listed && !this.#isAllowed(record.url)) {
      return { outcome: "skipped", code: "robots.disallowed", reason: "robots.txt disallows it" };
    }
    return undefined;
  }

  #isDead(host: string): boolean {
    return (this.#failedConnections.get(host) ?? 0) >= MAX_FAILED_CONNECTIONS;
  }

  /** Whether robots.txt lets us, if we are to respect it. */
  #isAllowed(url: string): boolean {
    if (!this.#options.respectRobots || new URL(url).origin !== this.#origin.origin) return true;
    return !this.#robotsDown && (this.#robots?.isAllowed(url, this.#userAgent) ?? true);
  }

  async #request(record: SitemapRecord): Promise<void> {
    const startedAt = performance.now();
    const log = new IssueLog(record.url, false);
    const resource = await fetchResource(record.url, this.#resourceOptions(record, log.report));
    record.issues = log.kept;
    record.issueCount = log.total;
    if (resource.kind === "known") return this.#share(record, resource.url);
    record.finalUrl = resource.url;
    record.redirects.pop();
    if (resource.kind === "failed") {
      const { code, reason, status } = resource;
      settle(record, { outcome: "failed", code, reason });
      if (status !== undefined) {
        record.http = { status, bytes: 0, ms: Math.round(performance.now() - startedAt) };
      }
      return;
    }
    await this.#read(record, resource);
    const isLost = resource.cut() === "http.truncated" && record.pageCount === 0;
    const { status, headers, bytes } = (isLost && (await this.#readAgain(record, log))) || resource;
    const { etag, "last-modified": lastModified } = headers;
    record.http = {
      status,
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { lastModified }),
      bytes: bytes(),
      ms: Math.round(performance.now() - startedAt),
    };
  }

  /**
   * A body was cut before anything was given out of it, that of an index mostly: asks once more (H20). Gives
   * what came of it, unless the first time was better.
   */
  async #readAgain(record: SitemapRecord, log: IssueLog): Promise<Body | undefined> {
    if (this.#limits.retries === 0 || this.#stopped !== undefined) return undefined;
    const first = { ...record };
    log.report("http.retry", "the connection broke");
    record.issues = log.kept;
    record.issueCount = log.total;
    try {
      const resource = await fetchResource(record.finalUrl, this.#resourceOptions(record, log.report));
      record.redirects.length = first.redirects.length;
      if (resource.kind === "body") {
        await this.#read(record, resource);
        if (record.pageCount > 0 || record.places.length >= first.places.length) return resource;
      }
    } catch (error) {
      this.#expectStop(error);
    }
    Object.assign(record, first);
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

  async #read(record: SitemapRecord, resource: Body): Promise<void> {
    const pages: Page[] = [];
    const children: SubSitemap[] = [];
    const parser = new DocumentParser({
      url: resource.url,
      contentType: resource.headers["content-type"],
      ...(ROBOTS_PATH.test(new URL(record.url).pathname) && { isRobots: true }),
      strict: this.#options.strict ?? false,
      isText: false,
      onPage: (page) => pages.push(page),
      onChild: (child) => children.push(child),
    });
    const homepage = this.#isHomepage(record)
      ? new HomepageBytes(resource.url, resource.headers["link"])
      : undefined;
    const { isCut, code } = await this.#readChunks(record, resource, parser, pages, homepage);
    if (homepage !== undefined) this.#homepageLinks = homepage.end();
    if (code !== undefined && code !== "http.partial") parser.log.report(code);
    record.kind = parser.end(isCut);
    const isOver = !(await this.#givePages(record, pages));
    if (isOver && code !== "limit.urls") parser.log.report("limit.urls");
    record.outcome = record.kind.kind === "invalid" ? "failed" : "found";
    record.partial = parser.partial || isCut || isOver;
    record.duplicateCount = parser.duplicateCount;
    record.issues = [...record.issues, ...parser.log.kept];
    record.issueCount += parser.log.total;
    record.places = children.map(({ url, lastModified }) => ({
      url,
      lastModified,
      record: undefined,
      verdict: undefined,
    }));
    if (record.source === "robots" && parser.robots !== undefined) {
      this.#robots = createRobotsMatcher(parser.robots.groups, record.finalUrl);
    }
    this.#options.signal?.throwIfAborted();
  }

  /** Feeds the body to the parser, giving pages out on the way. Says whether something cut it, and what. */
  async #readChunks(
    record: SitemapRecord,
    resource: Body,
    parser: DocumentParser,
    pages: Page[],
    homepage: HomepageBytes | undefined,
  ): Promise<{ isCut: boolean; code?: IssueCode | undefined }> {
    let isCut = false;
    let room = this.#limits.decodedBytes;
    let counted = 0;
    const chunks = decompress(resource.body, {
      report: parser.reportFrame,
      url: resource.url,
      contentType: resource.headers["content-type"],
      onCut: () => {
        isCut = true;
      },
    });
    for await (const chunk of chunks) {
      parser.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      if (!(await this.#givePages(record, pages))) return { isCut: true, code: "limit.urls" };
      if (chunk.length > room) return { isCut: true, code: "limit.bytes" };
      room -= chunk.length;
      this.#byteCount += resource.bytes() - counted;
      counted = resource.bytes();
      if (this.#byteCount > this.#limits.totalBytes) this.#stop("limit.bytes");
      homepage?.push(chunk);
      if (parser.done && (homepage?.done ?? true)) return { isCut };
      if (this.#stopped !== undefined) return { isCut: true, code: this.#stopped };
    }
    const code = resource.cut();
    // A limit that ends the walk ends the bodies, too.
    return code === undefined ? { isCut } : { isCut: true, code: this.#stopped ?? code };
  }

  /** Gives out as many as there is room for; false if that is not all. */
  async #givePages(record: SitemapRecord, pages: Page[]): Promise<boolean> {
    if (pages.length === 0) return true;
    const room = this.#limits.urls - this.#pageCount;
    const isOver = pages.length > room;
    const given = isOver ? pages.slice(0, room) : pages.slice();
    pages.length = 0;
    this.#pageCount += given.length;
    record.pageCount += given.length;
    this.#keepPages?.(record, given);
    // Who keeps the pages does not read them here.
    if (this.#keepPages === undefined || this.#options.onEvent !== undefined) {
      const sitemapUrl = record.finalUrl;
      await this.#tell(given.map((page) => ({ kind: "page", page, sitemapUrl })));
    }
    if (isOver) this.#stop("limit.urls");
    return !isOver;
  }

  // ---------------------------------------------------------------- what a document declares

  async #follow(record: SitemapRecord): Promise<void> {
    if (record.outcome !== "found" || record.places.length === 0) return;
    if (record.source !== "robots" && ++this.#indexCount > this.#limits.indexes) {
      for (const place of record.places)
        this.#postponed.set(place, { parent: record, code: "limit.indexes" });
      return;
    }
    const kept = await this.#filter(record).catch((error: unknown) => {
      this.#expectStop(error);
      return undefined;
    });
    for (const place of record.places) {
      if (kept !== undefined && !kept.has(place)) {
        await this.#refuse(record, place, {
          outcome: "skipped",
          code: "filtered",
          reason: "left out by a filter",
        });
      } else {
        await this.#place(record, place);
      }
    }
  }

  /** Asks both callbacks; undefined keeps all. */
  async #filter(record: SitemapRecord): Promise<Set<Place> | undefined> {
    const { recurseCallback, recurseListCallback } = this.#options;
    if (recurseCallback === undefined && recurseListCallback === undefined) return undefined;
    const parents = lineage(record);
    let places: readonly Place[] = record.places;
    if (recurseListCallback !== undefined) {
      const urls = places.map((place) => place.url);
      const wanted = new Set(await this.#answer(recurseListCallback(urls, record.level, parents)));
      places = places.filter((place) => wanted.has(place.url));
    }
    if (recurseCallback === undefined) return new Set(places);
    const kept = new Set<Place>();
    for (const place of places) {
      if (await this.#answer(recurseCallback(place.url, record.level, parents))) kept.add(place);
    }
    return kept;
  }

  /** What a callback says, unless the walk ends before. */
  #answer<T>(answer: T | Promise<T>): Promise<T> {
    return unlessAborted(Promise.resolve(answer), this.#deadline.signal);
  }

  /** Requests what is declared here, or shares what was requested before. */
  async #place(parent: SitemapRecord, place: Place): Promise<void> {
    const level = parent.level + 1;
    const known = this.#claimed.get(urlKey(place.url));
    if (known !== undefined) {
      place.record = known;
      const code = place.url === parent.finalUrl ? "index.self-reference" : "index.cycle";
      const target = resolveRecord(known);
      const reason = recursionReason(target.finalUrl, parent.finalUrl, place.url);
      const verdict = isAbove(target, parent) ? ({ outcome: "failed", code, reason } as const) : undefined;
      await this.#tell([{ kind: "sitemap", sitemap: describePlace(parent, place, level, verdict) }]);
      await this.#relax(target, level);
      return;
    }
    if (level > this.#limits.depth) {
      this.#postponed.set(place, { parent, code: "limit.depth" });
      return;
    }
    const { crossHost = "follow" } = this.#options;
    if (crossHost === "none" && new URL(place.url).host !== this.#origin.host) {
      await this.#refuse(parent, place, {
        outcome: "skipped",
        code: "url.cross-host",
        reason: "on another host",
      });
      return;
    }
    place.record = createRecord(place.url, "sitemap", level, parent, place.lastModified);
    this.#enqueue(place.record);
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
      else if (this.#postponed.get(place)?.code === "limit.depth") {
        this.#postponed.delete(place);
        await this.#place(record, place);
      }
    }
  }

  /** At the end: what was requested after all is shared, the rest is refused. */
  async #settlePostponed(): Promise<void> {
    for (;;) {
      const known = [...this.#postponed].filter(([{ url }]) => this.#claimed.has(urlKey(url)));
      if (known.length === 0) break;
      for (const [place, { parent }] of known) {
        this.#postponed.delete(place);
        await this.#place(parent, place);
      }
      await this.#drain();
    }
    for (const [place, { parent, code }] of this.#postponed) {
      const depth = `nested more than ${this.#limits.depth} levels deep`;
      const verdict = this.#reach(code);
      await this.#refuse(parent, place, code === "limit.depth" ? { ...verdict, reason: depth } : verdict);
    }
  }

  // ---------------------------------------------------------------- the homepage

  async #readHomepage(): Promise<void> {
    if (this.#stopped !== undefined) return;
    // Many a guess redirects to the homepage: then it was read on that occasion.
    const { href } = this.homepage;
    if (!this.#claimed.has(urlKey(href)) && this.#isAllowed(href)) {
      await this.#requestHomepage().catch((error: unknown) => this.#expectStop(error));
    }
    for (const link of this.#homepageLinks) this.#addRoot(link, "homepage");
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
    const { message: reason } = describeIssue("content.html");
    settle(record, { outcome: "failed", code: "content.html", reason });
    const { claim, ...options } = this.#resourceOptions(record, () => {});
    const resource = await fetchResource(href, { ...options, claim: (url) => claim(url) || true });
    if (resource.kind === "failed") await this.#tellIssue(resource.code, href, resource.reason);
    if (resource.kind !== "body") return;
    const homepage = new HomepageBytes(resource.url, resource.headers["link"]);
    for await (const chunk of decompress(resource.body, { report() {}, url: resource.url, onCut() {} })) {
      homepage.push(chunk);
      if (homepage.done) break;
    }
    this.#homepageLinks = homepage.end();
  }

  // ---------------------------------------------------------------- requests

  get #userAgent(): string {
    return this.#options.userAgent ?? DEFAULT_USER_AGENT;
  }

  /** Asks, unless the host turned out to be dead while this request waited for its turn. */
  readonly #ask: Client = async (request) => {
    const { host } = new URL(request.url);
    if (this.#isDead(host)) throw new DeadHostError("The host did not answer before");
    try {
      const response = await this.#client(request);
      this.#failedConnections.delete(host);
      return response;
    } catch (error) {
      const failed = this.#failedConnections.get(host) ?? 0;
      if (classifyError(error).connecting) this.#failedConnections.set(host, failed + 1);
      throw error;
    }
  };

  #resourceOptions(record: SitemapRecord, report: Report): ResourceOptions {
    return {
      client: this.#ask,
      gate: gateOf(this.#client),
      rules: (url) => this.#rules(url),
      headers: (url) => this.#headers(url),
      limits: this.#limits,
      signal: this.#deadline.signal,
      report,
      claim: (url) => {
        const key = urlKey(url);
        const owner = this.#claimed.get(key);
        if (owner !== undefined && owner !== record) return false;
        this.#claimed.set(key, record);
        record.redirects.push(url);
        return true;
      },
    };
  }

  #rules(url: URL): GateRules {
    const { concurrency = 2, delayMs = 0, useCrawlDelay = false } = this.#options;
    const asked =
      useCrawlDelay && url.host === this.#origin.host ? this.#robots?.crawlDelay(this.#userAgent) : undefined;
    const wait = Math.min((asked ?? 0) * 1000, MAX_CRAWL_DELAY_MS);
    return { concurrency: wait > 0 ? 1 : concurrency, delayMs: Math.max(delayMs, wait) };
  }

  #headers(url: URL): Record<string, string> {
    const headers: Record<string, string> = {
      accept: "application/xml, text/xml, application/rss+xml, application/atom+xml, text/plain, */*;q=0.5",
      "user-agent": this.#userAgent,
    };
    if (url.origin !== this.homepage.origin) return headers;
    for (const [name, value] of Object.entries(this.#options.headers ?? {}))
      headers[name.toLowerCase()] = value;
    return headers;
  }

  // ---------------------------------------------------------------- telling

  async #tell(events: readonly WalkEvent[]): Promise<void> {
    const { onEvent } = this.#options;
    if (onEvent !== undefined) for (const event of events) onEvent(event);
    await this.#channel.send(events);
  }

  async #tellIssue(code: IssueCode, url: string, value?: string): Promise<void> {
    const { severity } = describeIssue(code);
    const issue: Issue = { code, severity, url, ...(value !== undefined && { value }) };
    this.issues.push(issue);
    await this.#tell([{ kind: "issue", issue }]);
  }

  // ---------------------------------------------------------------- limits

  /** A limit on what is requested: the rest goes on. */
  #reach(code: IssueCode): Verdict {
    this.reached.add(code);
    return stopped(code);
  }

  /** A limit of the whole walk: all requests end. What they gave is kept. */
  #stop(code: IssueCode): void {
    this.reached.add(code);
    this.#stopped ??= code;
    this.#deadline.expire(new Error(describeIssue(code).message));
  }

  /** Something was ended: by a limit, as it should be, or else it throws on. */
  #expectStop(error: unknown): Verdict {
    this.#options.signal?.throwIfAborted();
    if (this.#stopped === undefined || error !== this.#deadline.signal.reason) throw error;
    return stopped(this.#stopped);
  }
}

export const DEFAULT_USER_AGENT = "siteatlas/0 (+https://github.com/siteatlas/siteatlas)";

function stopped(code: IssueCode): Verdict {
  return { outcome: "stopped", code, reason: describeIssue(code).message };
}

function settle(record: SitemapRecord, { outcome, code, reason }: Verdict): void {
  record.outcome = outcome;
  record.kind = { kind: "invalid", code, reason };
}

/** URLs that mean the same request compare equal: percent escapes without regard to case. */
function urlKey(url: string): string {
  const { href } = new URL(url);
  return href.includes("%") ? href.replace(/%[\da-f]{2}/gi, (hex) => hex.toUpperCase()) : href;
}
