/**
 * The engine: passes the events of one walk to all rules, and collects their findings. Nothing here knows whether the
 * events come from a site, a folder or a snapshot.
 */
import { isAbsent } from "../model/http-status.ts";
import type { Issue, Page } from "../model/model.ts";
import { parseRobotsTxt, type RobotsTxt } from "../parse/robots/robots.ts";
import { isGuess, type WalkedSitemap } from "../walk/events/events.ts";
import { MISPLACED_CODES } from "../walk/events/place-reporter.ts";
import { headOf, textOf } from "./documents/document-text.ts";
import { DocumentLines } from "./documents/locate.ts";
import type { RecordedResponse, ResponseRecorder } from "./documents/response-recorder.ts";
import type { SiteFolder } from "./documents/site-folder.ts";
import { DocumentFindings, type Finding, placeOf } from "./finding.ts";
import type {
  LintedSite,
  LintedSitemap,
  LintRule,
  Occurrence,
  PagePart,
  PreviousSite,
  RuleListener,
} from "./rule.ts";
import { appliesToFeeds, isFeed } from "./rules/feed-rules.ts";
import { needsLogin } from "./rules/responses.ts";
import { isAbsentRobots, isStaleInRobots } from "./rules/robots.ts";
import { PageStats } from "./site/page-stats.ts";
import { type Listing, UrlTable } from "./site/url-table.ts";

/** Maximum number of places of a rule whose line is looked up. Each lookup reads the document again. */
const LOCATED_PLACES = 100;

/** Maximum number of bytes of indexes that are kept to the end of the walk. */
const MAX_INDEX_BYTES = 8 * 1024 * 1024;

export interface LintRunOptions {
  /** The homepage, or the first sitemap that the caller gave. */
  readonly start: string;
  /** The rules that are on, with the severity that applies. */
  readonly rules: readonly LintRule[];
  readonly recorder: ResponseRecorder;
  readonly now: Date;
  readonly folder: SiteFolder | undefined;
  readonly previous: PreviousSite | undefined;
  /** Whether an occurrence is ignored. */
  readonly isIgnored: ((rule: LintRule, value: string) => boolean) | undefined;
}

export class LintRun implements LintedSite {
  readonly start: string;
  readonly now: Date;
  readonly folder: SiteFolder | undefined;
  readonly previous: PreviousSite | undefined;
  robots: RobotsTxt | undefined;
  pageCount = 0;
  /** Number of sitemaps that were read. */
  sitemapCount = 0;
  readonly urls: UrlTable;
  listing: Listing = "new";
  /** URLs of the documents that list pages. Their positions are their numbers in the table of URLs. */
  readonly #documents: string[] = [];
  readonly #numbers: Map<string, number> = new Map();
  readonly #recorder: ResponseRecorder;
  readonly #isIgnored: LintRunOptions["isIgnored"];
  /** Rules for issues of the parser, by issue code. */
  readonly #issueRules: Map<string, LintRule> = new Map();
  /** Listeners for all pages. */
  readonly #pageListeners: PageListener[] = [];
  /** Listeners for pages that have a certain part. Most pages have none. */
  readonly #partListeners: { readonly part: PagePart; readonly listeners: PageListener[] }[] = [];
  readonly #listeners: readonly RuleListener[];
  /** What was found in documents whose processing has not ended. */
  readonly #open: Map<string, OpenDocument> = new Map();
  #current: OpenDocument;
  /** URLs of sitemaps that robots.txt lists, directly or through an index. */
  readonly #submitted: Set<string> = new Set();
  readonly #located: Map<LintRule, number> = new Map();
  /** Indexes and robots.txt: what is wrong with the sitemaps that they list is known later. */
  readonly #indexes: Map<string, RecordedResponse> = new Map();
  #indexBytes = 0;

  constructor({ start, rules, recorder, now, folder, previous, isIgnored }: LintRunOptions) {
    this.start = start;
    this.urls = new UrlTable(new URL(start).origin);
    this.now = now;
    this.folder = folder;
    this.previous = previous;
    this.#recorder = recorder;
    this.#isIgnored = isIgnored;
    this.#current = this.#document(start);
    const listeners: RuleListener[] = [];
    for (const rule of rules) {
      if (rule.listen === undefined) this.#issueRules.set(rule.id, rule);
      else listeners.push(rule.listen({ site: this, report: (...given) => this.#report(rule, ...given) }));
    }
    this.#listeners = listeners;
    for (const { page, only } of listeners) if (page !== undefined) this.#listenersOf(only).push(page);
  }

  pages(pages: readonly Page[], sitemapUrl: string): void {
    const current = this.#document(sitemapUrl);
    this.#current = current;
    this.pageCount += pages.length;
    const { stats } = current;
    const listeners = this.#pageListeners;
    const parts = this.#partListeners;
    const number = this.#numberOf(sitemapUrl);
    for (const page of pages) {
      stats.add(page);
      this.listing = this.urls.add(page.url, number);
      for (const listener of listeners) listener(page, sitemapUrl);
      for (const { part, listeners: few } of parts) {
        if (hasPart(page, part)) for (const listener of few) listener(page, sitemapUrl);
      }
    }
  }

  #listenersOf(part: PagePart | undefined): PageListener[] {
    if (part === undefined) return this.#pageListeners;
    let known = this.#partListeners.find((one) => one.part === part);
    if (known === undefined) {
      known = { part, listeners: [] };
      this.#partListeners.push(known);
    }
    return known.listeners;
  }

  get listedIn(): string | undefined {
    return this.listing === "new" ? undefined : this.#documents[this.urls.lastDocument];
  }

  issue({ code, url, line, value }: Issue): void {
    const rule = this.#issueRules.get(code);
    if (rule === undefined || isAppLink(code, value)) return;
    this.#add(this.#document(url), rule, { line, value });
  }

  /** Ends a sitemap and returns its findings. */
  async sitemap(sitemap: WalkedSitemap): Promise<readonly Finding[]> {
    const { url, redirects = [], outcome, source, format } = sitemap;
    if (outcome === "shared") return this.#shared(sitemap);
    for (const hop of redirects) {
      this.#recorder.take(hop);
      this.#merge(hop, url);
    }
    const response = this.#recorder.take(url);
    const document = this.#document(url);
    if (outcome === "failed" && isGuess(source)) {
      this.#open.delete(url);
      return [];
    }
    if (format === "robots") await this.#readRobots(url, response);
    const isSubmitted = this.#isSubmitted(sitemap);
    if (outcome === "found" && format !== "robots") this.sitemapCount++;
    const linted: LintedSitemap = {
      ...sitemap,
      stats: document.stats,
      response,
      head: await headOf(response),
      isSubmitted,
    };
    this.#countIssues(linted, document.findings);
    this.#current = document;
    for (const { sitemap: listener } of this.#listeners) listener?.(linted);
    if (isFeed(sitemap)) document.findings.keep(appliesToFeeds);
    this.#open.delete(url);
    if (response !== undefined && sitemap.kind === "index") this.#keepIndex(url, response);
    return this.#findings(url, document.findings, response);
  }

  /** Ends the site and returns the findings that belong to no single sitemap. */
  async end(): Promise<readonly Finding[]> {
    this.#current = this.#document(this.start);
    for (const listener of this.#listeners) await listener.end?.();
    const findings: Finding[] = [];
    for (const [url, document] of this.#open) {
      findings.push(...(await this.#findings(url, document.findings, this.#indexes.get(url))));
    }
    this.#open.clear();
    return findings;
  }

  #report(rule: LintRule, occurrence: Occurrence = {}, sitemapUrl?: string): void {
    this.#add(sitemapUrl === undefined ? this.#current : this.#document(sitemapUrl), rule, occurrence);
  }

  #add({ findings }: OpenDocument, rule: LintRule, occurrence: Occurrence): void {
    if (this.#isIgnored?.(rule, occurrence.value ?? "") === true) return;
    findings.add(rule, occurrence);
  }

  #numberOf(url: string): number {
    let number = this.#numbers.get(url);
    if (number === undefined) {
      number = this.#documents.push(url) - 1;
      this.#numbers.set(url, number);
    }
    return number;
  }

  #document(url: string): OpenDocument {
    let document = this.#open.get(url);
    if (document === undefined) {
      document = { findings: new DocumentFindings(), stats: new PageStats(this.now) };
      this.#open.set(url, document);
    }
    return document;
  }

  /** Moves the findings of a document to another one: to the target of its redirect. */
  #merge(from: string, to: string): void {
    const document = this.#open.get(from);
    if (document === undefined || from === to) return;
    for (const { rule, count, occurrences } of document.findings.drafts) {
      occurrences.forEach((occurrence, index) => {
        this.#document(to).findings.add(rule, occurrence, index === 0 ? count : 0);
      });
    }
    this.#open.delete(from);
  }

  #shared(sitemap: WalkedSitemap): readonly Finding[] {
    this.#isSubmitted(sitemap);
    return [];
  }

  /** Whether robots.txt lists this sitemap or an index above it. Remembers the answer for the sitemaps that it lists. */
  #isSubmitted({ url, parentUrl, format, childCount }: WalkedSitemap): boolean {
    const isSubmitted = format === "robots" || (parentUrl !== undefined && this.#submitted.has(parentUrl));
    if (isSubmitted && childCount > 0) this.#submitted.add(url);
    return isSubmitted;
  }

  #keepIndex(url: string, response: RecordedResponse): void {
    if (this.#indexBytes + response.bodyBytes > MAX_INDEX_BYTES) return;
    this.#indexBytes += response.bodyBytes;
    this.#indexes.set(url, response);
  }

  async #readRobots(url: string, response: RecordedResponse | undefined): Promise<void> {
    if (response === undefined || this.robots !== undefined) return;
    this.robots = parseRobotsTxt(await textOf(response), { url });
  }

  /**
   * Replaces the number of places by the number of issues: the parser reports at most 10 issues per code, but counts
   * all. A failure of the document is an issue without a place.
   */
  #countIssues(sitemap: LintedSitemap, findings: DocumentFindings): void {
    const { issueCounts = {}, outcome, code, reason, http } = sitemap;
    const hasOwnRule = needsLogin(sitemap) || isStaleInRobots(sitemap) || isAbsentRobots(sitemap);
    for (const [issue, count] of Object.entries(issueCounts)) {
      const rule = this.#issueRules.get(issue);
      // If issues are ignored, only those that the parser reported can be counted.
      if (rule === undefined || this.#isIgnored !== undefined || issue === APP_LINK_CODE) continue;
      // The index has the issue, not the document that it lists.
      if (MISPLACED_CODES.has(issue)) continue;
      findings.setCount(rule, count);
    }
    if (outcome !== "failed" || hasOwnRule || code === undefined || (issueCounts[code] ?? 0) > 0) return;
    const rule = this.#issueRules.get(code);
    const isMissing = this.folder !== undefined && http !== undefined && isAbsent(http.status);
    const detail = isMissing ? "the folder does not have this file" : reason;
    if (rule !== undefined) this.#add(this.#document(sitemap.url), rule, { detail });
  }

  async #findings(
    url: string,
    findings: DocumentFindings,
    response: RecordedResponse | undefined,
  ): Promise<readonly Finding[]> {
    if (findings.size === 0) return [];
    let lines: DocumentLines | undefined;
    const result: Finding[] = [];
    for (const { rule, count, occurrences } of findings.drafts) {
      if (count === 0) continue;
      const places = [];
      for (const occurrence of occurrences) {
        const isLocated =
          response !== undefined && occurrence.file === undefined && this.#mayLocate(rule, occurrence);
        if (isLocated) lines ??= new DocumentLines(await textOf(response));
        const place = isLocated ? { ...occurrence, ...occurrence.search?.(lines!.text) } : occurrence;
        places.push({ ...placeOf(place), ...(isLocated && lines?.locate(place)) });
      }
      const { id, severity } = rule;
      const file = response?.file;
      result.push({ rule: id, severity, url, ...(file !== undefined && { file }), count, places });
    }
    return result;
  }

  #mayLocate(rule: LintRule, { line, value, find = value, search }: Occurrence): boolean {
    if (line === undefined && find === undefined && search === undefined) return false;
    const located = (this.#located.get(rule) ?? 0) + 1;
    this.#located.set(rule, located);
    return located <= LOCATED_PLACES;
  }
}

type PageListener = NonNullable<RuleListener["page"]>;

function hasPart(page: Page, part: PagePart): boolean {
  if (part === "parameters") return page.url.includes("?") || page.url.includes(";");
  return page[part] !== undefined;
}

const APP_LINK_CODE = "url.unsupported-scheme";

/** Whether an issue is about a link to an app, which Google allows in <xhtml:link>: `android-app://com.example/a`. */
function isAppLink(code: string, value = ""): boolean {
  return code === APP_LINK_CODE && /^(?:android|ios)-app:/.test(value);
}

interface OpenDocument {
  readonly findings: DocumentFindings;
  readonly stats: PageStats;
}
