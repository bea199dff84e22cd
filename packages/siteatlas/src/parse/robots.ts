/**
 * Reads robots.txt: its Sitemap lines, its groups of rules (RFC 9309), Crawl-delay, and Yandex' Host and
 * Clean-param. What a line means is decided here; lines and tags are cut in robots-lines.ts, rules are
 * applied in robots-match.ts, bytes are decoded before.
 *
 * Sitemap lines are written by hand and wrong in many ways: each one that has a single sensible reading
 * is understood and reported. Rules are taken as google/robotstxt takes them.
 */
import { IssueLog, type Report } from "../issue-log.ts";
import type { IssueCode } from "../issues.ts";
import { fillLimits, PARSE_LIMITS, type ParseLimits } from "../limits.ts";
import type { Issue, SubSitemap } from "../model.ts";
import { given } from "./given.ts";
import { linesWithoutTags, type RobotsLine, robotsLines, robotsSize } from "./robots-lines.ts";
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
  readonly limits?: ParseLimits;
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
  const limits = fillLimits(PARSE_LIMITS, options.limits);
  const log = new IssueLog(url, strict, limits.issues);
  const { sitemaps, ...content } = readRobots(text, { url, strict, limits, report: log.report });
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
  readonly limits?: Required<ParseLimits>;
}

/** Reads robots.txt for a caller that keeps its own issues. */
export function readRobots(text: string, source: RobotsSource): RobotsContent {
  // A page that does not hold a robots.txt has no line that starts like one, and gives nothing (R29, R30).
  const isHtml = /^\s*</.test(text);
  if (isHtml) source.report("robots.html");
  return new RobotsReader(source, isHtml).read(text);
}

/** Stops 300,000 short ones, a second of work; a walk follows 5,000 at most (sec-T01). */
const MAX_SITEMAP_LINES = 10_000;

type Directive = "user-agent" | "allow" | "disallow" | "crawl-delay" | "host" | "clean-param";

/** Lenient: the misspellings that google/robotstxt found often enough to understand, and their like. */
const directives: readonly (readonly [spelling: RegExp, directive: Directive])[] = [
  [/^(?:diss?all?ow|diasllow|disallaw)$/, "disallow"],
  [/^allow$/, "allow"],
  [/^user[- ]?agent$/, "user-agent"],
  [/^crawl[- ]?delay$/, "crawl-delay"],
  [/^host$/, "host"],
  [/^clean-param$/, "clean-param"],
];

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
  readonly #source: RobotsSource;
  readonly #limits: Required<ParseLimits>;
  readonly #isHtml: boolean;
  readonly #urls: UrlReader;
  readonly #sitemaps: SubSitemap[] = [];
  readonly #groups: OpenGroup[] = [];
  readonly #cleanParams: CleanParam[] = [];
  #host: string | undefined;
  /** The line that is being read, from 1. */
  #number = 0;
  /** The next User-agent line joins the last group: no rule has come since. */
  #isNamingAgents = false;
  #isTruncated = false;
  #sitemapLines = 0;

  constructor(source: RobotsSource, isHtml: boolean) {
    const { url, strict, report, limits = PARSE_LIMITS } = source;
    this.#source = source;
    this.#limits = limits;
    this.#isHtml = isHtml;
    const { urlLength } = limits;
    this.#urls = new UrlReader(url, report, {
      strict,
      escapeCode: "url.html-escaped",
      urlLength,
      codes: ownCodes,
    });
  }

  read(text: string): RobotsContent {
    const { strict, cut = false } = this.#source;
    const whole = cut ? text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1) : text;
    const most = robotsSize(this.#limits);
    const lines = robotsLines(whole, strict, most);
    for (const line of this.#isHtml ? linesWithoutTags(lines) : lines) {
      this.#number = line.number;
      const isOver = this.#sitemapLines > MAX_SITEMAP_LINES && line.end > this.#limits.robotsBytes;
      if (isOver || line.end > most) {
        this.#truncate();
        break;
      }
      this.#line(line);
    }
    return given({
      sitemaps: this.#sitemaps,
      groups: this.#groups,
      host: this.#host,
      cleanParams: this.#cleanParams.length > 0 ? this.#cleanParams : undefined,
    });
  }

  #tell(code: IssueCode, value?: string): void {
    this.#source.report(code, value, this.#number);
  }

  #truncate(): void {
    if (!this.#isTruncated) this.#tell("robots.truncated");
    this.#isTruncated = true;
  }

  #line(line: RobotsLine): void {
    // A line of an HTML page can be long without holding any record.
    const length = this.#isHtml ? line.text.length : line.bytes;
    if (length > this.#limits.robotsLineBytes) {
      if (!this.#isHtml && !/^\s*#/.test(line.text)) this.#tell("robots.line-too-long", line.text);
      return;
    }
    const comment = line.text.indexOf("#");
    const text = trimUrl(comment < 0 ? line.text : line.text.slice(0, comment));
    if (text === "") return;
    if (/^[sh]/i.test(text) && this.#sitemapLine(text)) return;
    // Behind the last rule there are only Sitemap lines: 275,000 others need not be looked at (sec-T04).
    const isBehindRules = line.end > this.#limits.robotsBytes;
    if (this.#isTruncated && isBehindRules) return;
    const record = splitRecord(text);
    if (!record || (this.#isHtml && !record.isPlain)) return;
    if (isBehindRules) this.#truncate();
    else this.#record(record.directive, record.value);
  }

  /** Whether the line, which starts like `Sitemap` or `https`, was about a sitemap, usable or not. */
  #sitemapLine(text: string): boolean {
    if (httpStart.test(text)) {
      this.#bareUrl(text);
      return true;
    }
    const joined = sitemapWithoutColon.exec(text);
    if (joined && !this.#isHtml) {
      this.#tell("robots.missing-colon", text);
      if (joined[1]?.toLowerCase() !== "sitemap") this.#tell("robots.key-typo", text);
      this.#sitemapValue(text.slice(joined[0].length));
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
    if (key !== "sitemap") this.#tell("robots.key-typo", text);
    this.#sitemapValue(value);
    return true;
  }

  /** Lenient: a URL alone on its line, if its path speaks of a sitemap (R28); not in strict mode. */
  #bareUrl(text: string): void {
    if (this.#source.strict || this.#isHtml || /\s/.test(text) || !URL.canParse(text)) return;
    if (!new URL(text).pathname.toLowerCase().includes("sitemap")) return;
    this.#tell("robots.bare-url", text);
    this.#sitemap(text);
  }

  #sitemapValue(value: string): void {
    if (++this.#sitemapLines > MAX_SITEMAP_LINES) return this.#truncate();
    if (value === "") return this.#tell("robots.empty-value");
    // Lenient: several URLs on one line (R17, R18). A comma or blank can be part of a single URL (R35).
    const pieces = value.split(/[\s,]+/).filter(Boolean);
    if (pieces.length < 2 || !pieces.every((piece) => /^["'<]?https?:\/\//i.test(piece))) {
      this.#sitemap(value);
      return;
    }
    this.#tell("robots.multiple-values", value);
    for (const piece of pieces) this.#sitemap(piece);
  }

  #sitemap(value: string): void {
    if (value.includes("*")) return this.#tell("robots.wildcard-sitemap", value);
    const url = this.#urls.resolve(value, "child", this.#number);
    if (url !== undefined) this.#sitemaps.push(url === value ? { url } : { url, urlText: value });
  }

  #record(directive: Directive, value: string): void {
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
        group?.rules.push({ allow: directive === "allow", path: value, line: this.#number });
        break;
      case "crawl-delay": {
        const seconds = readSeconds(value);
        if (group && seconds !== undefined) group.crawlDelay = Math.max(seconds, group.crawlDelay ?? 0);
        break;
      }
      case "host":
        if (value !== "") this.#host ??= value;
        break;
      case "clean-param": {
        const [names = "", path] = value.split(/\s+/, 2);
        const parameters = names.split("&").filter(Boolean);
        if (parameters.length > 0) this.#cleanParams.push(given({ parameters, path }));
      }
    }
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
    const directive = directiveOf(trimUrl(text.slice(0, colon)));
    const isPlain = directive !== "host" && directive !== "clean-param";
    if (directive) return { directive, value: trimUrl(text.slice(colon + 1)), isPlain };
  }
  const [key = "", value, more] = text.split(/\s+/, 3);
  const directive = directiveOf(key);
  if (!directive || directive === "host" || value === undefined || more !== undefined) return undefined;
  return { directive, value, isPlain: false };
}

function directiveOf(key: string): Directive | undefined {
  const written = key.toLowerCase();
  return directives.find(([spelling]) => spelling.test(written))?.[1];
}

/** `10`, `0.5`; undefined for anything else (`-1`, `1e9`, `NaN`). */
function readSeconds(value: string): number | undefined {
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value)) return undefined;
  const seconds = Number(value);
  return Number.isFinite(seconds) ? seconds : undefined;
}
