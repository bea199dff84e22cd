/** Why a sitemap could not be read, as people are told: in a word, in a sentence, and counted. */
import { addressKind } from "../../fetch/address.ts";
import { targetOf } from "../../fetch/address-policy.ts";
import type { IssueCode } from "../../issues.ts";
import type { WalkedSitemap } from "../../walk/events.ts";
import { number } from "./words.ts";

export type Failure = Partial<Pick<WalkedSitemap, "url" | "code" | "http" | "reason">>;

const WORDS: Readonly<Partial<Record<IssueCode, string>>> = {
  "http.dns": "no such host",
  "http.connection": "no connection",
  "http.tls": "TLS",
  "http.protocol": "not HTTP",
  "http.blocked-address": "private address",
  "content.html": "HTML page",
  "content.empty": "empty",
};

export const METADATA_WORD = "metadata address";
export const PRIVATE_WORD = "private address";

/** `404`, `timeout`, `HTML page` */
export function failureWord({ url, code, http, reason }: Failure): string {
  if (code === "http.status" && http !== undefined) return String(http.status);
  if (code === undefined) return "unknown";
  if (code === "http.blocked-address" && isMetadataUrl(url)) return METADATA_WORD;
  const word = WORDS[code] ?? code.slice(code.indexOf(".") + 1).replaceAll("-", " ");
  return isStrictEnd(reason) ? `${word} under --strict` : word;
}

/** What is unknown of a sitemap since a sync, as the library says it. */
export interface UnknownReason extends Pick<Failure, "url"> {
  readonly code: IssueCode;
  readonly status?: number;
  /** What alone leads there, and could not be read either. */
  readonly behind?: string;
}

/** Besides the words above: where only a part was read, or nobody asked. */
const UNKNOWN_WORDS: Readonly<Partial<Record<IssueCode, string>>> = {
  "http.status": "error status",
  "http.truncated": "ends early",
  "http.partial": "ends early",
  "gzip.truncated": "ends early",
  "xml.truncated": "ends early",
  "gzip.corrupt": "damaged gzip",
  "gzip.bomb": "grows too much",
  "robots.html": "robots.txt is HTML",
  "robots.unreachable": "no robots.txt",
  "robots.disallowed": "disallowed",
  "url.cross-host": "on another host",
  "index.cycle": "leads back",
  "not-fetched": "not asked for",
  filtered: "left out",
};

/** `503`, `ends early`, `no connection`, `bytes limit`; `behind its index`, of which there is more to say. */
export function unknownWord({ url, code, status, behind }: UnknownReason): string {
  if (behind !== undefined) return `behind ${isRobots(behind) ? "robots.txt" : "its index"}`;
  if (status !== undefined) return String(status);
  if (code.startsWith("limit.")) return `${code.slice("limit.".length).replaceAll("-", " ")} limit`;
  return UNKNOWN_WORDS[code] ?? failureWord({ ...(url !== undefined && { url }), code });
}

/** What leads to sitemaps, and is none. */
export function isRobots(url: string): boolean {
  return url.endsWith("/robots.txt");
}

/** A sentence, which the word precedes where it does not say it itself. */
export function failureText(failure: Failure): string {
  const word = failureWord(failure);
  const reason = failureReason(failure);
  if (reason === undefined) return word;
  return reason.toLowerCase().includes(word.toLowerCase()) ? reason : `${word}: ${reason}`;
}

/** What the library says, but for options of its own: here they are flags. */
export function failureReason({ url, code, reason }: Failure): string | undefined {
  if (isStrictEnd(reason)) return undefined;
  if (code === "http.downgrade") return reason?.replace("httpsOnly", "--https-only");
  if (code !== "http.blocked-address") return reason;
  return isMetadataUrl(url) ? "cloud metadata addresses are never requested" : "its address is not public";
}

/** Without strict mode it would have been read. */
function isStrictEnd(reason: string | undefined): boolean {
  return reason?.startsWith("Ended by strict mode") === true;
}

/** An address of a cloud's own services, which no flag opens. What is behind a name, nobody says. */
export function isMetadataUrl(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  return addressKind(targetOf(new URL(url)).host) === "metadata";
}

/** More kinds of failure than these are a matter for -v. */
const MAX_KINDS = 4;

/** `404, timeout`, `2 × 404, timeout`, `5 × 404, 2 × empty, 403, 6 others`. Equal ones by name. */
export function failureWords(failures: ReadonlyMap<string, number>): string {
  const sorted = [...failures].sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1));
  const shown = sorted.length > MAX_KINDS ? sorted.slice(0, MAX_KINDS - 1) : sorted;
  const words = shown.map(([word, times]) =>
    times === 1 || failures.size === 1 ? word : `${number(times)} × ${word}`,
  );
  const rest = sorted.slice(shown.length).reduce((sum, [, times]) => sum + times, 0);
  return [...words, ...(rest > 0 ? [`${number(rest)} others`] : [])].join(", ");
}
