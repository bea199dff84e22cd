/** One walk over a site: creates its parts and runs the plan. */
import { givenUrls, type SiteStart } from "../discover/site-start.ts";
import { type Client, checkOpen } from "../fetch/client/client.ts";
import type { ResourceOptions } from "../fetch/fetch-resource.ts";
import type { GateRules } from "../fetch/politeness.ts";
import type { Issue } from "../model/model.ts";
import { Budget } from "./budget.ts";
import { DocumentVisitor } from "./document/visit-document.ts";
import { EventReporter, type WalkStep } from "./events/event-reporter.ts";
import { readLimits, type WalkOptions } from "./options.ts";
import type { Place } from "./place.ts";
import { Placement } from "./placement.ts";
import { Plan } from "./plan.ts";
import { HostPolicy } from "./requests/host-policy.ts";
import { RequestPolicy, type RobotsFailure } from "./requests/request-policy.ts";
import { Scheduler } from "./requests/scheduler.ts";
import { SiteGraph, type Verdict } from "./site-graph.ts";
import type { WalkContext, WalkUse } from "./walk-context.ts";

export class Walk {
  readonly homepage: URL;
  readonly graph: SiteGraph;
  readonly #context: WalkContext;
  readonly #placement: Placement;
  readonly #plan: Plan;

  /** The caller must have checked the arguments (option-rules.ts). Throws a TypeError if the client is closed. */
  constructor(site: SiteStart, options: WalkOptions, client: Client, use: WalkUse = {}) {
    const { homepage, sitemaps: given, credentials } = site;
    const urls = givenUrls(site);
    checkOpen(client);
    const budget = new Budget(readLimits(options.limits));
    const own = urls.map((url) => new URL(url));
    const hosts = new HostPolicy(own, options, budget);
    this.homepage = homepage;
    this.graph = new SiteGraph(budget.limits);
    this.#context = {
      ...use,
      homepage,
      given,
      options,
      budget,
      graph: this.graph,
      policy: new RequestPolicy(homepage, own, options, client, budget, hosts, credentials, use.random),
      reporter: new EventReporter(options),
      scheduler: new Scheduler(options, budget),
    };
    this.#placement = new Placement(this.#context);
    this.#plan = new Plan(this.#context, this.#placement, new DocumentVisitor(this.#context));
  }

  /**
   * The top level of the tree: either the sitemaps that the caller passed, or robots.txt, known locations and homepage
   * links, in this order.
   */
  get roots(): readonly Place[] {
    return this.#placement.roots;
  }

  /** Issues of the site itself, for example limits that the walk reached. */
  get issues(): readonly Issue[] {
    return this.#context.reporter.siteIssues;
  }

  /** The headers of a request to this URL. */
  headersFor(url: URL): Record<string, string> {
    return this.#context.policy.headersFor(url);
  }

  /** Concurrency and delay of requests to this URL. */
  rulesFor(url: URL): GateRules {
    return this.#context.policy.rulesFor(url);
  }

  /** Whether robots.txt allows a request for this page. May fetch the robots.txt of its origin. */
  allowsPage(url: string, signal: AbortSignal): Promise<boolean> {
    return this.#context.policy.allowsPage(url, signal);
  }

  /** Why the robots.txt of this URL's origin could not be fetched. Undefined if it was, or if it was not tried. */
  robotsFailure(url: string): RobotsFailure | undefined {
    return this.#context.policy.robotsFailure(new URL(url));
  }

  /** Why no request may be sent to this host: see `crossHost` and `limits.foreignHosts`. Undefined if it may be sent. */
  hostRefusal(url: string): Promise<Verdict | undefined> {
    return this.#context.policy.hosts.refusal(new URL(url));
  }

  /** The options of the fetch layer for pages. */
  pageOptions(signal: AbortSignal): ResourceOptions {
    return this.#context.policy.pageOptions(signal);
  }

  /** Number of requests, including redirects, retries and the homepage. */
  get requestCount(): number {
    return this.#context.policy.requestCount;
  }

  /** Whether a limit was reached, so that the result is not complete. */
  get isPartial(): boolean {
    return this.#context.budget.reached.size > 0;
  }

  /** Ends a walk that is not run, because only its requests for pages are needed. */
  close(): void {
    this.#context.scheduler.close();
  }

  /** Runs the walk and yields its events. Leaving the loop aborts all requests. */
  async *run(): AsyncGenerator<readonly WalkStep[]> {
    const { reporter, scheduler } = this.#context;
    const done = this.#plan.run().then(
      () => reporter.close(),
      (reason: unknown) => reporter.close({ reason }),
    );
    try {
      yield* reporter.read();
    } finally {
      scheduler.leave();
      await done;
      scheduler.close();
    }
  }
}
