/**
 * Requests pages as a walk requests sitemaps: with its client, headers, delays, limits and retries, and only if
 * robots.txt allows it. Reads the first 128 KiB of a page, because what a page tells crawlers stands at its start.
 */

import { randomBytes } from "node:crypto";
import type { Client } from "../fetch/client/client.ts";
import { fetchHop, type Resource, type ResourceOptions, redirectProblem } from "../fetch/fetch-resource.ts";
import { parseUrl } from "../parse/values/parse-url.ts";
import type { CheckedPage, PageRedirect, PageToCheck } from "./checked-page.ts";
import { type ReadPage, readHtml, roughHash } from "./read-html.ts";

const START_BYTES = 128 * 1024;
const HTML_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
/** Maximum number of origins whose error page is requested. */
const MAX_ERROR_PAGES = 100;
const MAX_HEADER = 400;
/** The code of pages that were not requested, because robots.txt could not be read. */
const ROBOTS_UNREAD = "robots.unread";

/** How a walk requests pages. */
export interface PageAccess {
  /** Whether a request may be sent to this host. Not asked for pages that the caller lists. */
  allowsHost(url: string): Promise<boolean>;
  allowsPage(url: string, signal: AbortSignal): Promise<boolean>;
  /** Why the robots.txt of the URL's origin could not be read. */
  robotsFailure(url: string): string | undefined;
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
    const isListed = page.sitemapUrl === undefined || (await this.#access.allowsHost(page.url));
    const isAllowed = isListed && (await this.#access.allowsPage(page.url, this.#signal));
    const { text, ...facts } = isAllowed ? await this.#visit(page.url) : this.#refusal(page.url);
    const checked: CheckedPage = { ...page, checkedAt, ...facts };
    return (await this.#isErrorPage(checked, text)) ? { ...checked, isErrorPage: true } : checked;
  }

  #refusal(url: string): Answer {
    const reason = this.#access.robotsFailure(url);
    const failure = reason === undefined ? {} : { code: ROBOTS_UNREAD, reason };
    return { outcome: "disallowed", redirects: [], ...failure };
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
      const startedAt = performance.now();
      const hop = await fetchHop(hops.at(-1)!, options);
      if (hop.kind !== "redirect") return { ...(await readAnswer(hop, startedAt, method)), redirects };
      redirects.push({ status: hop.status, url: hop.url });
      const problem = redirectProblem(hops, hop.url, options.limits);
      if (problem !== undefined)
        return { outcome: "answered", status: hop.status, ...problem, redirects: redirects.slice(0, 20) };
      // The target is not requested if it is on one of too many hosts, or if its robots.txt disallows it.
      const isAllowed =
        (await this.#access.allowsHost(hop.url)) && (await this.#access.allowsPage(hop.url, this.#signal));
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

async function readAnswer(
  resource: Resource,
  startedAt: number,
  method: "GET" | "HEAD",
): Promise<Omit<Answer, "redirects">> {
  if (resource.kind === "failed") {
    const { code, reason, status } = resource;
    if (status === undefined) return { outcome: "failed", code, reason };
    return { outcome: "answered", status, ...(code !== "http.status" && { code, reason }) };
  }
  const { headers, status, url } = resource;
  const ms = Math.round(performance.now() - startedAt);
  const type = headers["content-type"];
  const canonicalHeader = canonicalOf(headers["link"] ?? "", url);
  let page: ReadPage | undefined;
  let length = Number(headers["content-length"] ?? Number.NaN);
  if (method === "HEAD") resource.cancel();
  else {
    const { bytes, isWhole } = await readStart(resource.body);
    if (isWhole) length = bytes.length;
    if (type === undefined ? looksLikeHtml(bytes) : HTML_TYPE.test(type))
      page = readHtml(decode(bytes, type), url);
  }
  return {
    outcome: "answered",
    status,
    ms,
    ...(type !== undefined && { contentType: type.slice(0, MAX_HEADER) }),
    ...(Number.isSafeInteger(length) && length >= 0 && { length }),
    ...headerPart("robotsTag", headers["x-robots-tag"]),
    ...headerPart("modifiedHeader", headers["last-modified"]),
    ...(canonicalHeader !== undefined && { canonicalHeader }),
    ...(page !== undefined && { html: page.facts, text: page.text }),
  };
}

function headerPart<K extends string>(name: K, value: string | undefined): { [name in K]?: string } {
  return (value === undefined ? {} : { [name]: value.slice(0, MAX_HEADER) }) as { [name in K]?: string };
}

async function readStart(body: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= START_BYTES) return { bytes: Buffer.concat(chunks).subarray(0, START_BYTES), isWhole: false };
  }
  return { bytes: chunks.length === 1 ? Buffer.from(chunks[0]!) : Buffer.concat(chunks), isWhole: true };
}

function looksLikeHtml(bytes: Buffer): boolean {
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(bytes.toString("latin1", 0, 512));
}

/** Decodes a page by the charset of its header, or of its `<meta>`, or as UTF-8. */
function decode(bytes: Buffer, type = ""): string {
  const declared = /charset\s*=\s*["']?([\w.:-]+)/i;
  const charset = (declared.exec(type) ?? declared.exec(bytes.toString("latin1", 0, 1024)))?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** The canonical URL of a Link header: `<https://example.com/a>; rel="canonical"`. */
function canonicalOf(link: string, url: string): string | undefined {
  const [, target = ""] = /<([^>]*)>\s*;[^,]*\brel\s*=\s*"?canonical\b/i.exec(link.slice(0, 8192)) ?? [];
  return target === "" ? undefined : parseUrl(target, url)?.href;
}
