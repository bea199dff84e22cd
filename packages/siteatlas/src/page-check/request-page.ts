/**
 * Requests pages as a walk requests sitemaps: with its client, headers, delays, limits and retries, and only if
 * robots.txt allows it. Reads the first 128 KiB of a page, because what a page tells crawlers stands at its start.
 */

import { randomBytes } from "node:crypto";
import { readPlainStart, readStart } from "../decode/read-start.ts";
import { type LinkValue, readLinkValues, splitRelations } from "../discover/homepage-links.ts";
import type { Client } from "../fetch/client/client.ts";
import { fetchHop, type Resource, type ResourceOptions, redirectProblem } from "../fetch/fetch-resource.ts";
import { runningClock } from "../fetch/running-clock.ts";
import { parseUrl } from "../parse/values/parse-url.ts";
import type { CheckedPage, PageRedirect, PageToCheck } from "./checked-page.ts";
import { readHtml, roughHash } from "./read-html.ts";

const START_BYTES = 128 * 1024;
const HTML_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
/** Maximum number of origins whose error page is requested. */
const MAX_ERROR_PAGES = 100;
const MAX_HEADER = 400;
const MAX_LINK_HEADER = 8192;
const LOOKS_LIKE_HTML = /^\s*<(?:!doctype html|html|head|body)\b/i;
/** The code of a page whose compressed data is truncated or damaged. */
const DAMAGED = "gzip.truncated";
/** Why a body ended early. */
const CUT_REASONS: Readonly<Partial<Record<string, string>>> = {
  "http.timeout": "the response was not complete in time",
  "http.bad-content-encoding": "the body is not encoded as its header says",
  [DAMAGED]: "the compressed data ends early or is damaged",
};
/** The code of pages that were not requested, because robots.txt could not be read. */
const ROBOTS_UNREAD = "robots.unread";

/** Codes of pages that siteatlas does not request because of its options. They say nothing about the page. */
const NOT_PERMITTED: Readonly<Partial<Record<string, string>>> = {
  "http.blocked-address": "private address",
  "http.blocked-port": "reserved port",
  "http.downgrade": "not https",
};

/** Codes of failures that concern the host of a robots.txt, and so all its pages. */
const HOST_FAILURES: ReadonlySet<string | undefined> = new Set(["http.dns", "http.connection", "http.tls"]);

interface Refusal {
  readonly code?: string;
  readonly reason: string;
}

/** How a walk requests pages. */
export interface PageAccess {
  /** Why no request may be sent to this host. Not asked for pages that the caller lists. */
  hostRefusal(url: string): Promise<Refusal | undefined>;
  allowsPage(url: string, signal: AbortSignal): Promise<boolean>;
  /** Why the robots.txt of the URL's origin could not be read. */
  robotsFailure(url: string): Refusal | undefined;
  pageOptions(signal: AbortSignal): ResourceOptions;
}

export class PageRequester {
  readonly #access: PageAccess;
  readonly #signal: AbortSignal;
  readonly #headersOnly: boolean;
  /** Hashes of the pages that origins send for URLs that do not exist. */
  readonly #errorPages: Map<string, Promise<string | undefined>> = new Map();

  /** @param headersOnly send HEAD instead of GET */
  constructor(access: PageAccess, signal: AbortSignal, headersOnly: boolean) {
    this.#access = access;
    this.#signal = signal;
    this.#headersOnly = headersOnly;
  }

  /** Requests a page and follows its redirects. Throws only the reason of an abort, and errors of the caller's client. */
  async check(page: PageToCheck): Promise<CheckedPage> {
    const checkedAt = new Date().toISOString();
    const { text, ...facts } = await this.#request(page);
    const checked: CheckedPage = { ...page, checkedAt, ...facts };
    return (await this.#isErrorPage(checked, text)) ? { ...checked, isErrorPage: true } : checked;
  }

  async #request({ url, sitemapUrl }: PageToCheck): Promise<Answer> {
    const refusal = sitemapUrl === undefined ? undefined : await this.#access.hostRefusal(url);
    if (refusal !== undefined) return skipped(refusal);
    if (await this.#access.allowsPage(url, this.#signal)) {
      const answer = await this.#visit(url);
      return answer.outcome === "failed" && isNotPermitted(answer) ? skipped(answer) : answer;
    }
    const failure = this.#access.robotsFailure(url);
    if (failure !== undefined && isNotPermitted(failure)) return skipped(failure);
    if (failure !== undefined && HOST_FAILURES.has(failure.code))
      return { outcome: "failed", redirects: [], ...failure };
    const unread = failure && { code: ROBOTS_UNREAD, reason: failure.reason };
    return { outcome: "disallowed", redirects: [], ...unread };
  }

  async #visit(url: string): Promise<Answer> {
    if (!this.#headersOnly) return this.#follow(url, "GET");
    const answer = await this.#follow(url, "HEAD");
    // Some servers do not know HEAD, or answer it with an error although the page exists.
    return (answer.status ?? 0) >= 400 ? this.#follow(url, "GET") : answer;
  }

  async #follow(url: string, method: "GET" | "HEAD"): Promise<Answer> {
    const options = this.#optionsFor(method);
    const redirects: PageRedirect[] = [];
    const hops = [url];
    for (;;) {
      const timer = new HeaderTimer();
      const hop = await fetchHop(hops.at(-1)!, { ...options, client: timer.time(options.client) });
      if (hop.kind !== "redirect") return { ...(await readAnswer(hop, timer.ms, method)), redirects };
      redirects.push({ status: hop.status, url: hop.url });
      const problem = redirectProblem(hops, hop.url, options.limits);
      if (problem !== undefined)
        return { outcome: "answered", status: hop.status, ...problem, redirects: redirects.slice(0, 20) };
      // The target is not requested if it is on one of too many hosts, or if its robots.txt disallows it.
      const isAllowed =
        (await this.#access.hostRefusal(hop.url)) === undefined &&
        (await this.#access.allowsPage(hop.url, this.#signal));
      if (!isAllowed) return { outcome: "answered", status: hop.status, redirects };
      hops.push(hop.url);
    }
  }

  #optionsFor(method: "GET" | "HEAD"): ResourceOptions {
    const options = this.#access.pageOptions(this.#signal);
    const { client } = options;
    const send: Client = (request) => client({ ...request, method });
    return method === "GET" ? options : { ...options, client: send };
  }

  /** Whether the server sends this text for each URL that does not exist. Requests such a URL once per origin. */
  async #isErrorPage({ url, status, redirects }: CheckedPage, text: string | undefined): Promise<boolean> {
    if (status !== 200 || text === undefined || redirects.length > 0) return false;
    const { origin, pathname } = new URL(url);
    // The homepage is never an error, even if a server sends it for all URLs.
    if (pathname === "/") return false;
    let hash = this.#errorPages.get(origin);
    if (hash === undefined && this.#errorPages.size < MAX_ERROR_PAGES) {
      hash = this.#errorPageOf(origin);
      this.#errorPages.set(origin, hash);
    }
    const known = await hash;
    return known !== undefined && known === roughHash(text);
  }

  async #errorPageOf(origin: string): Promise<string | undefined> {
    const url = `${origin}/siteatlas-${randomBytes(9).toString("hex")}`;
    if (!(await this.#access.allowsPage(url, this.#signal))) return undefined;
    const { status, text, redirects } = await this.#follow(url, "GET");
    return status === 200 && redirects.length === 0 && text !== undefined ? roughHash(text) : undefined;
  }
}

interface Answer
  extends Omit<CheckedPage, "url" | "checkedAt" | "lastModified" | "sitemapUrl" | "alternates"> {
  /** The text of an HTML page. */
  readonly text?: string;
}

function isNotPermitted({ code = "" }: Pick<Answer, "code">): boolean {
  return NOT_PERMITTED[code] !== undefined;
}

function skipped({ code = "", reason = "" }: Pick<Answer, "code" | "reason">): Answer {
  return { outcome: "skipped", code, reason: NOT_PERMITTED[code] ?? reason, redirects: [] };
}

/** Measures the last request until its headers arrive. Pauses and waiting for a free slot do not count. */
class HeaderTimer {
  ms = 0;

  time(client: Client): Client {
    return async (request) => {
      const startedAt = runningClock.now();
      let waitedMs = 0;
      const onAddress = (address: string): Promise<void> | undefined => {
        const waitsFrom = runningClock.now();
        return request.onAddress?.(address)?.then(() => {
          waitedMs = runningClock.now() - waitsFrom;
        });
      };
      try {
        return await client({ ...request, onAddress });
      } finally {
        this.ms = runningClock.now() - startedAt - waitedMs;
      }
    };
  }
}

type BodyResource = Extract<Resource, { kind: "body" }>;

async function readAnswer(
  resource: Resource,
  ms: number,
  method: "GET" | "HEAD",
): Promise<Omit<Answer, "redirects">> {
  if (resource.kind === "failed") {
    const { code, reason, status } = resource;
    if (status === undefined) return { outcome: "failed", code, reason };
    return { outcome: "answered", status, ...(code !== "http.status" && { code, reason }) };
  }
  const { headers, status, url } = resource;
  const type = headers["content-type"];
  const links = linksOf(headers["link"]);
  const canonicalHeader = canonicalOf(links, url);
  const length = Number(headers["content-length"] ?? Number.NaN);
  const facts = {
    outcome: "answered",
    status,
    ms: Math.round(ms),
    ...(type !== undefined && { contentType: type.slice(0, MAX_HEADER) }),
    ...(Number.isSafeInteger(length) && length >= 0 && { length }),
    ...headerPart("robotsTag", headers["x-robots-tag"]),
    ...headerPart("modifiedHeader", headers["last-modified"]),
    ...(canonicalHeader !== undefined && { canonicalHeader }),
  } as const;
  if (method === "GET") return { ...facts, ...(await readContent(resource, links)) };
  resource.cancel();
  return facts;
}

/** Reads the start of a body. Returns the facts of an HTML page, and why the body ended early. */
async function readContent(
  { body, headers, codings, url, cut }: BodyResource,
  links: readonly LinkValue[],
): Promise<Pick<Answer, "length" | "code" | "reason" | "html" | "text">> {
  // Other files are not decompressed: a page may be a ZIP archive or a .gz file.
  const isCoded = codings > 0 || headers["content-encoding"] !== undefined;
  const { bytes, isLonger, isDamaged } = await (isCoded ? readStart : readPlainStart)(body, START_BYTES);
  const code = cut() ?? (isDamaged ? DAMAGED : undefined);
  const isWhole = code === undefined && !isLonger;
  const type = headers["content-type"];
  const text = type === undefined || HTML_TYPE.test(type) ? decodeHtml(bytes, type) : "";
  const isHtml = type === undefined ? LOOKS_LIKE_HTML.test(text) : HTML_TYPE.test(type);
  const page = isHtml ? readHtml(text, url, { isWhole, links }) : undefined;
  return {
    ...(isWhole && { length: bytes.length }),
    ...(code !== undefined && { code, reason: CUT_REASONS[code] ?? "the response ends early" }),
    ...(page !== undefined && { html: page.facts, ...(isWhole && { text: page.text }) }),
  };
}

function headerPart<K extends string>(name: K, value: string | undefined): { [name in K]?: string } {
  return (value === undefined ? {} : { [name]: value.slice(0, MAX_HEADER) }) as { [name in K]?: string };
}

const BYTE_ORDER_MARKS: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * Decodes a page by its byte order mark, by the charset of its header, by that of its `<meta>`, or as UTF-8. The first
 * of these counts (https://html.spec.whatwg.org/#determining-the-character-encoding).
 */
function decodeHtml(bytes: Uint8Array, type = ""): string {
  const declared = /charset\s*=\s*["']?([\w.:-]+)/i;
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  // A `<meta>` that could be read as ASCII is not in UTF-16.
  const inMeta = declared.exec(start)?.[1]?.replace(/^utf-16.*/i, "utf-8");
  const charset = marked ?? declared.exec(type)?.[1] ?? inMeta ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** The links of a Link header: `<https://example.com/a>; rel="canonical"`. Links of other documents are left out. */
function linksOf(header = ""): readonly LinkValue[] {
  const links = [...readLinkValues(header.slice(0, MAX_LINK_HEADER))];
  return links.filter(({ target, parameters }) => target !== "" && !parameters.has("anchor"));
}

function canonicalOf(links: readonly LinkValue[], url: string): string | undefined {
  const isCanonical = ({ parameters }: LinkValue): boolean =>
    splitRelations(parameters.get("rel") ?? "").includes("canonical");
  const link = links.find(isCanonical);
  return link && parseUrl(link.target, url)?.href;
}
