/**
 * Decides which hosts a walk may send requests to: the hosts of its site, and other hosts if the options allow them.
 * The target of a redirect is checked like a listed sitemap. After three failed connections, or two timeouts, an origin
 * that has never answered is dead: it gets no more requests. An origin that requests too long a pause three times in a
 * row is also dead.
 */
import {
  classifyError,
  DeadHostError,
  type NetworkFailure,
  skippedAfter,
} from "../../fetch/classify-error.ts";
import { type Client, discard } from "../../fetch/client/client.ts";
import { loadSiteOf, type SiteOf } from "../../fetch/registrable-domain.ts";
import { isRetryable, retryAfterMs } from "../../fetch/retry.ts";
import { runningClock } from "../../fetch/running-clock.ts";
import { unlessAborted } from "../../fetch/timeout-signal.ts";
import type { Breach, Budget } from "../budget.ts";
import { stoppedBy } from "../events/sitemap-events.ts";
import type { WalkOptions } from "../options.ts";
import { type Verdict, verdictOf } from "../site-graph.ts";

/** Number of consecutive failed connections after which an origin is dead: no more requests are sent to it (H36). */
const MAX_FAILURES = 3;
/**
 * Number of timeouts after which an origin that has never answered is dead. Such an origin accepts connections but does
 * not respond.
 */
const MAX_TIMEOUTS = 2;

/**
 * The reasons not to read sitemaps on other hosts. They are created once, because there may be 50,000 such sitemaps
 * (sec-S08).
 */
const ON_ANOTHER_HOST = verdictOf("skipped", { code: "url.cross-host", reason: "on another host" });
const ON_ANOTHER_SITE = verdictOf("skipped", { code: "url.cross-host", reason: "on another site" });

interface OriginState {
  /** Number of consecutive failed connections. */
  failures: number;
  /** Number of timeouts before the first response. */
  timeouts: number;
  last: NetworkFailure | undefined;
  inFlight: number;
  /** Requests that wait until the requests in flight have ended. */
  readonly waiting: Set<() => void>;
}

export class HostPolicy {
  readonly #crossHost: NonNullable<WalkOptions["crossHost"]>;
  readonly #budget: Budget;
  /** The hosts of the site, with their ports. */
  readonly #own: Set<string> = new Set();
  readonly #ownNames: Set<string> = new Set();
  readonly #foreign: Set<string> = new Set();
  #siteOf: SiteOf | undefined;
  /** States by origin, not by host: a host may answer over https but not over http. */
  readonly #origins: Map<string, OriginState> = new Map();
  /**
   * Origins that answered at least once. Failed connections are not counted for them: the next connection may succeed.
   */
  readonly #answered: Set<string> = new Set();

  /** `own`: the URLs that the caller passed. */
  constructor(own: readonly URL[], { crossHost = "follow" }: WalkOptions, budget: Budget) {
    this.#crossHost = crossHost;
    this.#budget = budget;
    for (const url of own) this.addOwn(url);
  }

  /** Adds a host of the site. */
  addOwn({ host, hostname }: URL): void {
    this.#own.add(host);
    this.#ownNames.add(hostname);
  }

  /**
   * Returns the reason not to request this URL. Undefined if it may be requested. Protects other hosts from an index
   * that lists sitemaps on 50,000 hosts (sec-S08).
   */
  async refusal({ host, hostname }: URL): Promise<Verdict | undefined> {
    if (this.#own.has(host)) return undefined;
    if (this.#crossHost === "none") return ON_ANOTHER_HOST;
    this.#siteOf ??= await loadSiteOf();
    if (this.#isOwnSite(hostname, this.#siteOf)) return undefined;
    if (this.#crossHost === "same-site") return ON_ANOTHER_SITE;
    if (this.#foreign.has(hostname)) return undefined;
    const breach = this.#budget.take("foreignHosts");
    if (breach !== undefined) return stoppedBy(this.#budget.reach(breach));
    this.#foreign.add(hostname);
    return undefined;
  }

  /**
   * Returns the limit `foreignHosts` if it is reached and this URL is on a new foreign host. Returns undefined before
   * the first call of `refusal`, which loads the public suffix list.
   */
  breach({ host, hostname }: URL): Breach | undefined {
    const isNew = !this.#own.has(host) && !this.#foreign.has(hostname);
    if (this.#crossHost !== "follow" || this.#siteOf === undefined || !isNew) return undefined;
    const breach = this.#budget.full("foreignHosts");
    return breach && !this.#isOwnSite(hostname, this.#siteOf) ? breach : undefined;
  }

  /** Returns why the origin is dead, so that it gets no more requests. Undefined if it is not dead. */
  deadReason({ origin }: URL): NetworkFailure | undefined {
    const { failures = 0, timeouts = 0, last } = this.#origins.get(origin) ?? {};
    const isDead = failures >= MAX_FAILURES || timeouts >= MAX_TIMEOUTS;
    return isDead && last !== undefined ? skippedAfter(last) : undefined;
  }

  /**
   * Waits until a request may be sent. After the first timeout of an origin, only one request at a time is sent to it
   * until it answers. So a host that never responds costs the time of two timeouts.
   *
   * @throws {DeadHostError} if the origin is dead. It may have died while the request waited
   */
  async admit(url: URL, signal: AbortSignal): Promise<void> {
    for (;;) {
      const dead = this.deadReason(url);
      if (dead !== undefined) throw new DeadHostError(dead);
      const origin = this.#stateOf(url);
      if (origin.timeouts === 0 || origin.inFlight === 0) {
        // Count the request here, not when it is sent: otherwise more requests could be admitted in between.
        origin.inFlight++;
        return;
      }
      await nextOf(origin.waiting, signal);
    }
  }

  /** Wraps the client, to record which origins answer. Call `admit` before each request. */
  guard(client: Client): Client {
    return async (request) => {
      const url = new URL(request.url);
      const origin = this.#stateOf(url);
      const { pauses } = runningClock;
      let answer: ReturnType<Client> | undefined;
      try {
        answer = client(request);
        // Do not rely on the client: it may ignore its signal.
        const response = await unlessAborted(answer, request.signal);
        const { status, headers } = response;
        const waitMs = isRetryable(status, headers) ? retryAfterMs(headers["retry-after"]) : undefined;
        // If an origin requests a longer pause than the walk allows, count it as a failure (sec-H16).
        if (waitMs !== undefined && waitMs > this.#budget.limits.retryAfterMs) {
          origin.failures++;
          origin.last = pauseFailure(status);
        } else {
          this.#answered.add(url.origin);
          origin.failures = 0;
          origin.timeouts = 0;
        }
        return response;
      } catch (error) {
        answer?.then(discard).catch(() => {});
        // Count the failure only if the process was not paused meanwhile (Ctrl-Z, sleep): a pause may have caused the
        // failure.
        if (!this.#answered.has(url.origin) && runningClock.pauses === pauses) {
          const failure = classifyError(error);
          if (failure.connecting) origin.failures++;
          else if (failure.code === "http.timeout") origin.timeouts++;
          origin.last = failure;
        }
        throw error;
      } finally {
        origin.inFlight--;
        this.#wake(url, origin.waiting);
      }
    };
  }

  /**
   * Returns a function that tells whether a host belongs to the site: whether it has the same registrable domain as a
   * host of the site.
   */
  async ownHosts(): Promise<(hostname: string) => boolean> {
    const siteOf = await loadSiteOf();
    this.#siteOf ??= siteOf;
    // A document may have a million links, but most of them are on one host.
    let last: readonly [hostname: string, isOwn: boolean] | undefined;
    return (hostname) => {
      if (this.#ownNames.has(hostname)) return true;
      if (last?.[0] !== hostname) last = [hostname, this.#isOwnSite(hostname, siteOf)];
      return last[1];
    };
  }

  /**
   * Whether a host has the same registrable domain as the site. Each user of a shared platform (`a.github.io`) and each
   * IP address is a separate site. The slow public suffix list is used only for names that end with the domain of the
   * site, because an index may list 50,000 hosts.
   */
  #isOwnSite(hostname: string, siteOf: SiteOf): boolean {
    const name = hostname.replace(/\.$/, "");
    return [...this.#ownNames].map(siteOf).some((site) => name.endsWith(site) && siteOf(name) === site);
  }

  /** Wakes one waiting request. Wakes all of them if the origin has answered or is dead. */
  #wake(url: URL, waiting: ReadonlySet<() => void>): void {
    const isDecided = this.#answered.has(url.origin) || this.deadReason(url) !== undefined;
    for (const go of waiting) {
      go();
      if (!isDecided) return;
    }
  }

  #stateOf({ origin }: URL): OriginState {
    let state = this.#origins.get(origin);
    if (state === undefined) {
      state = { failures: 0, timeouts: 0, last: undefined, inFlight: 0, waiting: new Set() };
      this.#origins.set(origin, state);
    }
    return state;
  }
}

/** Waits until `#wake` lets this request continue. Rejects if the signal aborts. */
async function nextOf(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  let go = (): void => {};
  const next = new Promise<void>((resolve) => {
    go = resolve;
  });
  waiting.add(go);
  try {
    await unlessAborted(next, signal);
  } finally {
    waiting.delete(go);
  }
}

function pauseFailure(status: number): NetworkFailure {
  const reason = `the server answered ${status} and wants a longer pause than allowed`;
  return { code: "http.status", reason, isTransient: false, connecting: true };
}
