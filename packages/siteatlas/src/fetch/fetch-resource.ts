/**
 * Fetches one resource: follows redirects hop by hop and returns the body as a stream with limits. A failure of the
 * server or the network is returned as a value. Throws only the caller's abort reason.
 */

import { logLine, logUrl } from "../escape/log-line.ts";
import { isAbsent } from "../model/http-status.ts";
import type { Report } from "../model/issue-log.ts";
import type { IssueCode } from "../model/issue-severity.ts";
import { breachText } from "../model/limits.ts";
import { parseUrl } from "../parse/values/parse-url.ts";
import { maskSentHeaders } from "./basic-auth.ts";
import { classifyCut } from "./classify-error.ts";
import { checkChunk } from "./client/check-response.ts";
import { ignoreErrors } from "./client/client.ts";
import { isCallerBug } from "./client-faults.ts";
import { MAX_CODINGS, readCodings } from "./content-coding.ts";
import type { FailureCause } from "./failure-cause.ts";
import {
  abortReasonOr,
  inTime,
  type OpenResponse,
  type RequestLimits,
  type RequestOptions,
  sendRequest,
} from "./send-request.ts";
import { createDeadline, unlessAborted } from "./timeout-signal.ts";

export interface FetchLimits extends RequestLimits {
  readonly redirects: number;
  /**
   * Maximum number of bytes that the server may send per document. If the client does not report how many bytes it
   * received, the bytes of its chunks are counted.
   */
  readonly wireBytes: number;
}

export interface ResourceOptions extends RequestOptions {
  readonly limits: FetchLimits;
  /** Never send a request over plain http. */
  readonly httpsOnly?: boolean | undefined;
  /** Called before a redirect is followed. Returns a refusal if the redirect must not be followed. */
  readonly refuse?: (url: string) => Promise<Refusal | undefined>;
}

interface Refusal {
  readonly code: IssueCode;
  readonly reason: string;
}

export type Resource =
  | {
      readonly kind: "body";
      readonly url: string;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Ends without an error, even if the server or a limit ends it early. In that case, `cut` returns the reason. */
      readonly body: AsyncGenerator<Uint8Array>;
      readonly cut: () => IssueCode | undefined;
      /** Whether the process was paused (Ctrl-Z, sleep) since the request was sent. See running-clock.ts. */
      readonly wasPaused: () => boolean;
      readonly bytes: () => number;
      /**
       * Number of received bytes that were needed to decode the chunks yielded so far. If the client does not count
       * these bytes: the number of all received bytes.
       */
      readonly usedBytes: () => number;
      /** Number of content codings (gzip, brotli) that the client removes from the body. */
      readonly codings: number;
      readonly isUnknownCoding: boolean;
      /** Frees the connection if the body is not read. */
      readonly cancel: () => void;
    }
  | {
      readonly kind: "failed";
      readonly url: string;
      readonly code: IssueCode;
      readonly reason: string;
      readonly cause?: FailureCause | undefined;
      readonly status?: number;
      /** The start of the error page that the server sent. Safe to print. */
      readonly errorPage?: string | undefined;
      /** Whether the connection itself failed. */
      readonly connecting: boolean;
    };

/** A redirect that was not followed. `url` is the target. */
export interface Redirect {
  readonly kind: "redirect";
  readonly url: string;
  readonly status: number;
}

/** Maximum length of a redirect target, as for all URLs (parse/values/url.ts). Stops targets of 60 KB (sec-R09). */
const MAX_TARGET_LENGTH = 8192;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Sends one request with its retries. Returns a redirect instead of following it. */
export async function fetchHop(url: string, options: ResourceOptions): Promise<Resource | Redirect> {
  const { report, httpsOnly } = options;
  const notHttps = (target: string): string => `${logUrl(target)} is not https, and httpsOnly is set`;
  if (httpsOnly && url.startsWith("http:")) return failed(url, "http.downgrade", notHttps(url));
  const sent = await sendRequest(new URL(url), options);
  if (sent.kind === "failed") {
    return { kind: "failed", url, ...sent.failure };
  }
  const { status, headers } = sent.response;
  if (!REDIRECTS.has(status) || headers["location"] === undefined) return accept(url, sent, options);
  sent.cancel();
  const next = redirectTarget(headers["location"], url, report);
  if (typeof next !== "string") return failed(url, next.code, next.reason);
  if (url.startsWith("https:") && next.startsWith("http:")) {
    report("http.downgrade", next);
    if (httpsOnly) return failed(url, "http.downgrade", notHttps(next));
  }
  const refusal = await options.refuse?.(next);
  if (refusal !== undefined)
    return failed(url, refusal.code, `redirects to ${logUrl(next)}: ${refusal.reason}`);
  return { kind: "redirect", url: next, status };
}

/** Fetches a resource and follows its redirects. */
export async function fetchResource(from: string, options: ResourceOptions): Promise<Resource> {
  const hops = [from];
  for (;;) {
    const hop = await fetchHop(hops.at(-1)!, options);
    if (hop.kind !== "redirect") return hop;
    const problem = redirectProblem(hops, hop.url, options.limits);
    if (problem !== undefined) return failed(hops.at(-1)!, problem.code, problem.reason);
    hops.push(hop.url);
  }
}

/**
 * Returns why a redirect must not be followed: a loop, or too many hops. `hops` starts with the URL that was requested
 * first.
 */
export function redirectProblem(
  hops: readonly string[],
  next: string,
  { redirects }: Pick<FetchLimits, "redirects">,
): Refusal | undefined {
  if (hops.includes(next))
    return { code: "http.redirect-loop", reason: `redirects to ${logUrl(next)} again` };
  if (hops.length > redirects)
    return { code: "http.too-many-redirects", reason: `more than ${redirects} redirects` };
  return undefined;
}

function failed(url: string, code: IssueCode, reason: string): Resource {
  return { kind: "failed", url, code, reason, connecting: false };
}

function redirectTarget(header: string, from: string, report: Report): string | Refusal {
  const location = utf8Header(header);
  const target = parseUrl(location, from);
  if (target === undefined)
    return { code: "http.bad-redirect", reason: "redirects to something that is not a URL" };
  if (target.protocol !== "http:" && target.protocol !== "https:") {
    return { code: "http.redirect-scheme", reason: `redirects to ${target.protocol}` };
  }
  // Report and drop credentials that a server put into Location: they must neither be sent nor shown (sec-R05).
  if (target.username !== "" || target.password !== "") report("url.credentials");
  target.hash = "";
  target.username = "";
  target.password = "";
  if (target.href.length > MAX_TARGET_LENGTH)
    return { code: "http.bad-redirect", reason: `redirects to a URL of ${target.href.length} characters` };
  return target.href;
}

/** Node decodes each byte of a header as one character. Lenient: a Location in raw UTF-8 is decoded (sec-R08). */
function utf8Header(header: string): string {
  if (!/[\x80-\xff]/.test(header) || /[^\0-\xff]/.test(header)) return header;
  try {
    const bytes = Uint8Array.from(header, (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return header;
  }
}

// ---------------------------------------------------------------- the final response

const KNOWN_CODINGS: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br"]);

/** Turns a response that is not a redirect into a body or a failure. */
async function accept(
  url: string,
  open: OpenResponse,
  { limits, report, headers: sentHeaders }: ResourceOptions,
): Promise<Resource> {
  const { response } = open;
  const { status, headers } = response;
  const codings = readCodings(headers["content-encoding"]);
  const refusal = responseRefusal(status, headers["content-length"], codings, limits);
  if (refusal !== undefined) {
    try {
      // Do not read a compressed error page: it may be a decompression bomb (sec-E11).
      const isPlain = codings.length === 0 && !response.codings;
      const isReadable = isPlain && status >= 400 && !isAbsent(status);
      const page = isReadable ? await readErrorPage(open) : "";
      // Some error pages repeat the headers of the request, which may contain secrets.
      const masked = maskSentHeaders(page, sentHeaders(new URL(url)));
      const errorPage = logLine(masked, { maxLength: ERROR_PAGE_SIZE }) || undefined;
      const cause = status === 401 ? authenticationCause(headers["www-authenticate"]) : undefined;
      return { kind: "failed", url, ...refusal, cause, connecting: false, status, errorPage };
    } finally {
      open.cancel();
    }
  }
  if (status === 206) report("http.partial");
  const unknown = codings.filter((name) => !KNOWN_CODINGS.has(name));
  if (unknown.length > 0) report("http.bad-content-encoding", unknown.join(", "));
  const isGzip = /^(?:x-)?gzip$/.test(codings.at(-1) ?? "");
  const meter: Meter = { bytes: 0, cut: undefined };
  const checkCoding = (start: Uint8Array): void => {
    if ((isGzip && start[0] !== 0x1f) || response.isMiscoded?.()) report("http.bad-content-encoding");
  };
  const bytes = (): number => response.wireBytes?.() ?? meter.bytes;
  return {
    kind: "body",
    url,
    status,
    headers,
    body: readBody(open, meter, limits, checkCoding),
    cut: () => meter.cut ?? (status === 206 ? "http.partial" : undefined),
    wasPaused: () => open.clock.pauses > open.pauses,
    bytes,
    usedBytes: response.usedBytes ?? bytes,
    codings: response.codings ?? 0,
    isUnknownCoding: unknown.length > 0,
    cancel: open.cancel,
  };
}

/** Authentication schemes of HTTP. The scheme that is easiest for a user comes first. */
const SCHEMES: readonly (readonly [RegExp, FailureCause])[] = [
  [/(?:^|,)\s*basic\b/i, "basic-authentication"],
  [/(?:^|,)\s*bearer\b/i, "bearer-authentication"],
  [/(?:^|,)\s*digest\b/i, "digest-authentication"],
  [/(?:^|,)\s*(?:negotiate|ntlm|kerberos)\b/i, "negotiate-authentication"],
];

/** The easiest way to log in that WWW-Authenticate offers (RFC 9110 section 11.6.1). */
function authenticationCause(header = ""): FailureCause | undefined {
  return SCHEMES.find(([pattern]) => pattern.test(header))?.[1];
}

/** Maximum number of bytes that are read of an error page, and of characters that are reported. */
const ERROR_PAGE_SIZE = 1024;
/** Maximum time to wait for an error page. It usually arrives with the headers. A longer wait could slow the walk. */
const ERROR_PAGE_MS = 250;

/**
 * Reads the start of an error page. It often says which system refused the request, and why. Returns "" if the page
 * is empty. Ignores network errors, because the HTTP status is already the reported failure.
 */
async function readErrorPage({ response, deadline }: OpenResponse): Promise<string> {
  const source = response.body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const end = createDeadline(deadline.signal, ERROR_PAGE_MS, "The error page");
  let text = "";
  try {
    for (let size = 0; size < ERROR_PAGE_SIZE; ) {
      const { done, value: chunk } = await unlessAborted(source.next(), end.signal);
      if (done) break;
      checkChunk(chunk);
      text += decoder.decode(chunk.subarray(0, ERROR_PAGE_SIZE - size), { stream: true });
      size += chunk.length;
    }
  } catch (error) {
    if (isCallerBug(error)) throw error;
    // Keep the text that was read before the error.
  } finally {
    end.clear();
  }
  return text.trim();
}

/**
 * Returns the reason not to read a body: the HTTP status, too many content codings (sec-H15), or a Content-Length
 * above the limit (sec-B05).
 */
function responseRefusal(
  status: number,
  contentLength: string | undefined,
  codings: readonly string[],
  { wireBytes }: FetchLimits,
): Refusal | undefined {
  if (status < 200 || status > 299) return { code: "http.status", reason: `the server answered ${status}` };
  if (codings.length > MAX_CODINGS) {
    return {
      code: "http.bad-content-encoding",
      reason: `the response has ${codings.length} content codings, too many to decode`,
    };
  }
  if (contentLength === undefined || !(Number(contentLength) > wireBytes)) return undefined;
  const size = breachText("wireBytes", Number(contentLength), wireBytes);
  return { code: "limit.bytes", reason: `the Content-Length is above the limit (${size})` };
}

interface Meter {
  bytes: number;
  cut: IssueCode | undefined;
}

async function* readBody(
  { response, deadline, timeouts, clock, holder, cancel }: OpenResponse,
  meter: Meter,
  limits: FetchLimits,
  onStart: (start: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const source = response.body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value: chunk } = await inTime(timeouts, deadline, clock, (pause) => {
        holder.pause = pause;
        return source.next();
      });
      if (done) return;
      checkChunk(chunk);
      if (meter.bytes === 0 && chunk.length > 0) onStart(chunk);
      meter.bytes += chunk.length;
      // If the client decodes the body, count the bytes that the server sent, not the decoded bytes.
      const wireBytes = response.codings ? (response.wireBytes?.() ?? meter.bytes) : meter.bytes;
      const excess = wireBytes - limits.wireBytes;
      if (excess > 0) {
        meter.cut = "limit.bytes";
        if (chunk.length > excess) yield chunk.subarray(0, chunk.length - excess);
        return;
      }
      if (chunk.length > 0) yield chunk;
      if (timeouts.isTooSlow(wireBytes)) {
        meter.cut = "http.timeout";
        return;
      }
    }
  } catch (error) {
    const reason = abortReasonOr(error, deadline);
    if (isCallerBug(reason)) throw reason;
    meter.cut = classifyCut(reason);
  } finally {
    // Do not await `return`: if the client ignores its signal, the promise may never settle.
    ignoreErrors(() => source.return?.());
    cancel();
  }
}
