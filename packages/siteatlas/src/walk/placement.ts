/**
 * Creates the places of documents in the tree. A document that is listed several times has several places, each with
 * its own level, ancestors, filter results and recursion check. A place requests its document. When the document has
 * been read, each of its places lays out the document: it creates places for the sitemaps that the document lists (its
 * children). So the tree depends only on the site and the options, never on which request ended first.
 *
 * Indexes that list each other make many places: eight indexes that all list each other make 109,600 places. Above
 * `limits.places`, an index that is already laid out at another place is not laid out again. `#cutOverflow` decides
 * which places are cut: level by level, in the order in which they are listed.
 */
import { unlessAborted } from "../fetch/timeout-signal.ts";
import { isAbsent } from "../model/http-status.ts";
import { type Breach, breachOf } from "./budget.ts";
import { ChildScheduler } from "./children/child-scheduler.ts";
import { type DeferredChild, DeferredChildren } from "./children/deferred-children.ts";
import { filterChildren } from "./children/recurse-filter.ts";
import { declare } from "./document/declared-children.ts";
import { isGuess, type SitemapOrigin } from "./events/events.ts";
import { PlaceReporter } from "./events/place-reporter.ts";
import { guessVerdict, recursionVerdict, stoppedBy } from "./events/sitemap-events.ts";
import { DOCUMENT_BYTES, PLACE_BYTES } from "./held-bytes.ts";
import { createChild, createPlace, isBelowItself, type Place } from "./place.ts";
import { type Declaration, isRead, type SitemapDocument, type Verdict, verdictOf } from "./site-graph.ts";
import { urlKey } from "./url-key.ts";
import type { WalkContext } from "./walk-context.ts";

const FILTERED = verdictOf("skipped", { code: "filtered", reason: "skipped by a filter" });

export class Placement {
  /**
   * The top level of the tree: either the sitemaps that the caller passed, or robots.txt, known locations and homepage
   * links, in this order. Only roots with `isShown` are in the tree.
   */
  readonly roots: Place[] = [];
  readonly #context: WalkContext;
  readonly #reporter: PlaceReporter;
  readonly #homepageKey: string;
  /** Places that wait until their document has been read, by document. */
  readonly #waiting: Map<SitemapDocument, Place[]> = new Map();
  /** Places whose children are being filtered or followed. */
  readonly #open: Set<Place> = new Set();
  readonly #childSchedulers: Map<Place, ChildScheduler> = new Map();
  /** Documents whose listed sitemaps are in the tree, below one place or more. */
  readonly #laidOut: Set<SitemapDocument> = new Set();
  #placeCount = 0;
  /**
   * Places whose children were not created, because of `limits.places`. Another place of the same document has the
   * children.
   */
  readonly #overflow: Set<Place> = new Set();
  readonly #deferred: DeferredChildren = new DeferredChildren();
  /** For each index beyond `limits.indexes`: the reached limit. */
  readonly #indexBreaches: Map<SitemapDocument, Breach> = new Map();
  readonly #recursions: Map<Declaration, Verdict> = new Map();
  /**
   * The limit that stops sitemaps at too deep a level. It is created once, because there may be 50,000 such sitemaps.
   */
  readonly #tooDeep: Breach;

  constructor(context: WalkContext) {
    this.#context = context;
    this.#reporter = new PlaceReporter(context);
    this.#homepageKey = urlKey(context.homepage.href);
    const { limits } = context.budget;
    this.#tooDeep = breachOf(limits, "depth", limits.depth + 1);
  }

  /** Requests a document for the top level of the tree. */
  async addRoot(url: string, source: SitemapOrigin): Promise<Place> {
    const place = createPlace(declare(url), source, undefined);
    this.roots.push(place);
    await this.#follow(place);
    return place;
  }

  /**
   * Shows a root (a place at the top level) in the tree and creates its children. Not shown: a known location without a
   * sitemap, a missing robots.txt, and a document that is already in the tree. The caller opens roots in order, each
   * when the tree below the previous root is complete. So the tree does not depend on timing.
   */
  async openRoot(root: Place): Promise<void> {
    const { document, source } = root;
    if (document === undefined) root.isShown = !isGuess(source);
    else if (!document.isPlaced) {
      const isFailed = document.outcome === "failed" && isAbsent(document.http?.status);
      const isMissing = source === "robots" && (isFailed || document.isRobotsPage);
      root.isShown = !isMissing && (isRead(document) || !isGuess(source));
    }
    if (root.isShown && document !== undefined) await this.#settleAt(root, document);
  }

  /** Whether documents below the opened roots are being fetched. */
  get isGrowing(): boolean {
    return this.#open.size > 0;
  }

  /** Called when a document has been read. Continues all places that wait for it. */
  async resume(document: SitemapDocument): Promise<void> {
    await this.#reporter.issues(document);
    const waiting = this.#waiting.get(document) ?? [];
    this.#waiting.delete(document);
    for (const place of waiting) await this.#advance(place);
  }

  /** Applies the limits at the end of the walk. This may request more documents. `drain` visits them. */
  async settle(drain: () => Promise<void>): Promise<void> {
    await this.#attachDeferred(drain);
    const isOver = this.#placeCount > this.#context.budget.maxPlaces;
    if (isOver || this.#overflow.size > 0) await this.#cutOverflow(drain);
    await this.#refuseDeferred();
  }

  // ---------------------------------------------------------------- from a declaration to its document

  async #follow(place: Place): Promise<void> {
    place.declaration.document = this.#demand(place, place.declaration.url);
    await this.#advance(place);
  }

  /**
   * Returns the document at this URL. Requests the document if it is new. `from`: the document that redirects to it.
   */
  #demand(place: Place, url: string, from?: SitemapDocument): SitemapDocument {
    const { graph, scheduler, options, given } = this.#context;
    const known = graph.find(url);
    if (known !== undefined) {
      if (!isGuess(place.source)) scheduler.promote(known);
      return known;
    }
    const { declaration, source, parent } = place;
    const { lastModified } = declaration;
    const demand = { url: declaration.url, lastModified, source, parent: parent?.document };
    const document = graph.add(url, demand);
    const isHomepage = from?.isHomepage || urlKey(url) === this.#homepageKey;
    document.isHomepage = isHomepage && given === undefined && options.useHomepageLinks !== false;
    scheduler.add(document);
    return document;
  }

  /**
   * Follows the known redirects of a place. Then waits for the document, or finishes the place if the document has
   * already been read.
   */
  async #advance(place: Place): Promise<void> {
    const { graph } = this.#context;
    let resolution = graph.resolve(place.declaration.document!);
    if (resolution.next !== undefined) {
      this.#demand(place, resolution.next, resolution.chain.at(-1));
      resolution = graph.resolve(place.declaration.document!);
    }
    const { chain, document, problem } = resolution;
    if (problem !== undefined) await this.#refuse(place, verdictOf("failed", problem), chain);
    else if (document!.outcome === undefined) return this.#wait(place, document!);
    else if (isBelowItself(place, document!)) {
      await this.#refuse(place, this.#recursion(place, document!), chain);
    } else {
      place.document = document;
      await this.#reporter.end(place, chain, guessVerdict(place, chain));
      // Do not create the children of a root here: `openRoot` decides later whether the root is shown. A sitemap that
      // the caller passed is always shown.
      if (place.parent !== undefined || place.source === "given") await this.#settleAt(place, document!);
    }
    place.isEnded = true;
    if (place.parent !== undefined) await this.#feed(place.parent);
  }

  #wait(place: Place, document: SitemapDocument): void {
    const places = this.#waiting.get(document);
    if (places === undefined) this.#waiting.set(document, [place]);
    else places.push(place);
  }

  /**
   * The reason why a sitemap is not read again below itself. Places of the same declaration share this reason, because
   * 100,000 places could each have a reason of 500 characters.
   */
  #recursion(place: Place, document: SitemapDocument): Verdict {
    const known = this.#recursions.get(place.declaration);
    if (known !== undefined) return known;
    const verdict = recursionVerdict(place, document);
    this.#recursions.set(place.declaration, verdict);
    this.#context.budget.addHeld(verdict.reason.length);
    return verdict;
  }

  async #refuse(place: Place, verdict: Verdict, chain: readonly SitemapDocument[] = []): Promise<void> {
    place.verdict = verdict;
    place.isEnded = true;
    place.declaration.verdict ??= verdict;
    await this.#reporter.end(place, chain, verdict);
  }

  // ---------------------------------------------------------------- from a document to its children

  /**
   * Creates and follows the children of this place: the sitemaps that its document lists. If this would exceed
   * `limits.places`, and another place of the document already has the children, only records the place in `#overflow`.
   */
  async #settleAt(place: Place, document: SitemapDocument): Promise<void> {
    document.isPlaced = true;
    const { budget } = this.#context;
    const count = document.children.length;
    if (count === 0 || !isRead(document)) return;
    const isOver = this.#placeCount + count > budget.maxPlaces;
    if (isOver && this.#laidOut.has(document)) this.#overflow.add(place);
    else await this.#layOut(place, document);
  }

  async #layOut(place: Place, document: SitemapDocument): Promise<void> {
    this.#open.add(place);
    await this.#createChildren(place, document);
    await this.#followChildren(place, document);
  }

  /** Sets the children of a place: the sitemaps of the document that the filters keep. */
  async #createChildren(place: Place, document: SitemapDocument): Promise<void> {
    const { budget } = this.#context;
    const declared = document.children;
    const isFirst = !this.#laidOut.has(document);
    this.#laidOut.add(document);
    const breach = this.#indexBreach(document, isFirst);
    const kept = breach === undefined ? await this.#filter(place, document) : declared;
    place.declared = kept;
    place.children = new Array(kept.length);
    this.#placeCount += kept.length;
    budget.addHeld(kept.length * PLACE_BYTES);
    if (kept === declared) return;
    if (isFirst) budget.dropChildren(declared.length - kept.length);
    await this.#refuseFiltered(place, document, new Set(kept));
  }

  async #followChildren(place: Place, document: SitemapDocument): Promise<void> {
    const breach = this.#indexBreaches.get(document);
    if (breach !== undefined) {
      this.#deferred.addFrom(0, place, breach);
      this.#open.delete(place);
      return;
    }
    const { barrenChildren } = this.#context.budget.limits;
    this.#childSchedulers.set(place, new ChildScheduler(place, barrenChildren));
    await this.#feed(place);
  }

  /**
   * Returns the limit `limits.indexes` if this index exceeds it. Counts each index only once. The site's robots.txt
   * does not count.
   */
  #indexBreach(document: SitemapDocument, isFirst: boolean): Breach | undefined {
    if (document.demand.source === "robots") return undefined;
    const breach = isFirst ? this.#context.budget.take("indexes") : this.#indexBreaches.get(document);
    if (breach !== undefined) this.#indexBreaches.set(document, breach);
    return breach;
  }

  async #filter(place: Place, { children }: SitemapDocument): Promise<readonly Declaration[]> {
    const { options, scheduler } = this.#context;
    try {
      return await filterChildren(place, children, options, (answer) =>
        unlessAborted(Promise.resolve(answer), scheduler.signal),
      );
    } catch (error) {
      scheduler.expectStop(error);
      return children;
    }
  }

  async #refuseFiltered(
    place: Place,
    { children }: SitemapDocument,
    kept: ReadonlySet<Declaration>,
  ): Promise<void> {
    for (const declaration of children) {
      if (!kept.has(declaration)) await this.#refuse(createPlace(declaration, "sitemap", place), FILTERED);
    }
  }

  /** Follows the next children of a place. Called when the children were created, and when a child has finished. */
  async #feed(place: Place): Promise<void> {
    const children = this.#childSchedulers.get(place);
    if (children === undefined || children.isBusy) return;
    children.isBusy = true;
    for (let position = children.take(); position !== undefined; position = children.take()) {
      await this.#start(place, position);
      await this.#reporter.rest();
    }
    children.isBusy = false;
    if (!children.isOver) return;
    this.#open.delete(place);
    this.#childSchedulers.delete(place);
    if (children.taken >= place.declared.length) return;
    const { limits } = this.#context.budget;
    const breach = breachOf(limits, "barrenChildren", limits.barrenChildren);
    this.#deferred.addFrom(children.taken, place, breach);
  }

  /** Follows the child at this position, unless a limit stops it. */
  async #start(place: Place, position: number): Promise<void> {
    const { budget, graph, policy, scheduler } = this.#context;
    if (place.level >= budget.limits.depth)
      return this.#deferred.add({ place, position, breach: this.#tooDeep });
    const { url } = place.declared[position]!;
    if (graph.find(url) === undefined) {
      // Do not create documents that can no longer be requested, because there may be 50,000.
      if (scheduler.stopped !== undefined) {
        return this.#refuse(createChild(place, position), stoppedBy(scheduler.stopped));
      }
      const breach =
        budget.full("sitemaps") ?? policy.hosts.breach(new URL(url)) ?? budget.hold(DOCUMENT_BYTES);
      if (breach !== undefined) return this.#deferred.add({ place, position, breach });
    }
    await this.#follow(createChild(place, position));
  }

  // ---------------------------------------------------------------- limits

  /**
   * Follows children that a limit stopped, if their document was requested for another place. Children that are too
   * deep are not followed.
   */
  async #attachDeferred(drain: () => Promise<void>): Promise<void> {
    for (let isAttached = true; isAttached; ) {
      isAttached = false;
      for (const child of this.#deferred.take(this.#tooDeep)) {
        await this.#reporter.rest();
        if (!this.#isRequested(child)) this.#deferred.add(child);
        else {
          await this.#follow(createChild(child.place, child.position));
          isAttached = true;
        }
      }
      await drain();
    }
  }

  async #refuseDeferred(): Promise<void> {
    const { budget, keepPages } = this.#context;
    for (const deferred of this.#deferred.take()) {
      const { place, position, breach } = deferred;
      const child = createChild(place, position);
      child.verdict = stoppedBy(breach);
      if (this.#isRequested(deferred)) await this.#reporter.end(child, []);
      else {
        if (breach.code === "limit.barren") place.document!.partial = true;
        await this.#refuse(child, stoppedBy(budget.reach(breach)));
      }
      if (keepPages === undefined) place.children = undefined;
    }
  }

  #isRequested({ place, position }: DeferredChild): boolean {
    return this.#context.graph.find(place.declared[position]!.url) !== undefined;
  }

  /**
   * Applies `limits.places`: decides again which places of repeated indexes are cut. Goes level by level, in the order
   * in which the places are listed, so that the result does not depend on timing.
   */
  async #cutOverflow(drain: () => Promise<void>): Promise<void> {
    const { budget } = this.#context;
    const laidOut = new Set<SitemapDocument>();
    let count = 0;
    // All cut places share one verdict (the reason), because a site may have 90,000 such places.
    let cut: Verdict | undefined;
    for (let level = this.roots.filter(({ isShown }) => isShown); level.length > 0; ) {
      for (const place of level) {
        await this.#reporter.rest();
        const { document } = place;
        if (document === undefined || document.children.length === 0 || !isRead(document)) continue;
        const isLate = this.#overflow.delete(place);
        if (isLate) await this.#createChildren(place, document);
        const wanted = count + (place.children?.length ?? 0);
        if (wanted > budget.maxPlaces && laidOut.has(document)) {
          budget.addHeld(-(place.children?.length ?? 0) * PLACE_BYTES);
          place.children = undefined;
          cut ??= stoppedBy(budget.reach(breachOf(budget.limits, "places", wanted)));
          place.verdict = cut;
          continue;
        }
        laidOut.add(document);
        count = wanted;
        if (isLate) await this.#followChildren(place, document);
      }
      await drain();
      level = level.flatMap(({ children = [] }) => children.filter((child) => child !== undefined));
    }
  }
}
