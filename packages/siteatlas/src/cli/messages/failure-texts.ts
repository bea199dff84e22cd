/**
 * Texts that say why a sitemap could not be read: a word such as `timeout`, a sentence, or a list of words with counts.
 */

import { targetOf } from "../../fetch/guard/address-policy.ts";
import { isMetadataName } from "../../fetch/guard/metadata-services.ts";
import { type AddressKind, addressKind } from "../../fetch/guard/public-address.ts";
import { type IssueCode, strictActionOf } from "../../model/issue-severity.ts";
import { isRobotsUrl } from "../../parse/robots/robots-url.ts";
import type { WalkedSitemap } from "../../walk/events/events.ts";
import { lowerFirst, number } from "../terminal/format-text.ts";
import { withLimitFlags } from "./limit-names.ts";

type Failure = Partial<Pick<WalkedSitemap, "url" | "code" | "http" | "reason">> & {
  readonly cause?: string | undefined;
};

const METADATA_WORD = "metadata address";
const LINK_LOCAL_WORD = "link-local address";
export const PRIVATE_WORD = "private address";

/** Words for issue codes. For a code that is not in this table, the word is made from the name of the code. */
const WORDS: Readonly<Partial<Record<IssueCode, string>>> = {
  "http.dns": "unknown host",
  "http.connection": "no connection",
  "http.tls": "TLS error",
  "http.proxy": "proxy error",
  "http.protocol": "not HTTP",
  "http.status": "error status",
  "http.partial": "truncated",
  "http.blocked-address": PRIVATE_WORD,
  "http.blocked-port": "reserved port",
  "http.redirect-scheme": "redirect away from http",
  "content.html": "HTML page",
  "content.json": "JSON file",
  "content.zip": "ZIP file",
  "content.empty": "empty",
  "gzip.corrupt": "damaged gzip",
  "gzip.bomb": "decompression limit",
  "gzip.too-deep": "too many compression layers",
  "robots.html": "robots.txt is HTML",
  "robots.unreachable": "robots.txt unreachable",
  "limit.urls": "page limit",
  "limit.sitemaps": "sitemap limit",
  "limit.indexes": "index limit",
  "limit.children": "listed sitemaps limit",
  "limit.places": "tree limit",
  "limit.held": "memory limit",
  "limit.barren": "empty sitemaps limit",
  "limit.bytes": "size limit",
  "limit.cpu": "CPU limit",
  "url.cross-host": "on another host",
  "not-fetched": "not requested",
};

/** Words for the causes of failures. They are more precise than the words for issue codes. */
const CAUSE_WORDS: Readonly<Record<string, string>> = {
  "certificate-expired": "expired certificate",
  "certificate-not-yet-valid": "certificate not yet valid",
  "certificate-self-signed": "self-signed certificate",
  "certificate-name": "certificate for another host",
  "certificate-incomplete": "incomplete certificate",
  "certificate-issuer": "unknown certificate issuer",
  "certificate-authority": "untrusted certificate",
  "certificate-revoked": "revoked certificate",
  "client-certificate": "client certificate required",
  "tls-version": "old TLS version",
  "not-tls": "no TLS",
  "connection-refused": "connection refused",
  bzip2: "bzip2 file",
  xz: "xz file",
  "7z": "7z file",
  rar: "RAR file",
  zstd: "zstd file",
  tar: "tar file",
  pdf: "PDF file",
};

/** The failure in a word: `404`, `timeout`, `HTML page`, `size limit`. */
export function failureWord({ url, code, http, cause }: Failure): string {
  if (code === "http.status" && http !== undefined) return String(http.status);
  if (code === undefined) return "unknown";
  if (code === "http.blocked-address") return blockedWord(url);
  const word = CAUSE_WORDS[cause ?? ""] ?? codeWord(code);
  return isStrictEnd(code) ? `rejected by --strict: ${word}` : word;
}

function blockedWord(url: string | undefined): string {
  const kind = addressKindOf(url);
  if (kind === "metadata") return METADATA_WORD;
  return kind === "link-local" ? LINK_LOCAL_WORD : PRIVATE_WORD;
}

/** The issue code in words: `bare ampersand`, `bytes limit`. */
export function codeWord(code: IssueCode): string {
  const name = code.slice(code.indexOf(".") + 1).replaceAll("-", " ");
  return WORDS[code] ?? (code.startsWith("limit.") ? `${name} limit` : name);
}

/** Why a sync could not read a sitemap. */
interface UnknownReason extends Pick<Failure, "url"> {
  readonly code: IssueCode;
  readonly status?: number;
  /**
   * URL of a robots.txt or an index that failed. Set only if the sitemap was not requested, because only that document
   * leads to it.
   */
  readonly behind?: string;
}

/** The reason in a word: `503`, `truncated`, `no connection`, `its index failed`. */
export function unknownWord({ url, code, status, behind }: UnknownReason): string {
  if (behind !== undefined) return `${isRobotsUrl(behind) ? "robots.txt" : "its index"} failed`;
  return status === undefined ? failureWord({ ...(url !== undefined && { url }), code }) : String(status);
}

/**
 * The failure as a sentence. It starts with the word of `failureWord`, unless the reason already contains that word.
 */
export function failureText(failure: Failure): string {
  const word = failureWord(failure);
  const written = failureReason(failure);
  if (written === undefined) return word;
  // Change only sentences of siteatlas. The reason may also be the message of a custom client.
  const reason = written.startsWith("The ") ? lowerFirst(written) : written;
  if (failure.cause !== undefined) return reason;
  return reason.toLowerCase().includes(word.toLowerCase()) ? reason : `${word}: ${reason}`;
}

/** The reason as a sentence. Undefined if the word of `failureWord` already says everything. */
export function failureReason(failure: Failure): string | undefined {
  return isStrictEnd(failure.code) ? undefined : withFlagNames(failure);
}

/** The library's reason, with the names of flags instead of the library's options. */
export function withFlagNames({ url, code, reason }: Failure): string | undefined {
  if (code === "http.downgrade") return reason?.replace("httpsOnly", "--https-only");
  if (code !== "http.blocked-address") return reason === undefined ? undefined : withLimitFlags(reason);
  const kind = addressKindOf(url);
  if (kind === "metadata") return "cloud metadata addresses are always refused";
  return kind === "link-local" ? "its host is a link-local address" : "its host has a private address";
}

/**
 * Whether strict mode rejects a document because of this issue code. Without strict mode, the document is repaired and
 * read.
 */
export function isStrictEnd(code: IssueCode | undefined): boolean {
  return code !== undefined && strictActionOf(code) === "fail";
}

/** The kind of IP address in a URL, such as `metadata`. A host name is not resolved. */
export function addressKindOf(url: string | undefined): AddressKind | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { host } = targetOf(new URL(url));
  return isMetadataName(host) ? "metadata" : addressKind(host);
}

/** Maximum number of different failures in one line. -v shows all of them. */
const MAX_KINDS = 4;

/** Joins failures with their counts: `404, timeout`, `2 × 404, timeout`, `5 × 404, 2 × empty, 403, 6 others`. */
export function failureWords(failures: ReadonlyMap<string, number>): string {
  const sorted = [...failures].sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1));
  const shown = sorted.length > MAX_KINDS ? sorted.slice(0, MAX_KINDS - 1) : sorted;
  const words = shown.map(([word, times]) =>
    times === 1 || failures.size === 1 ? word : `${number(times)} × ${word}`,
  );
  const rest = sorted.slice(shown.length).reduce((sum, [, times]) => sum + times, 0);
  return [...words, ...(rest > 0 ? [`${number(rest)} others`] : [])].join(", ");
}
