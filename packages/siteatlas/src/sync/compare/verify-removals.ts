/**
 * Requests pages that no sitemap lists any more, to see whether they are gone (`verify`). Sends one request at a time,
 * with the client, the headers and the delays of the walk, and only if robots.txt allows it.
 */

import { createHash } from "node:crypto";
import { readStart } from "../../decode/read-start.ts";
import { checkedClient } from "../../fetch/client/check-response.ts";
import { type Client, type ClientResponse, discard } from "../../fetch/client/client.ts";
import { isCallerBug } from "../../fetch/client-faults.ts";
import { type GateRules, gateOf } from "../../fetch/politeness.ts";
import { createDeadline } from "../../fetch/timeout-signal.ts";
import { isAbsent } from "../../model/http-status.ts";
import { forbidsIndexing } from "../../model/robots-tag.ts";
import { parseUrl } from "../../parse/values/parse-url.ts";
import type { WalkOptions } from "../../walk/options.ts";
import { isSamePlace } from "./moved-pages.ts";

/** Default number of requests per sync. */
export const VERIFY_REQUESTS = 100;

const REQUEST_MS = 10_000;
/** Number of characters at the start of a page that are searched for `<meta name="robots">`. */
const MAX_START = 16 * 1024;

/** How the walk requests pages. */
interface PagePolicy {
  headersFor(url: URL): Record<string, string>;
  rulesFor(url: URL): GateRules;
  allowsPage(url: string, signal: AbortSignal): Promise<boolean>;
}

/**
 * `gone`: the page does not exist, was moved permanently, or must not be indexed. `alive`: the server still has the
 * page.
 */
export type Verdict = "gone" | "alive";

/** The answer for a page: it does not exist, redirects permanently, must not be indexed, or is still there. */
type PageState = "absent" | "moved" | "noindex" | "alive";

/** Returns pages of an origin that should exist. */
type FindWitnesses = (origin: string) => Promise<readonly string[]>;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The first bytes of the body. Empty after a HEAD request. */
  readonly start: string;
}

export class RemovalVerifier {
  /** Number of requests that were sent. */
  requestCount = 0;
  readonly #client: Client;
  readonly #options: WalkOptions;
  readonly #policy: PagePolicy;
  readonly #most: number;
  readonly #signal: AbortSignal;
  /** Origins that are not requested any more: they answered 429 or an error (5xx), or did not answer. */
  readonly #closed: Set<string> = new Set();

  constructor(client: Client, options: WalkOptions, policy: PagePolicy, most: number) {
    this.#client = client;
    this.#options = options;
    this.#policy = policy;
    this.#most = most;
    this.#signal = options.signal ?? new AbortController().signal;
  }

  /** Returns an empty sample. It keeps at most as many URLs as requests are allowed. */
  select(seed: string): UrlSample {
    return new UrlSample(this.#most, seed);
  }

  /**
   * Requests the pages, up to the maximum number of requests. Pages without a verdict are absent in the result. If a
   * page looks gone, pages that should exist are also requested (`findWitnesses`). If all of them answer in the same
   * way, or none answers, the server may have a fault, and the page gets no verdict.
   */
  async check(urls: Iterable<string>, findWitnesses: FindWitnesses): Promise<Map<string, Verdict>> {
    const states = new Map<string, PageState>();
    for (const url of urls) {
      if (this.requestCount >= this.#most) break;
      const state = await this.#stateOf(url);
      if (state !== undefined) states.set(url, state);
    }
    const witnesses = new Map<string, ReadonlySet<PageState>>();
    const verdicts = new Map<string, Verdict>();
    for (const [url, state] of states) {
      if (state === "alive") {
        verdicts.set(url, "alive");
        continue;
      }
      const { origin } = new URL(url);
      const others = witnesses.get(origin) ?? (await this.#statesOf(await findWitnesses(origin)));
      witnesses.set(origin, others);
      const isOnlyAnswer = others.size === 1 && others.has(state);
      if (others.size > 0 && !isOnlyAnswer) verdicts.set(url, "gone");
    }
    return verdicts;
  }

  async #statesOf(urls: readonly string[]): Promise<Set<PageState>> {
    const states = new Set<PageState>();
    for (const url of urls) {
      const state = await this.#stateOf(url);
      if (state !== undefined) states.add(state);
    }
    return states;
  }

  async #stateOf(url: string): Promise<PageState | undefined> {
    const { origin } = new URL(url);
    if (this.#closed.has(origin) || (this.#options.httpsOnly && url.startsWith("http:"))) return undefined;
    if (!(await this.#policy.allowsPage(url, this.#signal))) return undefined;
    return this.#ask(url);
  }

  async #ask(url: string): Promise<PageState | undefined> {
    const head = await this.#request(url, "HEAD");
    // 405 Method Not Allowed, 501 Not Implemented: the server knows only GET.
    const isRefused = head?.status === 405 || head?.status === 501;
    const answer = isRefused && this.requestCount < this.#most ? await this.#request(url, "GET") : head;
    if (answer === undefined || answer.status === 429 || answer.status >= 500) {
      if (!isRefused || answer !== head) this.#closed.add(new URL(url).origin);
      return undefined;
    }
    return judge(url, answer);
  }

  /** Returns undefined if there was no answer. */
  async #request(url: string, method: "HEAD" | "GET"): Promise<Answer | undefined> {
    const target = new URL(url);
    const rules = this.#policy.rulesFor(target);
    const turn = await gateOf(this.#client).enter(target.host, rules, this.#signal);
    const deadline = createDeadline(this.#signal, REQUEST_MS);
    try {
      this.requestCount++;
      const headers = {
        ...this.#policy.headersFor(target),
        accept: "text/html, */*;q=0.5",
        "accept-encoding": "identity",
      };
      const isHead = method === "HEAD";
      const request = { url, headers, signal: deadline.signal, ...(isHead && { method }) };
      const response = await checkedClient(this.#client)(request);
      const start = isHead || response.status !== 200 ? "" : await startOf(response);
      discard(response);
      return { status: response.status, headers: response.headers, start };
    } catch (error) {
      this.#signal.throwIfAborted();
      if (isCallerBug(error)) throw error;
      return undefined;
    } finally {
      deadline.clear();
      turn.leave();
    }
  }
}

/** The start of a page. Some servers compress it although the request forbids that. */
async function startOf({ body }: ClientResponse): Promise<string> {
  const { bytes } = await readStart(body, MAX_START);
  return new TextDecoder("latin1").decode(bytes);
}

/**
 * Only a permanent redirect (301, 308) counts: a site in maintenance redirects all pages temporarily. A redirect that
 * changes only the scheme or `www.` says nothing about the page.
 */
function judge(url: string, { status, headers, start }: Answer): PageState | undefined {
  if (isAbsent(status)) return "absent";
  if (status === 301 || status === 308) {
    const { location = "" } = headers;
    const target = parseUrl(location, url);
    return target === undefined || isSamePlace(url, target.href) ? undefined : "moved";
  }
  if (status !== 200) return undefined;
  return forbidsIndexing(headers["x-robots-tag"] ?? "") || isNoindexPage(start) ? "noindex" : "alive";
}

function isNoindexPage(html: string): boolean {
  const text = html.toLowerCase();
  for (let at = text.indexOf("<meta"); at !== -1; at = text.indexOf("<meta", at + 1)) {
    const end = text.indexOf(">", at);
    if (end === -1) return false;
    const tag = text.slice(at, end);
    const isRobots = /\sname\s*=\s*["']?robots["'\s]/.test(`${tag} `);
    if (isRobots && /\scontent\s*=\s*["']?[^"']*\b(?:noindex|none)\b/.test(tag)) return true;
  }
  return false;
}

/** Keeps the URLs with the smallest hashes. Each sync uses another seed, which selects other URLs. */
class UrlSample {
  readonly #most: number;
  readonly #seed: string;
  #kept: { readonly url: string; readonly rank: string }[] = [];

  constructor(most: number, seed: string) {
    this.#most = most;
    this.#seed = seed;
  }

  add(url: string): void {
    const rank = createHash("sha1").update(`${this.#seed} ${url}`).digest("hex");
    this.#kept.push({ url, rank });
    if (this.#kept.length >= 2 * this.#most + 64) this.#trim();
  }

  urls(): string[] {
    this.#trim();
    return this.#kept.map(({ url }) => url);
  }

  #trim(): void {
    this.#kept.sort((a, b) => (a.rank < b.rank ? -1 : 1));
    this.#kept = this.#kept.slice(0, this.#most);
  }
}
