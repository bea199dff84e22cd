/**
 * Turns the text that a document gives for a URL into an absolute, normalised http(s) URL, and says what
 * was wrong with it. Normalisation is the WHATWG URL parser's (https://url.spec.whatwg.org); what stands
 * before it here repairs what people write into sitemaps. Location rules: https://www.sitemaps.org/protocol.html#location.
 *
 * Does not decode XML, does not know about duplicates, never fetches. A URL that comes out matches
 * `^https?://[\x21-\x7e]+$`.
 *
 * Longer than most files: every repair is a few lines, and their order is the point.
 */
import { FAST, PlainAssets, plainPlace } from "#shortcuts";
import type { Report } from "../issue-log.ts";
import { type IssueCode, strictActionOf } from "../issues.ts";
import { PARSE_LIMITS } from "../limits.ts";
import { XML_ENTITIES } from "./entities.ts";
import type { TextValue } from "./text-value.ts";

/** What a URL is for: only pages are bound to the place of the document, assets may be anywhere. */
export type UrlRole = "page" | "child" | "asset";

export interface UrlReaderOptions {
  readonly strict: boolean;
  /** How to call an `&amp;` that is left: XML was escaped twice, plain text should not be escaped at all. */
  readonly escapeCode: "url.double-escaped" | "url.html-escaped";
  /** Longer ones are dropped. Stops a few endless URLs that fill memory and databases. @default 8192 */
  readonly urlLength?: number;
  /** What some codes are called here. */
  readonly codes?: Readonly<Partial<Record<IssueCode, IssueCode>>>;
}

/** The protocol's limit; longer ones are reported. */
const REPORTED_LENGTH = 2048;
/** Texts longer than this are not even looked at: stops work on megabytes that end as nothing. */
const MAX_TEXT_LENGTH = 65_536;

/** An origin on which URLs were found, and what is to be said about every URL there. */
interface Place {
  /** `https://www.example.com/` */
  readonly prefix: string;
  readonly codes: readonly IssueCode[];
  /** The host is the document's own. */
  readonly isHome: boolean;
}

export class UrlReader {
  /** Where relative URLs start; undefined when the document's own URL is unknown or not http(s). */
  readonly base: URL | undefined;
  readonly maxLength: number;
  readonly #report: Report;
  readonly #options: UrlReaderOptions;
  /** The directory of the document, `/` or `/dir/`. */
  readonly #directory: string;
  readonly #ownPlace: Place | undefined;
  readonly #plainAssets: PlainAssets;
  /** The last place that was not the document's own: a list of URLs on another host is one host mostly. */
  #otherPlace: Place | undefined;
  /** The xml:base last resolved, and what it gave. */
  #baseText: string | undefined;
  #baseUrl: URL | undefined;
  /** Strict mode met an issue that costs the entry. */
  #dropped = false;

  constructor(documentUrl: string, report: Report, options: UrlReaderOptions) {
    this.maxLength = options.urlLength ?? PARSE_LIMITS.urlLength;
    this.#report = report;
    this.#options = options;
    this.base = parseWebUrl(documentUrl);
    const path = this.base?.pathname ?? "/";
    this.#directory = path.slice(0, path.lastIndexOf("/") + 1);
    this.#ownPlace = this.base && this.#describePlace(this.base);
    this.#plainAssets = new PlainAssets(this.#ownPlace?.prefix);
  }

  /**
   * The URL for this text, or undefined when there is none. `base` is what an xml:base says, as written;
   * under one a relative URL is no fault. A blank text gives undefined and no issue: what it means for
   * a value to be missing is the caller's to say.
   */
  resolve(text: string, role: UrlRole, line?: number, base?: string): string | undefined {
    const place = plainPlace(text, this.#ownPlace, this.#otherPlace);
    if (place !== undefined && text.length <= this.maxLength) {
      this.#dropped = false;
      this.#locate(text, place, role, text, line);
      return this.#dropped ? undefined : text;
    }
    return this.#repair(trimUrl(text), role, line, base);
  }

  /** Says that a page of the document's own origin is outside of its directory, if so. False drops it. */
  isInPlace(url: string, line?: number): boolean {
    if (this.#directory === "/" || !FAST) return true;
    this.#dropped = false;
    this.#locate(url, this.#ownPlace!, "page", url, line);
    return !this.#dropped;
  }

  /** `resolve` for an image or another thing that a page uses, from its bytes. */
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
    if (text === undefined) return say("url.invalid");
    const url = this.#parse(text, say, base);
    if (url === undefined) return undefined;
    if (url.username !== "" || url.password !== "") {
      say("url.credentials");
      url.username = "";
      url.password = "";
    }
    const { href } = url;
    if (text.includes(" ")) say("url.space");
    if (BAD_PERCENT.test(href)) say("url.bad-percent");
    if (href.length > Math.min(REPORTED_LENGTH, this.maxLength)) say("url.too-long");
    if (href.length > this.maxLength) return undefined;
    this.#locate(href, this.#placeOf(url), role, written, line);
    return this.#dropped ? undefined : href;
  }

  /** Takes away what is around and inside a URL and does not belong to it; undefined when nothing is left. */
  #clean(written: string, say: Say): string | undefined {
    let text = written;
    if (ESCAPE.test(text)) {
      say(this.#options.escapeCode);
      // Strict: a text that was escaped twice is what XML says it is (U07).
      const literal = this.#options.strict && this.#options.escapeCode === "url.double-escaped";
      if (!literal) text = text.replace(ESCAPES, (_, name: string) => XML_ENTITIES.get(name)!);
    }
    const bare = undecorate(text);
    if (bare !== text) say("url.decorated");
    text = bare;
    if (LINE_BREAK.test(text)) {
      say("url.newline");
      if (TWO_URLS.test(text)) return undefined;
      // As WHATWG does, and with it the indentation of the next line (U37).
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
    // A fragment alone would name the document itself.
    return text === "" || hash === 0 ? undefined : text;
  }

  #parse(text: string, say: Say, base?: string): URL | undefined {
    const absolute = readScheme(text, say);
    // Never with a base: `https:/www.example.com/a` would become a path on it (U45).
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
    if (base === undefined || start === undefined) say("url.relative");
    if (start === undefined) return undefined;
    return parseWebUrl(text, start) ?? say("url.invalid");
  }

  /** An xml:base that is no URL counts as absent. */
  #baseFor(text: string | undefined): URL | undefined {
    if (text === undefined) return this.base;
    if (text !== this.#baseText) {
      this.#baseText = text;
      this.#baseUrl = parseWebUrl(trimUrl(text), this.base) ?? this.base;
    }
    return this.#baseUrl;
  }

  #placeOf(url: URL): Place {
    if (!FAST) return this.#describePlace(url);
    const prefix = prefixOf(url);
    if (this.#ownPlace?.prefix === prefix) return this.#ownPlace;
    if (this.#otherPlace?.prefix !== prefix) this.#otherPlace = this.#describePlace(url);
    return this.#otherPlace as Place;
  }

  #describePlace(url: URL): Place {
    const { base } = this;
    const isHome = url.host === base?.host;
    const codes: IssueCode[] = [];
    // A document on a private host may name its own pages.
    if (url.hostname !== base?.hostname && isPrivateHost(url.hostname)) codes.push("url.private-host");
    if (base !== undefined && url.protocol !== base.protocol) codes.push("url.scheme-mismatch");
    if (base !== undefined && !isHome) codes.push("url.cross-host");
    return { prefix: prefixOf(url), codes, isHome };
  }

  /** Says what the place of a URL gives reason to say: of a sub-sitemap only that its host is private. */
  #locate(
    href: string,
    { prefix, codes, isHome }: Place,
    role: UrlRole,
    written: string,
    line?: number,
  ): void {
    if (role === "asset") return;
    for (const code of codes) {
      if (role === "page" || code === "url.private-host") this.#say(code, written, line);
    }
    if (role === "page" && isHome && !href.startsWith(this.#directory, prefix.length - 1)) {
      this.#say("url.outside-path", written, line);
    }
  }

  #say(general: IssueCode, value: string, line?: number): undefined {
    const code = this.#options.codes?.[general] ?? general;
    if (this.#options.strict && strictActionOf(code) === "drop") this.#dropped = true;
    this.#report(code, value, line);
  }
}

/** Reports and gives undefined, so that a dropped value is one statement. */
type Say = (code: IssueCode) => undefined;

const BAD_PERCENT = /%(?![0-9a-f]{2})/i;
const ESCAPE = /&(?:amp|lt|gt|quot|apos);/;
const ESCAPES = /&(amp|lt|gt|quot|apos);/g;
const LINE_BREAK = /[\t\n\r]/;
const BLANKS = /[ \t\n\r]+/g;
/** Two URLs with a line break between them: joined they would be one that nobody wrote. */
const TWO_URLS = /[\t\n\r] *https?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * The `https://` of `https://https://www.example.com/a`, of `https://https//www.example.com/a` and the
 * `//` of `//https://www.example.com/a`. `https://http:8080/` is a host called http.
 */
const OUTER_SCHEME = /(?:https?:\/*|\/\/+)(?=https?(?::\/|\/\/))/iy;
const WEB_SCHEME = /(https?)(:\/*|\/\/+)/iy;

/** The text with one scheme and two slashes if it starts with http or https, else undefined. */
function readScheme(text: string, say: Say): string | undefined {
  let start = 0;
  for (;;) {
    OUTER_SCHEME.lastIndex = start;
    if (!OUTER_SCHEME.test(text)) break;
    start = OUTER_SCHEME.lastIndex;
  }
  WEB_SCHEME.lastIndex = start;
  const match = WEB_SCHEME.exec(text);
  if (match === null) return undefined;
  if (start > 0) say("url.double-scheme");
  if (match[2] !== "://") say("url.missing-slash");
  return `${match[1]}://${text.slice(WEB_SCHEME.lastIndex)}`;
}

function parseWebUrl(text: string, base?: URL): URL | undefined {
  try {
    const url = new URL(text, base);
    const isWeb = url.protocol === "https:" || url.protocol === "http:";
    // Some browsers escape what they should refuse: `https://exa mple.com/` has no host.
    return isWeb && !url.hostname.includes("%") ? url : undefined;
  } catch {
    return undefined;
  }
}

function prefixOf(url: URL): string {
  return `${url.protocol}//${url.host}/`;
}

/** Letters of any script, for hosts that are written as people read them. */
const DOTTED_NAME = /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+\.?$/u;
const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const PORT = /:\d{1,5}$/;
/** How names of files end, and no top-level domain: `index.php/a` is a path. */
export const FILE_NAME: RegExp =
  /\.(?:[ps]?html?|xhtml|php\d?|aspx?|jspx?|cgi|cfm|dll|exe|xml|json|txt|pdf|gz|jpe?g|png|gif|webp|svg|mp[34]|docx?)$/i;
const MAX_HOST_LENGTH = 260;

/**
 * Whether a text without scheme starts with a host: the document's own, one with `www.`, a dotted name
 * before a slash, any of these or localhost with a port. `s1.xml`, `a.html`, `../a`, `v1.2/a` and
 * `index.php/a` are paths.
 */
export function looksLikeHost(text: string, ownHost?: string): boolean {
  const end = text.slice(0, MAX_HOST_LENGTH + 1).search(/[/?#\\]/);
  const segment = end < 0 ? text.slice(0, MAX_HOST_LENGTH + 1) : text.slice(0, end);
  if (segment === "" || segment.length > MAX_HOST_LENGTH) return false;
  const name = segment.replace(PORT, "").toLowerCase();
  if (name === ownHost) return true;
  const ends = name.length < segment.length || text.charAt(segment.length) === "/";
  if (name === "localhost" || IPV4.test(name)) return ends;
  if (!DOTTED_NAME.test(name) || /\.\d+\.?$/.test(name) || FILE_NAME.test(name.replace(/\.$/, "")))
    return false;
  return ends || name.startsWith("www.");
}

/** 0/8, 10/8, 127/8, 169.254/16, 192.168/16, 172.16/12, 100.64/10 */
const PRIVATE_IPV4 =
  /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d+)+$/;
/** Unspecified and loopback; fc00::/7 unique local, fe80::/10 link-local, fec0::/10 once site-local */
const PRIVATE_IPV6 = /^\[(?:::1?\]|f[cd]..:|fe[89a-f].:)/;
const PRIVATE_NAME = /(?:^|\.)localhost\.?$|\.(?:local|internal)\.?$/;
/** An IPv4 address in IPv6: its first two bytes. */
const MAPPED_IPV4 = /^\[::ffff:([0-9a-f]+):[0-9a-f]+\]$/;

/**
 * Whether a host is loopback, private, link-local or a name that only local networks know. Takes the
 * spelling that WHATWG URL gives (`hostname`), never a text as written: `0x7f.1` is 127.0.0.1 there.
 */
export function isPrivateHost(hostname: string): boolean {
  const mapped = Number.parseInt(MAPPED_IPV4.exec(hostname)?.[1] ?? "", 16);
  const host = Number.isNaN(mapped) ? hostname : `${mapped >> 8}.${mapped & 0xff}.0.0`;
  return PRIVATE_IPV4.test(host) || PRIVATE_IPV6.test(host) || PRIVATE_NAME.test(host);
}

/** Unicode white space, control characters, zero-width spaces and byte order marks (U02). */
const BLANK = /[\0- \x7f-\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]/;

/** Cuts off what is blank. */
export function trimUrl(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
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
/** Real ones are `"<…>",`; stops a file of quotes from being peeled one by one. */
const MAX_DECORATIONS = 4;

/** Takes away quotes, angle brackets and trailing commas (U40). Quotes inside a URL stay. */
function undecorate(text: string): string {
  let bare = text;
  for (let round = 0; round < MAX_DECORATIONS; round++) {
    const before = bare;
    let end = bare.length;
    while (end > 0 && (bare.charAt(end - 1) === "," || isBlank(bare, end - 1))) end--;
    // Blanks alone were trimmed before and are no decoration.
    bare = trimUrl(bare.slice(0, end));
    const close = CLOSING[bare.charAt(0)];
    if (close !== undefined) {
      // No URL starts with one of these: it goes even when its partner is missing.
      bare = trimUrl(bare.slice(1, bare.length > 1 && bare.endsWith(close) ? -1 : undefined));
    } else if (/[">]$/.test(bare) && !/["<>]/.test(bare.slice(0, -1))) {
      bare = trimUrl(bare.slice(0, -1));
    }
    if (bare === before) break;
  }
  return bare;
}
