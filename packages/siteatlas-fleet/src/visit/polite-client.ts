/**
 * The HTTP client of one leg of a visit, which is a part of the visit that is committed separately. It wraps the client
 * of the process and adds these rules:
 *
 * - No request is sent unless this worker holds the lease of the domain.
 * - If a server sends Retry-After, its domain gets no requests from any process during that time. So the client reports
 *   the pause immediately. If the pause is long, further requests of this leg are postponed to a later leg.
 * - robots.txt is fetched once per visit.
 */
import { type Client, type ClientRequest, type ClientResponse, parseRobotsTxt } from "siteatlas";
import { domainOf } from "../model/site-name.ts";
import { type LegContext, MAX_PAUSE_MS } from "../model/visit.ts";

/**
 * Maximum length of a short pause. During a short pause, the walk waits until the pause is over
 * (`limits.retryAfterMs`). During a longer pause, requests are postponed to a later leg.
 */
export const SHORT_PAUSE_MS = 10_000;

/** Longest Crawl-delay that is obeyed. A longer one is shortened to this. */
export const MAX_CRAWL_DELAY_MS = 600_000;

/**
 * Maximum size of a robots.txt that is kept for the next leg of the visit. siteatlas reads rules only in the first 500
 * KiB (RFC 9309).
 */
const MAX_ROBOTS_BYTES = 600 * 1024;

/** A robots.txt that is kept for the next leg of the visit. */
export interface RobotsResponse {
  readonly status: number;
  readonly headers: ClientResponse["headers"];
  readonly body: Uint8Array;
}

export class PoliteClient {
  requests = 0;
  robots: RobotsResponse | undefined;
  /** Whether a request was rejected because the lease had expired. It stays true if the lease is renewed. */
  wasLost = false;
  /** URLs that a later leg requests, because their server asked for a pause. They must not be recorded as failed. */
  readonly postponed: Set<string> = new Set();
  /** Whether a request to the domain of the site itself was postponed. */
  isPaused = false;
  readonly #context: LegContext;
  readonly #host: string;
  readonly #domain: string;
  readonly #robotsUrl: string;
  /** When the pause of each domain ends, in milliseconds of `performance.now`. */
  readonly #pauses: Map<string, number> = new Map();

  constructor(homepage: string, context: LegContext, robots?: RobotsResponse) {
    this.#context = context;
    this.#host = new URL(homepage).host;
    this.#domain = domainOf(new URL(homepage).hostname);
    this.#robotsUrl = new URL("/robots.txt", homepage).href;
    this.robots = robots;
  }

  wrap(inner: Client): Client {
    return Object.assign((request: ClientRequest) => this.#fetch(request, inner), { wraps: inner });
  }

  async #fetch(request: ClientRequest, inner: Client): Promise<ClientResponse> {
    const { url } = request;
    if (url === this.#robotsUrl && this.robots !== undefined) return replay(this.robots);
    const domain = domainOf(new URL(url).hostname);
    if (this.#pauseLeft(domain) > 0) {
      this.#postpone(url, domain);
      throw refusal("the site asked for a pause");
    }
    this.#context.signal.throwIfAborted();
    if (!this.#context.isHeld()) {
      this.wasLost = true;
      throw refusal("the lease was lost");
    }
    if (this.#isStopped(new URL(url).host, domain)) throw refusal("the host is on the stop list");
    this.requests++;
    const response = await inner(request);
    const ms = pauseOf(response);
    if (ms > 0) this.#context.onPause(domain, ms);
    if (ms > SHORT_PAUSE_MS) {
      this.#pauses.set(domain, performance.now() + ms);
      this.#postpone(url, domain);
    }
    return url === this.#robotsUrl ? this.#remember(response) : response;
  }

  /** How long the site must get no requests after this leg, because of Retry-After or Crawl-delay. */
  pauseMs(userAgent: string): number | undefined {
    const left = Math.max(this.#pauseLeft(this.#domain), this.#crawlDelayMs(userAgent));
    return left > 0 ? Math.min(left, MAX_PAUSE_MS) : undefined;
  }

  #postpone(url: string, domain: string): void {
    this.postponed.add(url);
    if (domain === this.#domain) this.isPaused = true;
  }

  /**
   * Whether a host is on the stop list. Not checked for the host of the site itself: if that is on the list, the worker
   * aborts the whole visit.
   */
  #isStopped(host: string, domain: string): boolean {
    if (host === this.#host) return false;
    return this.#context.isStopped(host, domain === this.#domain ? host : domain);
  }

  #pauseLeft(domain: string): number {
    return (this.#pauses.get(domain) ?? 0) - performance.now();
  }

  #crawlDelayMs(userAgent: string): number {
    if (this.robots?.status !== 200) return 0;
    const text = new TextDecoder().decode(this.robots.body);
    const seconds = parseRobotsTxt(text, { url: this.#robotsUrl }).crawlDelay(userAgent) ?? 0;
    return Math.min(1000 * seconds, MAX_CRAWL_DELAY_MS);
  }

  /** Passes the body of robots.txt on, and keeps a copy for the next leg of the visit, unless it is too long. */
  #remember(response: ClientResponse): ClientResponse {
    const { status, headers, body } = response;
    const keep = async function* (this: PoliteClient): AsyncGenerator<Uint8Array> {
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of body) {
        length += chunk.length;
        if (length <= MAX_ROBOTS_BYTES) chunks.push(Uint8Array.from(chunk));
        yield chunk;
      }
      if (length <= MAX_ROBOTS_BYTES) this.robots = { status, headers, body: Buffer.concat(chunks) };
    };
    return { ...response, body: keep.call(this) };
  }
}

/**
 * Creates the error of a request that is not sent. It has the error code of a closed client, so that the walk does not
 * retry and does not treat the host as dead.
 */
function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: "UND_ERR_CLOSED" });
}

/** The time of Retry-After in milliseconds, if the status says that the server is busy; otherwise 0. */
function pauseOf({ status, headers }: ClientResponse): number {
  const text = headers["retry-after"]?.trim();
  if (text === undefined || (status !== 429 && status !== 503)) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
}

function replay({ status, headers, body }: RobotsResponse): ClientResponse {
  async function* once(): AsyncGenerator<Uint8Array> {
    yield body;
  }
  return { status, headers, body: once(), cancel: () => {} };
}
