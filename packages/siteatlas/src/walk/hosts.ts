/**
 * Which hosts a walk asks: those of its site, others as far as the options allow, and none that turned out to
 * be dead. Redirects count like sitemaps that are declared.
 */
import type { Client } from "../fetch/client.ts";
import { classifyError, DeadHostError } from "../fetch/errors.ts";
import { isPassing, retryAfterMs } from "../fetch/retry.ts";
import { loadSiteOf, type SiteOf } from "../fetch/site-of.ts";
import type { Budget } from "./budget.ts";
import { stoppedBy } from "./describe.ts";
import type { WalkOptions } from "./options.ts";
import type { Verdict } from "./record.ts";

/** So many connections in a row that did not come about, one request with its retries, and a host is dead (H36). */
const MAX_FAILURES = 3;

export class Hosts {
  readonly #crossHost: NonNullable<WalkOptions["crossHost"]>;
  readonly #budget: Budget;
  /** The site's own, with their ports. */
  readonly #own: Set<string> = new Set();
  readonly #ownNames: Set<string> = new Set();
  readonly #foreign: Set<string> = new Set();
  #siteOf: SiteOf | undefined;
  /** Failures in a row, by host. */
  readonly #failures: Map<string, number> = new Map();

  constructor(homepage: URL, { crossHost = "follow" }: WalkOptions, budget: Budget) {
    this.#crossHost = crossHost;
    this.#budget = budget;
    this.addOwn(homepage);
  }

  /** The site lives here, too. */
  addOwn({ host, hostname }: URL): void {
    this.#own.add(host);
    this.#ownNames.add(hostname);
  }

  /** Why this URL is not requested, if it is not. Stops the index of 50,000 hosts that are to be flooded (sec-S08). */
  async refusal({ host, hostname }: URL): Promise<Verdict | undefined> {
    if (this.#own.has(host)) return undefined;
    if (this.#crossHost === "none") return elsewhere("on another host");
    if (await this.#isOwnSite(hostname)) return undefined;
    if (this.#crossHost === "same-site") return elsewhere("on another site");
    if (this.#foreign.has(hostname)) return undefined;
    const breach = this.#budget.take("foreignHosts");
    if (breach !== undefined) return stoppedBy(this.#budget.reach(breach));
    this.#foreign.add(hostname);
    return undefined;
  }

  isDead(host: string): boolean {
    return (this.#failures.get(host) ?? 0) >= MAX_FAILURES;
  }

  /** Asks, unless the host turned out to be dead while this request waited for its turn. */
  ask(client: Client): Client {
    return async (request) => {
      const { host } = new URL(request.url);
      if (this.isDead(host)) throw new DeadHostError("The host did not answer before");
      try {
        const response = await client(request);
        const { status, headers } = response;
        const waitMs = isPassing(status, headers) ? retryAfterMs(headers["retry-after"]) : undefined;
        // Who wants to be left alone for longer than we wait is as good as dead (sec-H16).
        if (waitMs !== undefined && waitMs > this.#budget.limits.retryAfterMs) this.#fail(host);
        else this.#failures.delete(host);
        return response;
      } catch (error) {
        if (classifyError(error).connecting) this.#fail(host);
        throw error;
      }
    };
  }

  /**
   * Whether the registrable domain is the site's; users of one platform (`a.github.io`) are sites of their own,
   * and so is an address. The list of public suffixes is loaded when the first other host turns up, and asked
   * only where a name ends as one of ours: 50,000 answers take time.
   */
  async #isOwnSite(hostname: string): Promise<boolean> {
    this.#siteOf ??= await loadSiteOf();
    const siteOf = this.#siteOf;
    const name = hostname.replace(/\.$/, "");
    return [...this.#ownNames].map(siteOf).some((site) => name.endsWith(site) && siteOf(name) === site);
  }

  #fail(host: string): void {
    this.#failures.set(host, (this.#failures.get(host) ?? 0) + 1);
  }
}

function elsewhere(reason: string): Verdict {
  return { outcome: "skipped", code: "url.cross-host", reason };
}
