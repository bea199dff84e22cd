/**
 * Reads robots.txt: its Sitemap lines, its groups of rules (RFC 9309), Crawl-delay, and Yandex' Host and
 * Clean-param. What a line means is decided here; lines and tags are cut in robots-lines.ts, rules are
 * applied in robots-match.ts, bytes are decoded before.
 *
 * Sitemap lines are written by hand and wrong in many ways: each one that has a single sensible reading
 * is understood and reported. Rules are taken as google/robotstxt takes them.
 */
import { IssueLog, type Report } from "../issue-log.ts";
import { type IssueCode, strictActionOf } from "../issues.ts";
import type { Issue, SubSitemap } from "../model.ts";
import { linesWithoutTags, MAX_ROBOTS_BYTES, type RobotsLine, robotsLines } from "./robots-lines.ts";
import {
  createRobotsMatcher,
  type RobotsGroup,
  type RobotsMatcher,
  type RobotsRule,
} from "./robots-match.ts";
import { trimUrl, UrlReader } from "./url.ts";

export type { RobotsGroup, RobotsRule } from "./robots-match.ts";

/** What a robots.txt says. */
export interface RobotsTxt {
  /** Where it came from; empty when the parse was not told. */
  readonly url: string;
  /** Sitemap URLs in the order of the file, each once. */
  readonly sitemaps: readonly string[];
  /** Groups as written; those of one crawler are merged only when asked for it. */
  readonly groups: readonly RobotsGroup[];
  /** Yandex: the main mirror of the site. */
  readonly host?: string;
  /** Yandex: query parameters that do not change the page. */
  readonly cleanParams?: readonly CleanParam[];
  /**
   * Whether the crawler may fetch the URL. The host is not compared: ask the robots.txt of the URL's own
   * host. `userAgent` is a product token (`examplebot`) or starts with one (`examplebot/1.0 (…)`).
   */
  isAllowed(url: string, userAgent: string): boolean;
  /** Seconds between two requests, as written: nothing limits them here. */
  crawlDelay(userAgent: string): number | undefined;
  /** At most 100 are kept. */
  readonly issues: readonly Issue[];
  /** How many issues there were in all. */
  readonly issueCount: number;
}

/** `Clean-param: ref&utm_source /shop/` */
export interface CleanParam {
  readonly parameters: readonly string[];
  /** Prefix of the paths that it holds for; absent means all. */
  readonly path?: string;
}

export interface RobotsTxtOptions {
  /** Where the text came from: the base of relative sitemap URLs. @default "" */
  readonly url?: string;
  /** Takes only CR and LF as line ends, and no URL that stands alone on its line. @default false */
  readonly strict?: boolean;
}

/** The plain content of a robots.txt, before anything is merged or dropped. */
export interface RobotsContent {
  /** In the order of the file, repeated ones among them. */
  readonly sitemaps: readonly SubSitemap[];
  readonly groups: readonly RobotsGroup[];
  readonly host?: string;
  readonly cleanParams?: readonly CleanParam[];
}

/** Reads the text of a robots.txt. Never fails on what the text holds. */
export function parseRobotsTxt(text: string, options: RobotsTxtOptions = {}): RobotsTxt {
  const { url = "", strict = false } = options;
  if (typeof text !== "string") throw new TypeError("Cannot parse robots.txt: text is not a string");
  const log = new IssueLog(url, strict);
  const { sitemaps, ...content } = readRobots(text, { url, strict, report: log.report });
  const matcher: RobotsMatcher = createRobotsMatcher(content.groups, url);
  return {
    url,
    sitemaps: [...new Set(sitemaps.map((sitemap) => sitemap.url))],
    ...content,
    ...matcher,
    issues: log.kept,
    issueCount: log.total,
  };
}

export interface RobotsSource {
  readonly url: string;
  readonly strict: boolean;
  readonly report: Report;
  /** The text goes on but was not read to its end: a last line without line end may be half a URL. */
  readonly cut?: boolean;
}

/** Reads robots.txt for a caller that keeps its own issues. */
export function readRobots(text: string, source: RobotsSource): RobotsContent {
  const { url, strict, report, cut = false } = source;
  const whole = cut ? text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1) : text;
  const lines = robotsLines(whole, strict);
  // A page that does not hold a robots.txt has no line that starts like one, and gives nothing (R29, R30).
  const isHtml = /^\s*</.test(text);
  if (isHtml) report("robots.html");
  return new RobotsReader(url, strict, report, isHtml).read(isHtml ? linesWithoutTags(lines) : lines);
}

/** Rules after this are not read: RFC 9309, section 2.5, asks for at least as much. Stops endless rules. */
const MAX_RULE_BYTES = 500 * 1024;

/** As google/robotstxt: eight times the longest URL of old browsers. Stops values of megabytes. */
const MAX_LINE_BYTES = 16_664;

/** Stops 300,000 short ones, a second of work; a walk follows 5,000 at most (sec-T01). */
const MAX_SITEMAP_LINES = 10_000;

type Directive = "user-agent" | "allow" | "disallow" | "crawl-delay" | "host" | "clean-param";

/** Lenient: the misspellings that google/robotstxt found often enough to understand, and their like. */
const directives: ReadonlyMap<string, Directive> = new Map([
  ["user-agent", "user-agent"],
  ["useragent", "user-agent"],
  ["user agent", "user-agent"],
  ["allow", "allow"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["crawl-delay", "crawl-delay"],
  ["crawldelay", "crawl-delay"],
  ["crawl delay", "crawl-delay"],
  ["host", "host"],
  ["clean-param", "clean-param"],
]);

/** Lenient: `Site-map`, `Sitemaps`, `Sitemap-news` (R03, R04, R44), but not `Google-Sitemap`. */
const sitemapKey = /^site-?maps?([-_ ]\w+)?$/;

/** Lenient: `Sitemap https://…`, where the first colon is the one of the URL (R06). */
const sitemapWithoutColon = /^(site-?maps?)\s+(?=https?:\/\/)/i;

const httpStart = /^https?:\/\//i;

/** What robots.txt calls otherwise than other documents. */
const ownCodes: Readonly<Partial<Record<IssueCode, IssueCode>>> = {
  "url.relative": "robots.relative-sitemap",
  "url.schemeless": "robots.schemeless",
  "url.decorated": "robots.decorated-value",
};

interface OpenGroup {
  readonly userAgents: string[];
  readonly rules: RobotsRule[];
  crawlDelay?: number;
}

class RobotsReader {
  readonly #strict: boolean;
  readonly #report: Report;
  readonly #isHtml: boolean;
  readonly #urls: UrlReader;
  readonly #sitemaps: SubSitemap[] = [];
  readonly #groups: OpenGroup[] = [];
  readonly #cleanParams: CleanParam[] = [];
  #host: string | undefined;
  /** The next User-agent line joins the last group: no rule has come since. */
  #isNamingAgents = false;
  #isTruncated = false;
  #sitemapLines = 0;
  /** Strict mode met an issue that costs the sitemap. */
  #isDropped = false;

  constructor(url: string, strict: boolean, report: Report, isHtml: boolean) {
    this.#strict = strict;
    this.#report = report;
    this.#isHtml = isHtml;
    // Not strict itself: what strict mode drops goes by the codes of robots.txt.
    this.#urls = new UrlReader(url, this.#reportUrl, { strict: false, escapeCode: "url.html-escaped" });
  }

  read(lines: Iterable<RobotsLine>): RobotsContent {
    for (const line of lines) {
      const isOver = this.#sitemapLines > MAX_SITEMAP_LINES && line.end > MAX_RULE_BYTES;
      if (isOver || line.end > MAX_ROBOTS_BYTES) {
        this.#truncate(line.number);
        break;
      }
      this.#line(line);
    }
    return {
      sitemaps: this.#sitemaps,
      groups: this.#groups,
      ...(this.#host !== undefined && { host: this.#host }),
      ...(this.#cleanParams.length > 0 && { cleanParams: this.#cleanParams }),
    };
  }

  #line(line: RobotsLine): void {
    // A line of an HTML page can be long without holding any record.
    const length = this.#isHtml ? line.text.length : line.bytes;
    if (length > MAX_LINE_BYTES) {
      if (!this.#isHtml && !/^\s*#/.test(line.text)) {
        this.#report("robots.line-too-long", line.text, line.number);
      }
      return;
    }
    const comment = line.text.indexOf("#");
    const text = trimUrl(comment < 0 ? line.text : line.text.slice(0, comment));
    if (text === "") return;
    if (/^[sh]/i.test(text) && this.#sitemapLine(text, line.number)) return;
    // Behind the last rule there are only Sitemap lines: 275,000 others need not be looked at (sec-T04).
    if (this.#isTruncated && line.end > MAX_RULE_BYTES) return;
    const record = splitRecord(text);
    if (!record || (this.#isHtml && !record.isPlain)) return;
    if (line.end > MAX_RULE_BYTES) this.#truncate(line.number);
    else this.#record(record.directive, record.value, line.number);
  }

  /** Whether the line, which starts like `Sitemap` or `https`, was about a sitemap, usable or not. */
  #sitemapLine(text: string, line: number): boolean {
    if (httpStart.test(text)) {
      this.#bareUrl(text, line);
      return true;
    }
    const joined = sitemapWithoutColon.exec(text);
    if (joined && !this.#isHtml) {
      this.#report("robots.missing-colon", text, line);
      if (joined[1]?.toLowerCase() !== "sitemap") this.#report("robots.key-typo", text, line);
      this.#sitemapValue(text.slice(joined[0].length), line);
      return true;
    }
    const colon = text.indexOf(":");
    if (colon < 0) return false;
    const key = trimUrl(text.slice(0, colon)).toLowerCase();
    const match = sitemapKey.exec(key);
    if (!match) return false;
    const value = trimUrl(text.slice(colon + 1));
    // `Sitemap-count: 5`
    if (match[1] && !httpStart.test(value)) return true;
    // The running text of a page: `Sitemap: see here`
    if (this.#isHtml && !/^(https?:)?\//i.test(value)) return true;
    if (key !== "sitemap") this.#report("robots.key-typo", text, line);
    this.#sitemapValue(value, line);
    return true;
  }

  /** Lenient: a URL alone on its line, if its path speaks of a sitemap (R28); not in strict mode. */
  #bareUrl(text: string, line: number): void {
    if (this.#strict || this.#isHtml || /\s/.test(text) || !URL.canParse(text)) return;
    if (!new URL(text).pathname.toLowerCase().includes("sitemap")) return;
    this.#report("robots.bare-url", text, line);
    this.#sitemap(text, line);
  }

  #sitemapValue(value: string, line: number): void {
    if (++this.#sitemapLines > MAX_SITEMAP_LINES) {
      this.#truncate(line);
      return;
    }
    if (value === "") {
      this.#report("robots.empty-value", undefined, line);
      return;
    }
    // Lenient: several URLs on one line (R17, R18). A comma or blank can be part of a single URL (R35).
    const pieces = value.split(/[\s,]+/).filter((piece) => piece !== "");
    if (pieces.length < 2 || !pieces.every((piece) => /^["'<]?https?:\/\//i.test(piece))) {
      this.#sitemap(value, line);
      return;
    }
    this.#report("robots.multiple-values", value, line);
    for (const piece of pieces) this.#sitemap(piece, line);
  }

  #sitemap(value: string, line: number): void {
    if (value.includes("*")) {
      this.#report("robots.wildcard-sitemap", value, line);
      return;
    }
    this.#isDropped = false;
    const url = this.#urls.resolve(value, "child", line);
    if (url === undefined || this.#isDropped) return;
    this.#sitemaps.push(url === value ? { url } : { url, urlText: value });
  }

  readonly #reportUrl: Report = (urlCode, value, line) => {
    const code = ownCodes[urlCode] ?? urlCode;
    if (this.#strict && strictActionOf(code) === "drop") this.#isDropped = true;
    this.#report(code, value, line);
  };

  #record(directive: Directive, value: string, line: number): void {
    const group = this.#groups.at(-1);
    switch (directive) {
      case "user-agent":
        if (this.#isNamingAgents && group) group.userAgents.push(value);
        else this.#groups.push({ userAgents: [value], rules: [] });
        this.#isNamingAgents = true;
        break;
      case "allow":
      case "disallow":
        // Only rules end a run of User-agent lines: other records may stand between them (R26).
        this.#isNamingAgents = false;
        group?.rules.push({ allow: directive === "allow", path: value, line });
        break;
      case "crawl-delay": {
        const seconds = readSeconds(value);
        if (group && seconds !== undefined) group.crawlDelay = Math.max(seconds, group.crawlDelay ?? 0);
        break;
      }
      case "host":
        if (value !== "") this.#host ??= value;
        break;
      case "clean-param":
        this.#cleanParam(value);
        break;
    }
  }

  #cleanParam(value: string): void {
    const [names = "", path] = value.split(/\s+/, 2);
    const parameters = names.split("&").filter((name) => name !== "");
    if (parameters.length > 0) this.#cleanParams.push({ parameters, ...(path !== undefined && { path }) });
  }

  #truncate(line: number): void {
    if (!this.#isTruncated) this.#report("robots.truncated", undefined, line);
    this.#isTruncated = true;
  }
}

interface RobotsRecord {
  readonly directive: Directive;
  readonly value: string;
  /** Of the kind that nothing else looks like, so that it counts even in an HTML page. */
  readonly isPlain: boolean;
}

/** `Disallow: /a`. Lenient: and `Disallow /a`, as google/robotstxt, when there are just these two words. */
function splitRecord(text: string): RobotsRecord | undefined {
  const colon = text.indexOf(":");
  if (colon >= 0) {
    const directive = directives.get(trimUrl(text.slice(0, colon)).toLowerCase());
    const isPlain = directive !== "host" && directive !== "clean-param";
    if (directive) return { directive, value: trimUrl(text.slice(colon + 1)), isPlain };
  }
  const [key = "", value, more] = text.split(/\s+/, 3);
  const directive = directives.get(key.toLowerCase());
  if (!directive || directive === "host" || value === undefined || more !== undefined) return undefined;
  return { directive, value, isPlain: false };
}

/** `10`, `0.5`; undefined for anything else (`-1`, `1e9`, `NaN`). */
function readSeconds(value: string): number | undefined {
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value)) return undefined;
  const seconds = Number(value);
  return Number.isFinite(seconds) ? seconds : undefined;
}
