/**
 * Between the walks of a process and the network, this keeps the promises that hold across processes:
 *
 * - No request without the lease: asked before each one.
 * - A site that asks to be left alone (Retry-After) is, by everybody: the pause is told at once, and whatever else the
 *   walk wants to ask there meanwhile is refused here and counts as postponed.
 * - robots.txt is asked for once in a visit, however many legs it has.
 *
 * All legs stand before one client, and share its connections and what it allows to one address at a time.
 */
import { type Client, type ClientRequest, type ClientResponse, parseRobotsTxt } from "siteatlas";
import { domainOf } from "../host.ts";
import type { LegContext } from "../leg.ts";

/** A shorter pause is waited for in the walk itself (`limits.retryAfterMs`), with the site's slot. */
export const PATIENCE_MS = 10_000;

/** Whoever asks for more is not believed. */
export const MAX_PAUSE_MS: number = 7 * 86_400_000;
export const MAX_CRAWL_DELAY_MS = 600_000;

/** The library reads no more of it, either (RFC 9309: at least 500 KiB). */
const MAX_ROBOTS_BYTES = 600 * 1024;

/** What was received of robots.txt, for the next leg of the same visit. */
export interface RobotsAnswer {
  readonly status: number;
  readonly headers: ClientResponse["headers"];
  readonly body: Uint8Array;
}

/** What one leg asks for. */
export class LegTraffic {
  /** Requests that were sent. */
  requests = 0;
  robots: RobotsAnswer | undefined;
  /** A request was not sent because the lease had run out, though it may be held again. */
  wasLost = false;
  /** Requests that were not sent because of a pause: these sitemaps have not failed. */
  readonly postponed: Set<string> = new Set();
  readonly #context: LegContext;
  readonly #host: string;
  readonly #domain: string;
  readonly #robotsUrl: string;
  /** By domain, on the clock that never jumps. */
  readonly #pauses: Map<string, number> = new Map();

  constructor(homepage: string, context: LegContext, robots?: RobotsAnswer) {
    this.#context = context;
    this.#host = new URL(homepage).host;
    this.#domain = domainOf(new URL(homepage).hostname);
    this.#robotsUrl = new URL("/robots.txt", homepage).href;
    this.robots = robots;
  }

  /** What the walk of this leg asks with. */
  clientBefore(inner: Client): Client {
    return Object.assign((request: ClientRequest) => this.#ask(request, inner), { before: inner });
  }

  async #ask(request: ClientRequest, inner: Client): Promise<ClientResponse> {
    const { url } = request;
    if (url === this.#robotsUrl && this.robots !== undefined) return replay(this.robots);
    const domain = domainOf(new URL(url).hostname);
    if (this.#pauseLeft(domain) > 0) {
      this.#postpone(url, domain);
      throw refusal("the site asked to be left alone");
    }
    this.#context.signal.throwIfAborted();
    if (!this.#context.isHeld()) {
      this.wasLost = true;
      throw refusal("the lease is lost");
    }
    if (this.#isStopped(new URL(url).host, domain)) throw refusal("it is on the stop list");
    this.requests++;
    const response = await inner(request);
    const ms = pauseOf(response);
    if (ms > 0) this.#context.onPause(domain, ms);
    // The walk waits for a short one and asks again.
    if (ms > PATIENCE_MS) {
      this.#pauses.set(domain, performance.now() + ms);
      this.#postpone(url, domain);
    }
    return url === this.#robotsUrl ? this.#remember(response) : response;
  }

  /** How long the site is to be left alone after this; undefined for no longer than usual. */
  pauseMs(userAgent: string): number | undefined {
    const left = Math.max(this.#pauseLeft(this.#domain), this.#crawlDelayMs(userAgent));
    return left > 0 ? Math.min(left, MAX_PAUSE_MS) : undefined;
  }

  /** The site itself wants to be left alone for longer than a walk waits: something was not asked for. */
  isPaused = false;

  #postpone(url: string, domain: string): void {
    this.postponed.add(url);
    if (domain === this.#domain) this.isPaused = true;
  }

  /** The site itself is not asked about here: its visit is not begun then, or ended (claim.sql, renew.sql). */
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

  /** Passes the body on and keeps it, if it is not too long. */
  #remember(response: ClientResponse): ClientResponse {
    const { status, headers, body } = response;
    const keep = async function* (this: LegTraffic): AsyncGenerator<Uint8Array> {
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

/** As from a client that is closed: the walk does not ask again, and the host does not count as dead. */
function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: "UND_ERR_CLOSED" });
}

/** What the Retry-After of a busy server asks for. */
function pauseOf({ status, headers }: ClientResponse): number {
  const text = headers["retry-after"]?.trim();
  if (text === undefined || (status !== 429 && status !== 503)) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
}

/** It is as the client gave it: no coding is left to undo. */
function replay({ status, headers, body }: RobotsAnswer): ClientResponse {
  async function* once(): AsyncGenerator<Uint8Array> {
    yield body;
  }
  return { status, headers, body: once(), cancel: () => {} };
}
