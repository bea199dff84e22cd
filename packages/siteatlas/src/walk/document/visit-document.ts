/**
 * Requests one document and reads it. Records the outcome in the document: refused before the request, unchanged since
 * the last sync, a redirect, a failure, or the content. If the connection breaks in the middle of the body, or the body
 * ends early because the process was paused (Ctrl-Z, sleep), the document is requested a second time. Errors of the
 * server and the network are not thrown.
 */

import { HomepageBytes, type HomepageLinks } from "../../discover/homepage-reader.ts";
import { knownUrl } from "../../discover/homepage-url.ts";
import { fetchHop, type Redirect, type Resource } from "../../fetch/fetch-resource.ts";
import { PAUSED } from "../../fetch/send-request.ts";
import { IssueLog } from "../../model/issue-log.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { HttpFacts, Page } from "../../model/model.ts";
import { MAX_SEEN_URLS } from "../../parse/fast/seen-urls.ts";
import { type HtmlPages, type LinkFormats, linkFormats } from "../../parse/formats/link-formats.ts";
import { isRobotsUrl } from "../../parse/robots/robots-url.ts";
import type { Breach } from "../budget.ts";
import { EventLoopYield } from "../event-loop-yield.ts";
import { stoppedBy } from "../events/sitemap-events.ts";
import { declarationBytes, reasonBytes, redirectBytes, validatorBytes } from "../held-bytes.ts";
import type { Earlier } from "../previous-visit.ts";
import { RequestTimer } from "../requests/request-timer.ts";
import { NONE, type SitemapDocument, settle, type Verdict, verdictOf } from "../site-graph.ts";
import { urlKey } from "../url-key.ts";
import type { WalkContext } from "../walk-context.ts";
import { contentKey } from "./content-hash.ts";
import { DeclaredChildren } from "./declared-children.ts";
import { type Body, httpFacts, type ReadDocument, readDocument } from "./read-document.ts";
import { RepeatedUrls } from "./repeated-urls.ts";

const DISALLOWED = verdictOf("skipped", { code: "robots.disallowed", reason: "robots.txt disallows it" });

export class DocumentVisitor {
  /** The links of the homepage, if a visited document was the homepage. */
  homepageLinks: HomepageLinks | undefined;
  /** Whether at least one document with pages is unchanged since the last sync. */
  hasUnchangedPages = false;
  readonly #context: WalkContext;
  readonly #yield = new EventLoopYield(1);

  constructor(context: WalkContext) {
    this.#context = context;
  }

  /** Requests the document and sets its outcome. Throws only the abort reason and errors of the caller's code. */
  async visit(document: SitemapDocument): Promise<void> {
    const refusal = await this.#refusal(document);
    if (refusal !== undefined) settle(document, refusal);
    else {
      try {
        await this.#request(document);
      } catch (error) {
        settle(document, this.#context.scheduler.expectStop(error));
      }
      this.#context.budget.addHeld(reasonBytes(document));
      // Throw an error if the caller closed the client. Otherwise this mistake would be reported as a failure of the
      // site.
      if (document.outcome === "failed") this.#context.policy.checkClient();
    }
  }

  /** Returns the reason not to request a document. Undefined if the document may be requested. */
  async #refusal({ url, demand }: SitemapDocument): Promise<Verdict | undefined> {
    const { budget, policy, scheduler } = this.#context;
    const full = budget.bytesBreach(true);
    if (full !== undefined) scheduler.stop(full);
    if (scheduler.stopped !== undefined) return stoppedBy(scheduler.stopped);
    const target = new URL(url);
    const dead = policy.hosts.deadReason(target);
    if (dead !== undefined && policy.httpsFallback(url) === undefined) return failure(dead);
    // A sitemap that robots.txt lists is read even if the rules of robots.txt disallow it (H34).
    const isListed = demand.source === "robots" || policy.isListedByRobots(demand.url);
    if (!isListed && !policy.isAllowed(url)) {
      // Let other tasks run: matching the rules may take 15 ms, and no request follows during which other tasks could
      // run.
      await this.#yield.after();
      return DISALLOWED;
    }
    const isRedirected = urlKey(demand.url) !== url;
    // robots.txt may redirect to any host. The target host then counts as a host of the site (H40).
    const isMovedSite = isRedirected && demand.source === "robots";
    const elsewhere = isMovedSite ? undefined : await policy.hosts.refusal(target);
    if (elsewhere !== undefined) return elsewhere;
    const tooMany = isRedirected ? undefined : budget.take("sitemaps");
    return tooMany && stoppedBy(budget.reach(tooMany));
  }

  async #request(document: SitemapDocument): Promise<void> {
    const { budget, previous } = this.#context;
    const { url, demand } = document;
    const timer = new RequestTimer();
    const log = new IssueLog(url, false, budget.limits.issues);
    // Always fetch robots.txt, because the snapshot does not contain its rules.
    const declaredBy = demand.parent?.url;
    const known =
      demand.source === "robots" ? undefined : previous?.recall(url, demand.lastModified, declaredBy);
    const earlier = known && this.#isReadable(document, known) ? known : undefined;
    if (earlier?.isTrusted) return this.#reuse(document, earlier);
    let resource = await this.#fetch(document, log, timer, earlier);
    if (resource.kind === "failed" && resource.status === 304 && earlier !== undefined) {
      if (previous!.believes(url, demand.lastModified, declaredBy)) {
        timer.stop();
        document.http = { status: 304, bytes: 0, ...timer.facts() };
        return this.#reuse(document, earlier);
      }
      resource = await this.#fetch(document, log, timer);
    }
    if (resource.kind === "body") await this.#readBody(document, resource, log, timer);
    else {
      timer.stop();
      this.#end(document, resource, log);
      const { status } = resource;
      if (status !== undefined) document.http = { status, bytes: 0, ...timer.facts() };
    }
  }

  #fetch(
    { url, demand }: SitemapDocument,
    { report }: IssueLog,
    timer: RequestTimer,
    earlier?: Earlier,
  ): Promise<Resource | Redirect> {
    const { policy, scheduler } = this.#context;
    const { signal } = scheduler;
    return fetchHop(url, policy.resourceOptions({ demand, report, signal, timer, earlier }));
  }

  /** Records the outcome of a request that returned no body. */
  #end(document: SitemapDocument, resource: Exclude<Resource | Redirect, Body>, log: IssueLog): void {
    const { budget, policy } = this.#context;
    if (resource.kind === "redirect") {
      const breach = budget.hold(redirectBytes(resource.url));
      if (breach !== undefined) settle(document, stoppedBy(budget.reach(breach)));
      else {
        document.outcome = "redirect";
        document.redirectsTo = resource.url;
      }
    } else {
      const fallback = isRequestFailure(resource.code) ? policy.httpsFallback(document.url) : undefined;
      if (fallback === undefined) settle(document, failure(resource));
      else {
        log.report("http.https-fallback", `${resource.reason}; trying ${fallback}`);
        document.outcome = "redirect";
        document.redirectsTo = fallback;
      }
      document.partial = resource.code === "limit.bytes";
      document.errorPage = resource.errorPage;
    }
    document.issues = log.kept;
    document.issueCount = log.total;
    if (log.total > 0) document.issueCounts = [log.perCode];
  }

  /** Records that the document is unchanged. Its pages are already known. The sitemaps that it lists are followed. */
  #reuse(document: SitemapDocument, { url, kind, pageCount, children }: Earlier): void {
    if (urlKey(url) !== document.url) {
      document.outcome = "redirect";
      document.redirectsTo = url;
      return;
    }
    const declared = new DeclaredChildren(this.#context.budget, "children");
    for (const child of children) declared.add(child);
    document.kind = kind;
    document.outcome = "unchanged";
    document.pageCount = pageCount;
    document.children = declared.declarations;
    document.partial = declared.breach !== undefined;
    if (pageCount > 0) this.hasUnchangedPages = true;
  }

  async #readBody(
    document: SitemapDocument,
    resource: Body,
    log: IssueLog,
    timer: RequestTimer,
  ): Promise<void> {
    const read = await this.#read(document, resource, log);
    timer.stop();
    const reason = whyLost(resource);
    const isAgain = reason !== undefined && (reason === PAUSED || this.#context.budget.limits.retries > 0);
    const last = (isAgain && (await this.#readAgain(document, read, log, timer, reason))) || resource;
    timer.stop();
    document.http = this.#hold(httpFacts(last, timer.facts()));
  }

  /**
   * Drops ETag and Last-Modified of this document if the walk would keep more than `heldBytes` in memory with them.
   * Stops 50,000 sitemaps with ETags of 1 KB each.
   */
  #hold(http: HttpFacts): HttpFacts {
    const breach = this.#context.budget.hold(validatorBytes(http));
    if (breach === undefined) return http;
    this.#context.budget.reach(breach);
    const { etag: _etag, lastModified: _lastModified, ...rest } = http;
    return rest;
  }

  /**
   * Requests a document a second time, after its body ended early (H20). Pages that were already yielded are not
   * yielded again. The result of the second attempt is used if it is complete, has new pages, or lists at least as many
   * sitemaps as the first attempt. Otherwise the result of the first attempt is used.
   */
  async #readAgain(
    document: SitemapDocument,
    read: ReadDocument,
    log: IssueLog,
    timer: RequestTimer,
    reason: string,
  ): Promise<Body | undefined> {
    const { budget, scheduler } = this.#context;
    if (scheduler.stopped !== undefined) return undefined;
    if (document.pageCount > MAX_SEEN_URLS) return undefined;
    const first = { ...document };
    log.report("http.retry", reason);
    try {
      const resource = await this.#fetch(document, log, timer);
      if (resource.kind === "body") {
        read.pageUrls.duplicates = 0;
        budget.releaseChildren(first.children.length, childBytes(first));
        document.children = [];
        const { isPartial } = await this.#read(document, resource, log, read);
        // Some pages of the first attempt are not in the second one, so the hash would not match the yielded pages.
        if (document.duplicateCount < first.pageCount) document.contentHash = undefined;
        document.duplicateCount = Math.max(0, document.duplicateCount - first.pageCount);
        const isMore =
          document.pageCount > first.pageCount || document.children.length >= first.children.length;
        if (document.outcome === "found" && (isMore || !isPartial)) return resource;
        budget.releaseChildren(document.children.length, childBytes(document));
        budget.restoreChildren(first.children.length, childBytes(first));
      }
    } catch (error) {
      scheduler.expectStop(error);
      if (document.children !== first.children)
        budget.restoreChildren(first.children.length, childBytes(first));
    }
    const { pageCount } = document;
    const issues = [...log.kept, ...read.log.kept];
    const issueCount = log.total + read.log.total;
    const issueCounts = [log.perCode, read.log.perCode];
    Object.assign(document, first, { pageCount, issues, issueCount, issueCounts });
    return undefined;
  }

  async #read(
    document: SitemapDocument,
    resource: Body,
    log: IssueLog,
    before?: ReadDocument,
  ): Promise<ReadDocument> {
    const { options, budget, policy, scheduler, given } = this.#context;
    const homepage = document.isHomepage
      ? new HomepageBytes(resource.url, resource.headers["link"])
      : undefined;
    const isSiteRobots = document.demand.source === "robots";
    const repeated = this.#repeatedUrls(resource.url, before);
    const passed = repeated?.passed ?? 0;
    const read = await readDocument(resource, {
      budget,
      linkFormats: await this.#linkFormats(document),
      strict: options.strict ?? false,
      // Parse the site's robots.txt as robots.txt, even if it redirects to a URL with another name.
      isRobots: isSiteRobots || isRobotsUrl(document.url),
      pageUrls: repeated ?? before?.pageUrls,
      homepage,
      onPages: (pages) => this.#givePages(document, pages),
      stopped: () => scheduler.checkBytes(),
    });
    if (homepage !== undefined) this.homepageLinks = homepage.end();
    document.kind = read.kind;
    document.outcome = read.kind.kind === "invalid" ? "failed" : "found";
    document.partial = read.isPartial;
    document.cutBy = read.cutBy;
    document.duplicateCount = read.duplicateCount;
    document.pageCount -= (repeated?.passed ?? 0) - passed;
    document.children = read.children;
    document.contentHash = read.contentHash;
    document.contentKey = keyOf(read, before);
    if (isSiteRobots && read.robots !== undefined) {
      const isHtml = read.log.kept.some(({ code }) => code === "robots.html");
      const isEmpty = read.robots.groups.length + read.children.length === 0;
      document.isRobotsPage = isHtml && isEmpty;
      document.isRobotsText = isEmpty && !isHtml && read.robots.host === undefined && resource.bytes() > 0;
      policy.obey(document, read.robots, read.children, read.log.report);
    }
    // If the caller passed sitemaps, robots.txt is read only for its rules. Drop the sitemaps that it lists.
    if (isSiteRobots && given !== undefined && !given.includes(document.demand.url)) {
      budget.releaseChildren(document.children.length, childBytes(document));
      document.children = NONE;
    }
    // For an HTML page, report only the code `content.html`. Drop the issues that the XML parser found in the first
    // bytes of the page.
    const isPage = read.kind.kind === "invalid" && read.kind.code === "content.html";
    document.issues = isPage ? log.kept : [...log.kept, ...read.log.kept];
    document.issueCount = log.total + (isPage ? 0 : read.log.total);
    document.issueCounts = isPage ? [log.perCode] : [log.perCode, read.log.perCode];
    options.signal?.throwIfAborted();
    return read;
  }

  /** Returns the readers for HTML sitemaps and llms.txt. Undefined if this document can be neither. */
  async #linkFormats(document: SitemapDocument): Promise<LinkFormats | undefined> {
    const html = this.#htmlPages(document);
    const llms = this.#isLlmsTxt(document);
    if (html === "none" && !llms) return undefined;
    return linkFormats({ html, llms, isOwnHost: await this.#context.policy.hosts.ownHosts() });
  }

  #isLlmsTxt({ url, demand }: SitemapDocument): boolean {
    if (!this.#context.options.useLlmsTxt) return false;
    return demand.source === "llms" || /\/llms\.txt$/i.test(new URL(url).pathname);
  }

  /**
   * Whether this document is read as an HTML sitemap if it is an HTML page. Many sites answer unknown URLs with an HTML
   * page. So at a known location, the title of the page must say that it is a sitemap.
   */
  #htmlPages({ url, demand, isHomepage }: SitemapDocument): HtmlPages {
    const { options, given, homepage } = this.#context;
    const { source } = demand;
    if (!options.htmlSitemaps || source === "robots" || source === "llms") return "none";
    if (given === undefined && (isHomepage || url === urlKey(homepage.href))) return "none";
    return source === "known" && !this.#isExtra(demand.url) ? "titled" : "all";
  }

  /** Whether this known location is one of the caller's `extraKnownPaths`. */
  #isExtra(url: string): boolean {
    const { options, policy } = this.#context;
    return (options.extraKnownPaths ?? []).some((path) => knownUrl(policy.origin, path) === url);
  }

  /** Whether the options still allow the format that the document had in the last sync. */
  #isReadable(document: SitemapDocument, { kind: { format } }: Earlier): boolean {
    if (format === "html") return this.#htmlPages(document) !== "none";
    return format !== "llms" || this.#isLlmsTxt(document);
  }

  /**
   * Returns a set that lets repeated URLs pass, because a sync merges them. Returns undefined if this walk is not a
   * sync.
   */
  #repeatedUrls(url: string, before: ReadDocument | undefined): RepeatedUrls | undefined {
    if (before?.pageUrls instanceof RepeatedUrls) return before.pageUrls;
    const isSync = this.#context.previous !== undefined && before === undefined;
    return isSync ? new RepeatedUrls(`${new URL(url).origin}/`) : undefined;
  }

  /** Sends as many pages as the limits allow. Returns the reached limit if it did not allow all pages. */
  async #givePages(document: SitemapDocument, pages: readonly Page[]): Promise<Breach | undefined> {
    if (pages.length === 0) return undefined;
    const { budget, keepPages, reporter, scheduler } = this.#context;
    const { count, breach, endsWalk } = budget.takePages(pages.length, document.pageCount);
    const given = count < pages.length ? pages.slice(0, count) : pages;
    document.pageCount += given.length;
    const full = await keepPages?.(document, given);
    if (given.length > 0 && (keepPages === undefined || reporter.hasListener)) {
      await reporter.send([{ kind: "pages", pages: given, sitemapUrl: document.url }]);
    }
    if (breach !== undefined && endsWalk) scheduler.stop(breach);
    return breach ?? full;
  }
}

/** Returns why the body ended early. Undefined if the body is complete, or if a second request cannot help. */
function whyLost({ cut, wasPaused }: Body): string | undefined {
  const isLost = cut() === "http.truncated" || cut() === "http.timeout";
  if (isLost && wasPaused()) return PAUSED;
  return cut() === "http.truncated" ? "the connection broke" : undefined;
}

function childBytes({ children }: SitemapDocument): number {
  return children.reduce((sum, child) => sum + declarationBytes(child), 0);
}

/**
 * The content key of a document. Undefined if the document was not read to its end, or lists no URLs. `before`: the
 * first attempt to read the document.
 */
function keyOf({ contentHash, firstUrl }: ReadDocument, before?: ReadDocument): string | undefined {
  const first = before?.firstUrl ?? firstUrl;
  return contentHash === undefined || first === undefined ? undefined : contentKey(contentHash, first);
}

/**
 * Whether the server or the network caused the failure. Other codes mean that an option or a limit prevented the
 * request.
 */
function isRequestFailure(code: IssueCode): boolean {
  return code.startsWith("http.") && code !== "http.downgrade";
}

function failure(problem: Parameters<typeof verdictOf>[1]): Verdict {
  const { code } = problem;
  if (code === "url.cross-host" || code === "http.downgrade") return verdictOf("skipped", problem);
  return verdictOf(code === "limit.foreign-hosts" ? "stopped" : "failed", problem);
}
