/**
 * Emits one event for each place (one position in the tree) when its outcome is known. A document is reported in full
 * at the place that it was requested for. At other places of the same document, the event has the outcome `shared`. If
 * a place has no document, its event has the reason.
 */
import { issueValue } from "../../model/issue-log.ts";
import { type IssueCode, severityOf } from "../../model/issue-severity.ts";
import type { Issue } from "../../model/model.ts";
import { isRobotsUrl } from "../../parse/robots/robots-url.ts";
import { issueBytes } from "../held-bytes.ts";
import type { Place } from "../place.ts";
import { NONE, type SitemapDocument, type Verdict } from "../site-graph.ts";
import type { WalkContext } from "../walk-context.ts";
import type { WalkedSitemap } from "./events.ts";
import { copyIssue, documentEvent, placeEvent } from "./sitemap-events.ts";

export class PlaceReporter {
  readonly #context: WalkContext;
  /** The first document with each content, by content key (content-hash.ts). */
  readonly #contents: Map<string, SitemapDocument> = new Map();

  constructor(context: WalkContext) {
    this.#context = context;
  }

  async issues({ issues }: SitemapDocument): Promise<void> {
    if (issues.length > 0)
      await this.#context.reporter.send(issues.map((issue) => ({ kind: "issue", issue })));
  }

  /**
   * Emits the event of a place. `chain`: the documents from the listed URL to the final document, linked by redirects.
   * `verdict`: the reason why the place has no document.
   */
  async end(place: Place, chain: readonly SitemapDocument[], verdict?: Verdict): Promise<void> {
    const document = chain.at(-1);
    const isFirst = verdict === undefined && document !== undefined && !document.isReported;
    if (!isFirst && place.declaration.isReported) return this.rest();
    place.declaration.isReported = true;
    const misplaced = misplacedIssue(place);
    const extra = misplaced === undefined ? [] : [misplaced];
    if (!isFirst) {
      await this.#send(extra, placeEvent(place, chain, verdict, extra));
      return;
    }
    document.isReported = true;
    const original = this.#original(document);
    // Do not store this issue in the document. The tree decides by its own order which of two copies is the original.
    if (original !== undefined) extra.push(copyIssue(document, original));
    const { contentHash, url } = document;
    const isSame = contentHash !== undefined && this.#context.previous?.isSame(url, contentHash) === true;
    await this.#send(extra, documentEvent(place, chain, { original, isSame, extra }));
    document.errorPage = undefined;
    for (const hop of chain) hop.issueCounts = NONE;
    if (this.#context.keepPages === undefined) forget(document);
    else this.#holdIssues(document);
  }

  /** Lets other tasks run after a step that emits no event. */
  rest(): Promise<void> {
    return this.#context.reporter.rest();
  }

  /**
   * Drops the issues of a document if the walk would keep more than `heldBytes` in memory with them. The issues were
   * already emitted as events.
   */
  #holdIssues(document: SitemapDocument): void {
    const { budget } = this.#context;
    const breach = budget.hold(issueBytes(document.issues));
    if (breach === undefined) return;
    budget.reach(breach);
    document.issues = NONE;
  }

  #original(document: SitemapDocument): SitemapDocument | undefined {
    const { contentKey: key } = document;
    const original = key === undefined ? undefined : this.#contents.get(key);
    if (key !== undefined && original === undefined) this.#contents.set(key, document);
    return original;
  }

  #send(issues: readonly Issue[], sitemap: WalkedSitemap): Promise<void> {
    const steps = issues.map((issue) => ({ kind: "issue", issue }) as const);
    return this.#context.reporter.send([...steps, { kind: "sitemap", sitemap }]);
  }
}

/** Frees data that was already reported, so that a stream over a large site does not fill the memory. */
function forget(document: SitemapDocument): void {
  document.issues = NONE;
  document.contentHash = undefined;
  document.contentKey = undefined;
}

/** Codes of issues that an index has because of a document that it lists. The event of the document counts them. */
export const MISPLACED_CODES: ReadonlySet<string> = new Set<IssueCode>([
  "index.lists-page",
  "index.lists-robots",
]);

/** Returns an issue if an index lists a document that does not belong there: an HTML page (I10) or robots.txt (I14). */
export function misplacedIssue({ declaration, document, parent }: Place): Issue | undefined {
  const index = parent?.document;
  if (index?.kind?.kind !== "index" || index.kind.format !== "xml") return undefined;
  const kind = document?.kind;
  const isPage = kind?.kind === "invalid" ? kind.code === "content.html" : kind?.format === "html";
  if (!isPage && !isRobotsUrl(declaration.url)) return undefined;
  const code = isPage ? "index.lists-page" : "index.lists-robots";
  return { code, severity: severityOf(code), url: index.url, value: issueValue(declaration.url) };
}
