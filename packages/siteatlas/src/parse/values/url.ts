/**
 * Turns the text of a URL in a document into an absolute, normalized http(s) URL, and reports repairs. The WHATWG URL
 * parser (https://url.spec.whatwg.org) normalizes the URL. Before that, common mistakes in sitemaps are repaired. Rules
 * for the location of pages: https://www.sitemaps.org/protocol.html#location.
 *
 * This file does not decode XML, detect duplicates or fetch. A resulting URL matches `^https?://[\x21-\x7e]+$`.
 *
 * This file is longer than most: each repair has a few lines, and the order of the repairs matters.
 */
import { FAST, PlainAssets, plainOrigin } from "#shortcuts";
import { PARSE_LIMITS } from "../../model/generated/limits.ts";
import type { Report } from "../../model/issue-log.ts";
import { type IssueCode, strictActionOf } from "../../model/issue-severity.ts";
import type { TextValue } from "../xml/element-text.ts";
import { XML_ENTITIES } from "../xml/entities.ts";

/**
 * The use of the URL. A `page` must be in the directory of the document. A `child` is a sitemap that the document
 * lists. An `asset`, such as an image, may be anywhere.
 */
export type UrlRole = "page" | "child" | "asset";

export interface UrlReaderOptions {
  readonly strict: boolean;
  /**
   * The issue code for an `&amp;` in a URL. In XML it means that the text was escaped twice. In plain text, nothing
   * should be escaped.
   */
  readonly escapeCode: "url.double-escaped" | "url.html-escaped";
  /**
   * Maximum length of a URL. Longer URLs are dropped. Stops endless URLs that fill memory and databases. @default 8192
   */
  readonly urlLength?: number;
  /** Issue codes to replace. Keys are the usual codes, values are the codes to report instead. */
  readonly codes?: Readonly<Partial<Record<IssueCode, IssueCode>>>;
}

/** Maximum length of a URL in the sitemap protocol. Longer URLs are reported. */
const REPORTED_LENGTH = 2048;
/** Maximum length of a text that is examined. A longer text is dropped without work on it. */
const MAX_TEXT_LENGTH = 65_536;

/** The origin of an earlier URL, with the issues that every URL of this origin has. */
interface KnownOrigin {
  /** The start of all URLs of this origin, such as `https://www.example.com/`. */
  readonly prefix: string;
  readonly codes: readonly IssueCode[];
  /** Whether this origin has the same host as the document. */
  readonly isHome: boolean;
}

export class UrlReader {
  /** The base of relative URLs. Undefined if the document's URL is unknown or not http(s). */
  readonly base: URL | undefined;
  readonly maxLength: number;
  readonly #report: Report;
  readonly #options: UrlReaderOptions;
  /** The directory of the document, `/` or `/dir/`: pages outside are reported. Always `/` for a feed. */
  directory: string;
  readonly #ownOrigin: KnownOrigin | undefined;
  readonly #plainAssets: PlainAssets;
  /**
   * The last origin other than the document's own. If a document lists URLs of another site, most of them are on one
   * host.
   */
  #otherOrigin: KnownOrigin | undefined;
  /** The last xml:base as text. `#baseUrl` is its URL. */
  #baseText: string | undefined;
  #baseUrl: URL | undefined;
  /** Whether strict mode drops the current entry. */
  #dropped = false;

  constructor(documentUrl: string, report: Report, options: UrlReaderOptions) {
    this.maxLength = options.urlLength ?? PARSE_LIMITS.urlLength;
    this.#report = report;
    this.#options = options;
    this.base = parseWebUrl(documentUrl);
    const path = this.base?.pathname ?? "/";
    this.directory = path.slice(0, path.lastIndexOf("/") + 1);
    this.#ownOrigin = this.base && this.#describeOrigin(this.base);
    this.#plainAssets = new PlainAssets(this.#ownOrigin?.prefix);
  }

  /**
   * Resolves and repairs a URL. Returns undefined if it cannot be used. A blank text is not reported, because the
   * caller decides what a missing value means.
   *
   * @param base the xml:base of the element as text. With it, a relative URL is not an issue
   */
  resolve(text: string, role: UrlRole, line?: number, base?: string): string | undefined {
    const origin = plainOrigin(text, this.#ownOrigin, this.#otherOrigin);
    if (origin !== undefined && text.length <= this.maxLength) {
      this.#dropped = false;
      this.#locate(text, origin, role, text, line);
      return this.#dropped ? undefined : text;
    }
    return this.#repair(trimUrl(text), role, line, base);
  }

  /**
   * Checks that a page on the document's origin is also in the document's directory. Otherwise reports an issue.
   * Returns false if the page must be dropped.
   */
  isInPlace(url: string, line?: number): boolean {
    if (this.directory === "/" || !FAST) return true;
    this.#dropped = false;
    this.#locate(url, this.#ownOrigin!, "page", url, line);
    return !this.#dropped;
  }

  /** Like `resolve`, for the URL of an image or another asset, from its bytes. */
  resolveAsset(text: TextValue, line?: number, base?: string): string | undefined {
    const isShort = FAST && text.end - text.start <= this.maxLength;
    if (isShort && this.#plainAssets.accepts(text)) return text.toString();
    const url = this.resolve(text.toString(), "asset", line, base);
    if (FAST && url !== undefined) this.#plainAssets.remember(url);
    return url;
  }

  #repair(written: string, role: UrlRole, line?: number, base?: string): string | undefined {
    if (written === "") return undefined;
    this.#dropped = false;
    const say = (code: IssueCode): undefined => this.#say(code, written, line);
    if (written.length > Math.max(MAX_TEXT_LENGTH, this.maxLength)) return say("url.too-long");

    const text = this.#clean(written, say);
    if (text === "") return say("url.invalid");
    // Lenient: removes the space in `https://www.example.com /a` (U49).
    const url = this.#parse(text.replace(/^(https?:\/\/[^/ ]+) +(?=\/)/i, "$1"), say, base);
    if (url === undefined) return undefined;
    if (url.username + url.password !== "") {
      say("url.credentials");
      url.username = "";
      url.password = "";
    }
    const { href } = url;
    if (text.includes(" ")) say("url.space");
    if (BAD_PERCENT.test(href)) say("url.bad-percent");
    if (href.length > this.maxLength) return say("url.too-long");
    if (href.length > REPORTED_LENGTH) say("url.too-long");
    this.#locate(href, this.#originOf(url), role, written, line);
    return this.#dropped ? undefined : href;
  }

  /**
   * Removes everything that does not belong to a URL, around the URL and inside it. Returns an empty text if nothing is
   * left, or if the text contains two URLs.
   */
  #clean(written: string, say: Say): string {
    let text = written;
    if (ESCAPE.test(text)) {
      say(this.#options.escapeCode);
      // In strict mode, a text is decoded only once. If it was escaped twice in XML, it stays escaped (U07).
      const literal = this.#options.strict && this.#options.escapeCode === "url.double-escaped";
      if (!literal) text = text.replace(ESCAPES, (_, name: string) => XML_ENTITIES.get(name)!);
    }
    const bare = undecorate(text);
    if (bare !== text) say("url.decorated");
    text = bare;
    if (LINE_BREAK.test(text)) {
      say("url.newline");
      if (TWO_URLS.test(text)) return "";
      // Remove line breaks, as WHATWG does, and also the indentation of the next line (U37).
      text = text.replace(BLANKS, (blanks) => (LINE_BREAK.test(blanks) ? "" : blanks));
    }
    const hash = text.indexOf("#");
    if (hash > 0) {
      say("url.fragment");
      text = trimUrl(text.slice(0, hash));
    }
    const query = text.indexOf("?");
    const path = query < 0 ? text : text.slice(0, query);
    if (path.includes("\\")) {
      say("url.backslash");
      text = path.replaceAll("\\", "/") + text.slice(path.length);
    }
    // A text that starts with `#` refers to the document itself, so it is not a page.
    return hash === 0 ? "" : text;
  }

  #parse(text: string, say: Say, base?: string): URL | undefined {
    const absolute = readScheme(text, say);
    // Do not pass a base URL. With a base, `https:/www.example.com/a` would become a path (U45).
    if (absolute !== undefined) return parseWebUrl(absolute) ?? say("url.invalid");
    const start = this.#baseFor(base);
    const scheme = start?.protocol ?? "https:";
    if (text.startsWith("//")) {
      if (base === undefined) say("url.relative");
      return parseWebUrl(scheme + text) ?? say("url.invalid");
    }
    if (looksLikeHost(text, this.base?.hostname)) {
      say("url.schemeless");
      return parseWebUrl(`${scheme}//${text}`) ?? say("url.invalid");
    }
    if (SCHEME.test(text)) return say("url.unsupported-scheme");
    if (start === undefined) return say("url.no-base");
    if (base === undefined) say("url.relative");
    return parseWebUrl(text, start) ?? say("url.invalid");
  }

  /**
   * Returns the base for relative URLs: the xml:base, or the URL of the document if the xml:base is invalid or absent.
   */
  #baseFor(text: string | undefined): URL | undefined {
    if (text === undefined) return this.base;
    if (text !== this.#baseText) {
      this.#baseText = text;
      this.#baseUrl = parseWebUrl(trimUrl(text), this.base) ?? this.base;
    }
    return this.#baseUrl;
  }

  #originOf(url: URL): KnownOrigin {
    if (!FAST) return this.#describeOrigin(url);
    const prefix = prefixOf(url);
    if (this.#ownOrigin?.prefix === prefix) return this.#ownOrigin;
    if (this.#otherOrigin?.prefix !== prefix) this.#otherOrigin = this.#describeOrigin(url);
    return this.#otherOrigin as KnownOrigin;
  }

  #describeOrigin(url: URL): KnownOrigin {
    const { base } = this;
    const isHome = url.host === base?.host;
    const codes: IssueCode[] = [];
    // Report a private host, unless the document itself is on this host.
    if (url.hostname !== base?.hostname && isPrivateHost(url.hostname)) codes.push("url.private-host");
    if (base !== undefined && url.protocol !== base.protocol) codes.push("url.scheme-mismatch");
    if (base !== undefined && !isHome) codes.push("url.cross-host");
    return { prefix: prefixOf(url), codes, isHome };
  }

  /**
   * Reports issues with the origin and the directory of a URL. For a sitemap, only a private host is reported. For an
   * asset, nothing is reported.
   */
  #locate(
    href: string,
    { prefix, codes, isHome }: KnownOrigin,
    role: UrlRole,
    written: string,
    line?: number,
  ): void {
    if (role === "asset") return;
    for (const code of codes) {
      if (role === "page" || code === "url.private-host") this.#say(code, written, line);
    }
    if (role === "page" && isHome && !href.startsWith(this.directory, prefix.length - 1)) {
      this.#say("url.outside-path", written, line);
    }
  }

  #say(general: IssueCode, value: string, line?: number): undefined {
    const code = this.#options.codes?.[general] ?? general;
    if (this.#options.strict && strictActionOf(code) === "drop") {
      // Report only the first reason to drop a URL, so that the number of these issues is the number of dropped URLs.
      if (this.#dropped) return;
      this.#dropped = true;
    }
    this.#report(code, value, line);
  }
}

/** Reports an issue. Returns undefined, so that `return say(code)` drops a value. */
type Say = (code: IssueCode) => undefined;

const BAD_PERCENT = /%(?![0-9a-f]{2})/i;
const ESCAPE = /&(?:amp|lt|gt|quot|apos);/;
const ESCAPES = /&(amp|lt|gt|quot|apos);/g;
const LINE_BREAK = /[\t\n\r]/;
const BLANKS = /[ \t\n\r]+/g;
/** Matches a line break before a second URL. If the line break were removed, the result would be a wrong URL. */
const TWO_URLS = /[\t\n\r] *https?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Matches a scheme that is followed by another scheme: the `https://` of `https://https://www.example.com/a` and of
 * `https://https//www.example.com/a`, the `https//` of `https//https://www.example.com/a`, and the `//` of
 * `//https://www.example.com/a`. Does not match in `https://http:8080/`, where http is the host.
 */
const OUTER_SCHEME = /(?:https?:\/*|(?:https?)?\/\/+)(?=https?(?::\/|\/\/))/iy;
const WEB_SCHEME = /(https?)(:\/*|\/\/+)/iy;

/** If the text starts with http or https, returns it with one scheme and two slashes. Otherwise returns undefined. */
function readScheme(text: string, say: Say): string | undefined {
  let start = 0;
  // Each test continues where the last one ended. The one that fails sets lastIndex to 0 again.
  while (OUTER_SCHEME.test(text)) start = OUTER_SCHEME.lastIndex;
  WEB_SCHEME.lastIndex = start;
  const match = WEB_SCHEME.exec(text);
  if (match === null) return undefined;
  if (start > 0) say("url.double-scheme");
  if (match[2] !== "://") say("url.missing-slash");
  return `${match[1]}://${text.slice(WEB_SCHEME.lastIndex)}`;
}

/**
 * Matches the scheme, host and path of an http(s) URL that can be used. Its host contains no `%`: for
 * `https://exa mple.com/`, some browsers escape the invalid character instead of rejecting the URL. It is not
 * `https://http//a`, which `.//a` becomes with the xml:base `https://http/`: a reader of our output would take this host
 * for a second scheme.
 */
const WEB_URL = /^https?:(?!https?\/\/)[^%/]+\//;

function parseWebUrl(text: string, base?: URL): URL | undefined {
  try {
    const url = new URL(text, base);
    // The start of the path is enough. A whole path may have 8 KB, and a copy of it for each URL costs memory.
    return WEB_URL.test(url.protocol + url.host + url.pathname.slice(0, 3)) ? url : undefined;
  } catch {
    return undefined;
  }
}

function prefixOf(url: URL): string {
  return `${url.protocol}//${url.host}/`;
}

/** Matches a host name with a dot. It may contain letters of any script. */
const DOTTED_NAME = /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+\.?$/u;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const PORT = /:\d{1,5}$/;
/** Matches file extensions that are not top-level domains, so that `index.php/a` is a path, not a host. */
export const FILE_NAME: RegExp =
  /\.(?:[ps]?html?|xhtml|php\d?|aspx?|jspx?|cgi|cfm|dll|exe|xml|json|txt|pdf|gz|jpe?g|png|gif|webp|svg|mp[34]|docx?)$/i;
const MAX_HOST_LENGTH = 260;

/**
 * Whether a text without a scheme starts with a host: the document's own host, a name that starts with `www.`, or a
 * name with dots before a slash. There may be a port. `localhost` and IP addresses count only before a slash or with a
 * port. `s1.xml`, `a.html`, `../a`, `v1.2/a` and `index.php/a` are paths.
 */
export function looksLikeHost(text: string, ownHost?: string): boolean {
  const segment = text.slice(0, MAX_HOST_LENGTH + 1).replace(/[/?#\\].*/s, "");
  if (segment === "" || segment.length > MAX_HOST_LENGTH) return false;
  const name = segment.replace(PORT, "").toLowerCase();
  if (name === ownHost) return true;
  const ends = name.length < segment.length || text.charAt(segment.length) === "/";
  if (name === "localhost" || IPV4.test(name)) return ends;
  if (!DOTTED_NAME.test(name) || /\.\d+\.?$/.test(name) || FILE_NAME.test(name.replace(/\.$/, "")))
    return false;
  return ends || name.startsWith("www.");
}

/** Matches private IPv4 addresses: 0/8, 10/8, 127/8, 169.254/16, 192.168/16, 172.16/12 and 100.64/10. */
const PRIVATE_IPV4 =
  /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d+)+$/;
/**
 * Matches private IPv6 addresses: unspecified, loopback, fc00::/7 (unique local), fe80::/10 (link-local) and fec0::/10
 * (formerly site-local).
 */
const PRIVATE_IPV6 = /^\[(?:::1?\]|f[cd]..:|fe[89a-f].:)/;
const PRIVATE_NAME = /(?:^|\.)localhost\.?$|\.(?:local|internal)\.?$/;
/**
 * Matches an IPv4 address that is written as IPv6. The capture group contains the first two bytes of the IPv4 address.
 */
const MAPPED_IPV4 = /^\[::ffff:([0-9a-f]+):[0-9a-f]+\]$/;

/**
 * Whether a host is loopback, private, link-local or a name of a local network. Expects the `hostname` of a `URL`
 * object, not the text of a document, because only `URL` decodes `0x7f.1` to 127.0.0.1.
 *
 * @internal exported for tests
 */
export function isPrivateHost(hostname: string): boolean {
  const mapped = Number.parseInt(MAPPED_IPV4.exec(hostname)?.[1] ?? "", 16);
  const host = Number.isNaN(mapped) ? hostname : `${mapped >> 8}.${mapped & 0xff}.0.0`;
  return PRIVATE_IPV4.test(host) || PRIVATE_IPV6.test(host) || PRIVATE_NAME.test(host);
}

/** Matches Unicode white space, control characters, zero-width spaces and byte order marks (U02). */
const BLANK = /[\0- \x7f-\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]/;

export function trimUrl(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isPadding(text, start)) start++;
  while (end > start && isPadding(text, end - 1)) end--;
  return text.slice(start, end);
}

function isPadding(text: string, at: number): boolean {
  if (!FAST) return BLANK.test(text.charAt(at));
  const code = text.charCodeAt(at);
  return code <= 0x20 || (code >= 0x7f && BLANK.test(text.charAt(at)));
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "<": ">",
  "“": "”",
  "‘": "’",
  "«": "»",
};
/**
 * Maximum number of rounds in which decoration around a URL is removed. Real files need few rounds, as for `"<…>",`.
 * Stops a text of 100,000 quotes, with one round per quote.
 */
const MAX_DECORATIONS = 4;

/** Removes quotes and angle brackets around a URL, and commas after it (U40). Quotes inside a URL are kept. */
function undecorate(text: string): string {
  let bare = text;
  for (let round = 0; round < MAX_DECORATIONS; round++) {
    const before = bare;
    let end = bare.length;
    while (end > 0 && (bare.charAt(end - 1) === "," || isPadding(bare, end - 1))) end--;
    // Spaces can be next to a comma or quote that was removed. Trim them.
    bare = trimUrl(bare.slice(0, end));
    const close = CLOSING[bare.charAt(0)];
    if (close !== undefined) {
      // No URL starts with a quote or bracket. So remove it, even if the closing quote or bracket is missing.
      bare = trimUrl(bare.slice(1, bare.length > 1 && bare.endsWith(close) ? -1 : undefined));
    } else if (/[">]$/.test(bare) && !/["<>]/.test(bare.slice(0, -1))) {
      bare = trimUrl(bare.slice(0, -1));
    }
    if (bare === before) break;
  }
  return bare;
}
