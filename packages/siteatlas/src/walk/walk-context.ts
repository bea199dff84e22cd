/** The objects that all parts of one walk share. */
import type { Page } from "../model/model.ts";
import type { Breach, Budget } from "./budget.ts";
import type { EventReporter } from "./events/event-reporter.ts";
import type { WalkOptions } from "./options.ts";
import type { PreviousVisit } from "./previous-visit.ts";
import type { RequestPolicy } from "./requests/request-policy.ts";
import type { Scheduler } from "./requests/scheduler.ts";
import type { SiteGraph, SitemapDocument } from "./site-graph.ts";

/** Options of a walk that only the tree, the sync and tests use. */
export interface WalkUse {
  /**
   * Receives the pages. If this function is set, the stream of the walk has no pages, and documents keep their issues.
   * Returns the exceeded limit if no more pages of this document can be kept. The rest of the document is then not
   * read. If the function returns a promise, the walk waits for it.
   */
  readonly keepPages?:
    | ((
        document: SitemapDocument,
        pages: readonly Page[],
      ) => Breach | undefined | Promise<Breach | undefined>)
    | undefined;
  /** The source of random waits, for tests. @default Math.random */
  readonly random?: (() => number) | undefined;
  /** Facts from the last sync. */
  readonly previous?: PreviousVisit | undefined;
}

export interface WalkContext extends WalkUse {
  readonly homepage: URL;
  /** The sitemaps that the caller passed. Undefined if the walk starts at the homepage. */
  readonly given: readonly string[] | undefined;
  readonly options: WalkOptions;
  readonly budget: Budget;
  readonly graph: SiteGraph;
  readonly policy: RequestPolicy;
  readonly reporter: EventReporter;
  readonly scheduler: Scheduler;
}
