/**
 * Gets one resource: waits for its turn at the host, asks, asks again where that can help, follows
 * redirects hop by hop, and gives the body as a stream with its limits on. Whatever the server does comes
 * back as a value; thrown is only the reason of the caller's own abort.
 */
import type { Report } from "../issue-log.ts";
import type { IssueCode } from "../issues.ts";
import { logUrl } from "../sinks/log-line.ts";
import { type Client, type ClientResponse, discard } from "./client.ts";
import { MAX_CODINGS, readCodings } from "./content-coding.ts";
import { createDeadline, type Deadline, sleep, TimeoutError, unlessAborted, watchTime } from "./deadline.ts";
import { classifyCut, classifyError, type NetworkFailure } from "./errors.ts";
import type { GateRules, HostGate } from "./host-gate.ts";
import { RequestClock, type TimeLimits } from "./request-clock.ts";
import { backoffMs, isPassing, retryAfterMs } from "./retry.ts";

export interface FetchLimits extends TimeLimits {
  readonly redirects: number;
  readonly retries: number;
  /** A longer Retry-After is waited for so long. */
  readonly retryAfterMs: number;
  /** The first wait before asking again; doubled each time, at random below that. */
  readonly backoffMs: number;
  /** Bytes of one document on the wire, as far as the client tells them from those that it gives. */
  readonly wireBytes: number;
}

export interface ResourceOptions {
  readonly client: Client;
  readonly gate: HostGate;
  readonly rules: (url: URL) => GateRules;
  readonly headers: (url: URL) => Readonly<Record<string, string>>;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  readonly report: Report;
  /** Nothing is requested without TLS. */
  readonly httpsOnly?: boolean | undefined;
  /** Asked before each hop; false ends the fetch with `known`. */
  readonly claim: (url: string) => boolean;
  /** Asked before a redirect is followed: why it is not. */
  readonly refuse?: (
    url: string,
  ) => Promise<{ readonly code: IssueCode; readonly reason: string } | undefined>;
}

export type Resource =
  | {
      readonly kind: "body";
      readonly url: string;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Ends early, without an error, when the server or a limit cuts it: then `cut` says why. */
      readonly body: AsyncGenerator<Uint8Array>;
      readonly cut: () => IssueCode | undefined;
      readonly bytes: () => number;
      /** How many of these went into what `body` gave so far, as far as the client tells. */
      readonly usedBytes: () => number;
      /** How many content codings the client undid. */
      readonly codings: number;
      /** There is one that nobody knows. */
      readonly isUnknownCoding: boolean;
      /** Frees the connection of a body that was not begun. */
      readonly cancel: () => void;
    }
  /** A redirect led to what was requested before. */
  | { readonly kind: "known"; readonly url: string }
  | {
      readonly kind: "failed";
      readonly url: string;
      readonly code: IssueCode;
      readonly reason: string;
      readonly status?: number;
      /** No connection came about. */
      readonly connecting: boolean;
    };

/** As of every URL (parse/url.ts). Stops request lines of 60 KB (sec-R09). */
const MAX_TARGET_LENGTH = 8192;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export async function fetchResource(from: string, options: ResourceOptions): Promise<Resource> {
  const { limits, report } = options;
  const seen = new Set<string>();
  let url = from;
  for (let hop = 0; ; hop++) {
    if (options.httpsOnly && url.startsWith("http:")) {
      return failed(from, "http.downgrade", `${logUrl(url)} is not https, and httpsOnly is set`);
    }
    if (!options.claim(url)) return { kind: "known", url };
    seen.add(url);
    const answer = await request(new URL(url), options);
    if (answer.kind === "failed") return { ...answer, url };
    const { response } = answer;
    const { location } = response.headers;
    if (!REDIRECTS.has(response.status) || location === undefined) return accept(url, answer, limits, report);
    answer.cancel();
    const next = redirectTarget(location, url, report);
    if (typeof next !== "string") return { kind: "failed", url, connecting: false, ...next };
    if (url.startsWith("https:") && next.startsWith("http:")) report("http.downgrade", next);
    if (seen.has(next)) return failed(url, "http.redirect-loop", `redirects to ${logUrl(next)} again`);
    if (hop >= limits.redirects)
      return failed(url, "http.too-many-redirects", `more than ${limits.redirects} redirects`);
    const refusal = await options.refuse?.(next);
    if (refusal !== undefined)
      return failed(url, refusal.code, `redirects to ${logUrl(next)}: ${refusal.reason}`);
    url = next;
  }
}

function failed(url: string, code: IssueCode, reason: string, status?: number): Resource {
  return { kind: "failed", url, code, reason, connecting: false, ...(status !== undefined && { status }) };
}

function redirectTarget(
  header: string,
  from: string,
  report: Report,
): string | { code: IssueCode; reason: string } {
  const location = utf8Header(header);
  if (!URL.canParse(location, from))
    return { code: "http.bad-redirect", reason: "redirects to something that is no URL" };
  const target = new URL(location, from);
  if (target.protocol !== "http:" && target.protocol !== "https:") {
    return { code: "http.redirect-scheme", reason: `redirects to ${target.protocol}` };
  }
  // Whoever is to see them, it is not us who show them (sec-R05).
  if (target.username !== "" || target.password !== "") report("url.credentials");
  target.hash = "";
  target.username = "";
  target.password = "";
  if (target.href.length > MAX_TARGET_LENGTH)
    return { code: "http.bad-redirect", reason: `redirects to a URL of ${target.href.length} characters` };
  return target.href;
}

/** Headers come with a character for each byte. Lenient: a Location in bare UTF-8 is read as such (sec-R08). */
function utf8Header(header: string): string {
  if (!/[\x80-\xff]/.test(header) || /[^\0-\xff]/.test(header)) return header;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.from(header, (char) => char.charCodeAt(0)),
    );
  } catch {
    return header;
  }
}

/** A final answer: a body, or a status that is none. */
function accept(url: string, answer: Answer, limits: FetchLimits, report: Report): Resource {
  const { response } = answer;
  const { status, headers } = response;
  if (status < 200 || status > 299) {
    answer.cancel();
    return failed(url, "http.status", `the server answered ${status}`, status);
  }
  const codings = readCodings(headers["content-encoding"]);
  const refusal = bodyRefusal(headers["content-length"], codings, limits);
  if (refusal !== undefined) {
    answer.cancel();
    return failed(url, refusal.code, refusal.reason, status);
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
    body: readBody(answer, meter, limits, checkCoding),
    cut: () => meter.cut ?? (status === 206 ? "http.partial" : undefined),
    bytes,
    usedBytes: response.usedBytes ?? bytes,
    codings: response.codings ?? 0,
    isUnknownCoding: unknown.length > 0,
    cancel: answer.cancel,
  };
}

const KNOWN_CODINGS: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br"]);

/** Why a body is not even begun: it says itself that it is too large (sec-B05), or it has too many codings (sec-H15). */
function bodyRefusal(
  contentLength: string | undefined,
  codings: readonly string[],
  { wireBytes }: FetchLimits,
): { code: IssueCode; reason: string } | undefined {
  if (codings.length > MAX_CODINGS) {
    return { code: "http.bad-content-encoding", reason: `${codings.length} content codings` };
  }
  if (contentLength === undefined || !(Number(contentLength) > wireBytes)) return undefined;
  return { code: "limit.bytes", reason: `wireBytes ${Number(contentLength)}, limit ${wireBytes}` };
}

// ---------------------------------------------------------------- one request, with its retries

interface Answer {
  readonly kind: "answer";
  readonly response: ClientResponse;
  readonly deadline: Deadline;
  readonly clock: RequestClock;
  /** Ends it: frees connection, gate and timers. May be called twice. */
  readonly cancel: () => void;
}

type Failure = Extract<Resource, { kind: "failed" }>;

async function request(url: URL, options: ResourceOptions): Promise<Answer | Failure> {
  const { limits, gate, signal, report } = options;
  for (let tries = 0; ; tries++) {
    const answer = await attempt(url, options);
    const isLast = tries >= limits.retries;
    if (answer.kind === "answer") {
      const { status, headers } = answer.response;
      if (!isPassing(status, headers)) return answer;
      // Not for years, whatever it asks for (sec-H16).
      const pauseMs = Math.min(retryAfterMs(headers["retry-after"]) ?? 0, limits.retryAfterMs);
      // Before the place at the gate becomes free: the next one waits too, even if this one gives up.
      if (pauseMs > 0) gate.pause(url.host, pauseMs);
      if (isLast) return answer;
      answer.cancel();
      report("http.retry", `status ${status}`);
      if (pauseMs === 0) await sleep(backoffMs(tries, limits.backoffMs), signal);
      continue;
    }
    if (!answer.failure.passing || isLast) {
      const { code, reason, connecting } = answer.failure;
      return { kind: "failed", url: url.href, code, reason, connecting };
    }
    report("http.retry", answer.failure.reason);
    await sleep(backoffMs(tries, limits.backoffMs), signal);
  }
}

async function attempt(
  url: URL,
  { client, gate, rules, headers, limits, signal }: ResourceOptions,
): Promise<Answer | { kind: "error"; failure: NetworkFailure }> {
  const turn = await gate.enter(url.host, rules(url), signal);
  const deadline = createDeadline(signal);
  const clock = new RequestClock(limits);
  const finish = (): void => {
    deadline.clear();
    turn.leave();
  };
  let asked: Promise<ClientResponse> | undefined;
  try {
    const response = await inTime(clock, deadline, (pause) => {
      asked = client({
        url: url.href,
        headers: headers(url),
        signal: deadline.signal,
        onAddress: (address) => pause(turn.at(address, deadline.signal)),
      });
      return asked;
    });
    return { kind: "answer", response, deadline, clock, cancel: cancelOnce(response, deadline, finish) };
  } catch (error) {
    asked?.then(discard).catch(() => {});
    finish();
    signal.throwIfAborted();
    const cause = deadline.signal.aborted ? deadline.signal.reason : error;
    return { kind: "error", failure: classifyError(cause) };
  }
}

/** Waits for the server, unless it takes too long. What is waited for with `pause` is not its fault. */
async function inTime<T>(
  clock: RequestClock,
  deadline: Deadline,
  wait: (pause: (other: Promise<void> | undefined) => Promise<void> | undefined) => PromiseLike<T>,
): Promise<T> {
  const { signal } = deadline;
  const expire = (): void => deadline.expire(new TimeoutError(clock.complaint(performance.now())));
  const startWatch = (): (() => void) => {
    clock.start(performance.now());
    return watchTime(() => clock.left(performance.now()), expire);
  };
  let isOver = false;
  let stopWatch = startWatch();
  const pause = (other: Promise<void> | undefined): Promise<void> | undefined => {
    if (other === undefined) return undefined;
    stopWatch();
    clock.stop(performance.now());
    return other.then(() => {
      if (!isOver) stopWatch = startWatch();
    });
  };
  try {
    signal.throwIfAborted();
    const value = await unlessAborted(wait(pause), signal);
    const now = performance.now();
    // Pieces that are always there leave a timer no turn (sec-B10).
    if (clock.left(now) < 0) expire();
    signal.throwIfAborted();
    clock.arrive(now);
    return value;
  } finally {
    isOver = true;
    stopWatch();
  }
}

function cancelOnce(response: ClientResponse, deadline: Deadline, finish: () => void): () => void {
  let over = false;
  return () => {
    if (over) return;
    over = true;
    discard(response);
    // An iterator that was not begun frees nothing when it is left; the signal always does.
    if (response.cancel === undefined) deadline.expire(new Error("The body is not needed"));
    finish();
  };
}

// ---------------------------------------------------------------- the body

interface Meter {
  bytes: number;
  cut: IssueCode | undefined;
}

async function* readBody(
  answer: Answer,
  meter: Meter,
  limits: FetchLimits,
  onStart: (start: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const { response, deadline, clock } = answer;
  const source = response.body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value: chunk } = await inTime(clock, deadline, () => source.next());
      if (done) return;
      if (meter.bytes === 0 && chunk.length > 0) onStart(chunk);
      meter.bytes += chunk.length;
      // Of a body that the client decoded, the bytes of the wire count, not what they became.
      const wireBytes = response.codings ? (response.wireBytes?.() ?? meter.bytes) : meter.bytes;
      const excess = wireBytes - limits.wireBytes;
      if (excess > 0) {
        meter.cut = "limit.bytes";
        if (chunk.length > excess) yield chunk.subarray(0, chunk.length - excess);
        return;
      }
      if (chunk.length > 0) yield chunk;
      if (clock.isTooSlow(wireBytes)) {
        meter.cut = "http.timeout";
        return;
      }
    }
  } catch (error) {
    meter.cut = classifyCut(deadline.signal.aborted ? deadline.signal.reason : error);
  } finally {
    // Not waited for: a client that does not listen to its signal may never come to it.
    Promise.resolve(source.return?.()).catch(() => {});
    answer.cancel();
  }
}
