/**
 * The steps of a walk, in order: robots.txt and the sitemaps that it lists, the known locations, the links of the
 * homepage, llms.txt. If no page was found and the homepage redirects to another host, the first two steps are repeated
 * on that host. If the caller passed sitemaps, only these are read. docs/process.md has a diagram.
 */
import type { HomepageLinks } from "../discover/homepage-reader.ts";
import { knownUrl } from "../discover/homepage-url.ts";
import { htmlKnownPaths, knownPaths } from "../discover/known-paths.ts";
import { readHomepage } from "./document/read-homepage.ts";
import type { DocumentVisitor } from "./document/visit-document.ts";
import type { Place } from "./place.ts";
import type { Placement } from "./placement.ts";
import type { SitemapDocument } from "./site-graph.ts";
import { urlKey } from "./url-key.ts";
import type { WalkContext } from "./walk-context.ts";

export class Plan {
  readonly #context: WalkContext;
  readonly #placement: Placement;
  readonly #visitor: DocumentVisitor;

  constructor(context: WalkContext, placement: Placement, visitor: DocumentVisitor) {
    this.#context = context;
    this.#placement = placement;
    this.#visitor = visitor;
  }

  async run(): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      await this.#context.scheduler.abandon(error);
      throw error;
    }
  }

  async #run(): Promise<void> {
    const { options, given } = this.#context;
    if (given === undefined) await this.#findSitemaps();
    else await this.#readGiven(given);
    await this.#placement.settle(() => this.#drain());
    await this.#reportLimits();
    options.signal?.throwIfAborted();
  }

  /**
   * Reads the sitemaps that the caller passed, and all sitemaps below them. Reads robots.txt only if an option needs
   * its rules.
   */
  async #readGiven(given: readonly string[]): Promise<void> {
    const { useRobots = true, respectRobots, useCrawlDelay } = this.#context.options;
    if (useRobots && (respectRobots || useCrawlDelay)) {
      const origins = new Set(given.map((url) => new URL(url).origin));
      const robots: Place[] = [];
      for (const origin of origins) {
        robots.push(await this.#placement.addRoot(knownUrl(new URL(origin), "robots.txt"), "robots"));
      }
      await this.#drain();
      for (const place of robots) await this.#checkRobots(place);
    }
    for (const url of given) await this.#placement.addRoot(url, "given");
    await this.#drain();
  }

  async #findSitemaps(): Promise<void> {
    const { useHomepageLinks = "when-empty" } = this.#context.options;
    await this.#searchHost();
    const isWanted = useHomepageLinks === true || (useHomepageLinks === "when-empty" && this.#isEmpty);
    if (isWanted && this.#mayFollowLinks()) {
      await this.#followHomepageLinks();
      if (this.#isEmpty) await this.#searchMovedHost();
    } else if (useHomepageLinks !== false) {
      // The homepage was not fetched in this sync: use the links that it had in the last sync.
      await this.#addRoots(this.#context.previous?.homepageLinks ?? []);
    }
    // Lists of links come last, so that they do not change where else the walk searches.
    if (this.#context.options.htmlSitemaps) await this.#tryHtmlLocations();
    if (this.#context.options.useLlmsTxt) await this.#readLlmsTxt();
  }

  async #tryHtmlLocations(): Promise<void> {
    const { graph, policy, scheduler } = this.#context;
    if (scheduler.stopped !== undefined) return;
    const first = graph.find(knownUrl(policy.origin, "robots.txt"));
    const robots = first && graph.resolve(first).document;
    await this.#openInOrder(await this.#tryKnownLocations(robots, htmlKnownPaths, []));
  }

  async #readLlmsTxt(): Promise<void> {
    const { policy, scheduler } = this.#context;
    if (scheduler.stopped !== undefined) return;
    const root = await this.#placement.addRoot(knownUrl(policy.origin, "llms.txt"), "llms");
    await this.#openInOrder([root]);
  }

  /** Reads robots.txt and tries the known locations. */
  async #searchHost(): Promise<void> {
    const { useRobots = true, useKnownPaths = true } = this.#context.options;
    const robots = useRobots ? await this.#readRobots() : undefined;
    const { knownPaths: set = "usual", extraKnownPaths = [], htmlSitemaps } = this.#context.options;
    // An HTML page that a sitemap lists must be read before a known location can redirect to it.
    if (useKnownPaths === "when-empty" || htmlSitemaps) await this.#drain();
    // With `htmlSitemaps`, try the locations that may have an HTML sitemap last.
    const paths = knownPaths(set).filter((path) => !htmlSitemaps || !htmlKnownPaths.includes(path));
    const known = await this.#tryKnownLocations(robots?.document, paths, extraKnownPaths);
    await this.#openInOrder(known);
    const { previous } = this.#context;
    const isLost = known.some(({ declaration, document }) => previous?.isLost(declaration.url, document));
    // The sitemap may have moved to a known location that this sync would skip.
    if (isLost)
      await this.#openInOrder(await this.#tryKnownLocations(robots?.document, paths, extraKnownPaths, known));
  }

  /**
   * If the homepage redirects to another host, and robots.txt did not redirect there, also searches that host. It
   * counts as a host of another site: `crossHost` and `limits.foreignHosts` were checked when the redirect was
   * followed.
   */
  async #searchMovedHost(): Promise<void> {
    const { homepage, policy, reporter, scheduler, options } = this.#context;
    const { useRobots = true, useKnownPaths = true, extraKnownPaths = [] } = options;
    const isSearched = useRobots || useKnownPaths !== false || extraKnownPaths.length > 0;
    const url = this.#homepageTarget();
    if (url === undefined || !isSearched || scheduler.stopped !== undefined) return;
    const { origin } = new URL(url);
    if (origin === homepage.origin || origin === policy.origin.origin) return;
    await reporter.sendSiteIssue("site.moved", homepage.href, url);
    policy.origin = new URL(homepage.pathname, origin);
    await this.#searchHost();
  }

  /** The URL of the homepage after its redirects. Undefined if the homepage was not fetched, or no server answered. */
  #homepageTarget(): string | undefined {
    const { graph, homepage } = this.#context;
    const first = graph.find(homepage.href);
    const document = first && graph.resolve(first).document;
    return document?.http === undefined ? undefined : document.url;
  }

  async #readRobots(): Promise<Place> {
    const { policy } = this.#context;
    const robots = await this.#placement.addRoot(knownUrl(policy.origin, "robots.txt"), "robots");
    await this.#drain();
    await this.#checkRobots(robots);
    const { document, declaration } = robots;
    // If robots.txt redirects to another host, the site has moved there, even if that host has no robots.txt (H40).
    const { origin, pathname } = new URL(document?.url ?? declaration.url);
    const isMoved = origin !== policy.origin.origin && pathname === new URL(declaration.url).pathname;
    if (document?.http !== undefined && isMoved) {
      policy.origin = new URL(policy.origin.pathname, origin);
      policy.hosts.addOwn(policy.origin);
    }
    await this.#placement.openRoot(robots);
    return robots;
  }

  /** Reports a robots.txt that could not be fetched but may exist. */
  async #checkRobots({ document, declaration }: Place): Promise<void> {
    const { policy, reporter } = this.#context;
    const isInvalid = document?.outcome === "failed" && document.kind?.kind === "invalid";
    if (!isInvalid || (document.http?.status ?? 500) < 500) return;
    policy.noteRobotsDown(declaration.url);
    policy.noteRobotsDown(document.url);
    await reporter.sendSiteIssue("robots.unreachable", declaration.url);
  }

  /**
   * Tries the known locations that robots.txt does not list. A listed location is not tried, even if a filter skipped
   * it.
   *
   * @param extra paths that are tried even if `useKnownPaths` is false
   * @param tried the locations that this walk has already tried. If present, locations that a sync usually skips are
   * also tried
   */
  async #tryKnownLocations(
    robots: SitemapDocument | undefined,
    paths: readonly string[],
    extra: readonly string[],
    tried?: readonly Place[],
  ): Promise<Place[]> {
    const { options, policy, previous } = this.#context;
    const { useKnownPaths = true } = options;
    const usual = useKnownPaths === false ? [] : paths.filter((path) => this.#isWanted(path));
    const listed = new Set(robots?.children.map(({ url }) => urlKey(url)));
    for (const { declaration } of tried ?? []) listed.add(urlKey(declaration.url));
    const roots: Place[] = [];
    for (const path of [...usual, ...extra]) {
      const url = knownUrl(policy.origin, path);
      if (listed.has(urlKey(url)) || (tried === undefined && previous?.isSkipped(url))) continue;
      roots.push(await this.#placement.addRoot(url, "known"));
    }
    return roots;
  }

  /**
   * Whether to try a known location. With `when-empty`, it is tried only if no page was found, or if it had a sitemap
   * in the last sync.
   */
  #isWanted(path: string): boolean {
    const { options, policy, previous } = this.#context;
    if (options.useKnownPaths !== "when-empty" || this.#isEmpty) return true;
    return previous?.recall(knownUrl(policy.origin, path), undefined, undefined) !== undefined;
  }

  async #followHomepageLinks(): Promise<void> {
    const { sitemaps = [], feeds = [] } = (await this.#homepageLinks()) ?? {};
    await this.#addRoots(sitemaps);
    // The site has no sitemap. Read its feeds, which list at least the latest pages.
    if (this.#isEmpty) await this.#addRoots(feeds);
  }

  /** Whether links of the homepage may be followed. False if `limits.sitemaps` is reached. */
  #mayFollowLinks(): boolean {
    const { budget } = this.#context;
    const breach = budget.full("sitemaps");
    if (breach !== undefined) budget.reach(breach);
    return breach === undefined;
  }

  async #homepageLinks(): Promise<HomepageLinks | undefined> {
    const { homepage, policy, scheduler } = this.#context;
    const visitor = this.#visitor;
    if (scheduler.stopped !== undefined) return undefined;
    // Known locations often redirect to the homepage. In that case, its links have already been read.
    if (visitor.homepageLinks !== undefined || !policy.isAllowed(homepage.href)) return visitor.homepageLinks;
    try {
      return await readHomepage(this.#context);
    } catch (error) {
      scheduler.expectStop(error);
      return undefined;
    }
  }

  async #addRoots(urls: readonly string[]): Promise<void> {
    const roots: Place[] = [];
    for (const url of urls) roots.push(await this.#placement.addRoot(url, "homepage"));
    await this.#openInOrder(roots);
  }

  /**
   * Opens the roots in order, each when the tree below the previous root is complete. Meanwhile, all roots are fetched.
   */
  async #openInOrder(roots: readonly Place[]): Promise<void> {
    for (const root of roots) {
      await this.#drain(() => root.isEnded && !this.#placement.isGrowing);
      await this.#placement.openRoot(root);
    }
    await this.#drain();
  }

  /** True if the walk has not found a page yet. */
  get #isEmpty(): boolean {
    return this.#context.budget.pageCount === 0 && !this.#visitor.hasUnchangedPages;
  }

  async #reportLimits(): Promise<void> {
    const { budget, homepage, reporter } = this.#context;
    for (const { code, value } of budget.reached.values()) {
      await reporter.sendSiteIssue(code, homepage.href, value);
    }
  }

  #drain(until?: () => boolean): Promise<void> {
    return this.#context.scheduler.drain(async (document) => {
      await this.#visitor.visit(document);
      await this.#placement.resume(document);
    }, until);
  }
}
