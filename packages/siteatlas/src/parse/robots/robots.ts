/**
 * Parses robots.txt: Sitemap lines, groups of rules (RFC 9309), Crawl-delay, and Yandex' Host and
 * Clean-param. Lines are split in robots-lines.ts, rules are applied in robots-match.ts.
 *
 * Sitemap lines are written by hand and have many mistakes. A line with a single sensible meaning is accepted and
 * reported. Rules are read as google/robotstxt reads them.
 */

import { FAST } from "#shortcuts";
import { writtenText } from "../../escape/userinfo.ts";
import { fillLimits } from "../../model/fill-limits.ts";
import { type FilledLimits, PARSE_LIMITS, type ParseLimits } from "../../model/generated/limits.ts";
import { IssueLog, type Report } from "../../model/issue-log.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { Issue, SubSitemap } from "../../model/model.ts";
import { omitUndefined } from "../../model/omit-undefined.ts";
import { checkParseOptions, checkText, type UrlObject, urlText } from "../values/option-rules.ts";
import { parseUrl } from "../values/parse-url.ts";
import { FILE_NAME, trimUrl, UrlReader } from "../values/url.ts";
import {
  linesWithoutTags,
  type RobotsLine,
  robotsLines,
  robotsSize,
  type WantedLines,
} from "./robots-lines.ts";
import {
  createRobotsMatcher,
  type RobotsGroup,
  type RobotsMatcher,
  type RobotsRule,
} from "./robots-match.ts";

export type { RobotsGroup, RobotsRule } from "./robots-match.ts";

/** A parsed robots.txt. */
export interface RobotsTxt extends Omit<RobotsContent, "sitemaps">, RobotsMatcher {
  /** URL of the robots.txt. Empty if the options contain no URL. */
  readonly url: string;
  /** Sitemap URLs in file order, each once. */
  readonly sitemaps: readonly string[];
  /** The issues of the file, at most 100 (see `limits.issues`). */
  readonly issues: readonly Issue[];
  /** Number of all issues, including those that are not in `issues`. */
  readonly issueCount: number;
}

/** A Clean-param line, such as `Clean-param: ref&utm_source /shop/`. */
export interface CleanParam {
  /** Names of the query parameters. */
  readonly parameters: readonly string[];
  /** Prefix of the affected paths. Absent if all paths are affected. */
  readonly path?: string;
}

/** Options of `parseRobotsTxt`, all optional. */
export interface RobotsTxtOptions {
  /** URL of the robots.txt: the base of relative sitemap URLs. @default "" */
  readonly url?: string | UrlObject | undefined;
  /** Accept only CR and LF as line ends, and ignore a URL alone on its line. @default false */
  readonly strict?: boolean | undefined;
  /** Limits of the file, such as `robotsBytes`. @default see `ParseLimits` */
  readonly limits?: ParseLimits | undefined;
}

/** The content of a robots.txt before groups are merged and repeated sitemaps are dropped. */
export interface RobotsContent {
  /** Sitemaps in file order, with repetitions. */
  readonly sitemaps: readonly SubSitemap[];
  /** Groups as written. Groups of the same crawler are not merged. */
  readonly groups: readonly RobotsGroup[];
  /** Yandex: the main mirror of the site. */
  readonly host?: string;
  /** Yandex: query parameters that do not change the page. */
  readonly cleanParams?: readonly CleanParam[];
}

/** Parses the text of a robots.txt. Never throws because of the text. */
export function parseRobotsTxt(text: string, options: RobotsTxtOptions = {}): RobotsTxt {
  checkText("parseRobotsTxt", "text", text);
  checkParseOptions("parseRobotsTxt", options, false);
  const { strict = false } = options;
  const url = urlText(options.url);
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
  /**
   * Whether the text is incomplete. If it is, a last line without a line end is dropped, because it may be half a URL.
   */
  readonly cut?: boolean;
  readonly limits?: FilledLimits<ParseLimits>;
}

/** Like `parseRobotsTxt`, for a caller with its own issue log. Does not create a matcher. */
export function readRobots(text: string, source: RobotsSource): RobotsContent {
  // Also read an HTML page, because it may contain a robots.txt. In other HTML pages, no line starts like a record
  // (R29, R30).
  const isHtml = /^\s*</.test(text);
  // Report an HTML page. HTML comments alone, at the start of a robots.txt, are not reported (R51).
  if (/^\s*</.test(text.replace(/^(\s*<!--.*?-->)+/s, ""))) source.report("robots.html");
  return new RobotsReader(source, isHtml).read(text);
}

/**
 * Maximum number of Sitemap lines. Stops 300,000 short URLs, which take a second. A walk follows at most 5,000
 * (sec-T01).
 */
const MAX_SITEMAP_VALUES = 10_000;

type Directive = "user-agent" | "allow" | "disallow" | "crawl-delay" | "host" | "clean-param";

/**
 * Lenient: misspellings that google/robotstxt and crawler-commons accept because they are frequent: `dissallow`,
 * `desallow`, `dsallow`, `diasllow`, `useragent`, `useg-agent`, `ser-agent`, `crawl delay` (R50).
 */
const spellings: readonly (readonly [RegExp, Directive])[] = [
  [/^d[ei]?(s+a|as)ll?[ao]w$/, "disallow"],
  [/^(use[rg]|ser)[- ]?agent$/, "user-agent"],
  [/^crawl[- ]?delay$/, "crawl-delay"],
  [/^allow$/, "allow"],
  [/^host$/, "host"],
  [/^clean-param$/, "clean-param"],
];

/**
 * In Node, lines without a colon are reported only in the first bytes of the file. This is the number of these bytes.
 * After them, most lines without a colon are skipped (sec-T01).
 */
const MAX_REPORTED_BYTES = 60_000;

/** Lenient: also matches `Site-map`, `Sitemaps`, `Sitemap-news` and `Video Sitemap` (R03, R04, R44, R47). */
const sitemapKey = /^([\w -]*[-_ ])?site-?maps?([-_ ]\w+)?$/;

/** Lenient: matches `Sitemap https://…`, where the first colon belongs to the URL (R06). */
const sitemapWithoutColon = /^(site-?maps?)\s+(?=https?:\/\/)/i;

const httpStart = /^https?:\/\//i;

/** Issue codes that have another name in robots.txt. Keys are the usual codes. */
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
  readonly #limits: FilledLimits<ParseLimits>;
  readonly #isHtml: boolean;
  readonly #urls: UrlReader;
  readonly #sitemaps: SubSitemap[] = [];
  readonly #groups: OpenGroup[] = [];
  readonly #cleanParams: CleanParam[] = [];
  #host: string | undefined;
  /** Number of the current line, from 1. */
  #number = 0;
  #group: OpenGroup | undefined;
  /**
   * The group that gets the next Crawl-delay: `#group`, or a separate group for the agents that were named after the
   * last Crawl-delay.
   */
  #delayed: OpenGroup | undefined;
  /** Whether the next User-agent line joins the last group, because no rule has followed yet. */
  #isNamingAgents = false;
  #isTruncated = false;
  #sitemapValues = 0;

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
    const { robotsBytes } = this.#limits;
    const wanted: WantedLines | undefined =
      // Do not skip lines of an HTML page, because a tag may start in any of them.
      FAST && !this.#isHtml
        ? {
            longest: this.#limits.robotsLineBytes,
            allUpTo: MAX_REPORTED_BYTES,
            // After the first `robotsBytes` bytes, only Sitemap lines matter (sec-T04).
            onlySitemaps: (end) => this.#isTruncated && end > robotsBytes,
          }
        : undefined;
    const lines = robotsLines(whole, strict, most, wanted);
    for (const line of this.#isHtml ? linesWithoutTags(lines) : lines) {
      this.#number = line.number;
      const isOver = this.#sitemapValues > MAX_SITEMAP_VALUES && line.end > robotsBytes;
      if (isOver || line.end > most) {
        this.#truncate();
        break;
      }
      this.#line(line);
    }
    return omitUndefined({
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
    // In an HTML page, only the text without tags counts, and a line that is too long is not an issue.
    const length = this.#isHtml ? line.text.length : line.bytes;
    if (length > this.#limits.robotsLineBytes) {
      if (!this.#isHtml && !/^\s*#/.test(line.text)) this.#tell("robots.line-too-long", line.text);
      return;
    }
    const comment = line.text.indexOf("#");
    const text = trimUrl(comment < 0 ? line.text : line.text.slice(0, comment));
    if (text === "") return;
    if (/^h|map/i.test(text) && this.#sitemapLine(text)) return;
    const isBehindRules = line.end > this.#limits.robotsBytes;
    if (this.#isTruncated && isBehindRules) return;
    const record = splitRecord(text);
    if (this.#isHtml && !record?.isPlain) return;
    // Report a line without a colon. A line with a colon may have any other name: RFC 9309, section 2.2.4.
    if (!text.includes(":") && (!FAST || line.end <= MAX_REPORTED_BYTES)) {
      this.#tell("robots.missing-colon", text);
    }
    if (!record) return;
    if (isBehindRules) this.#truncate();
    else {
      if (record.isTypo) this.#tell("robots.key-typo", text);
      if (!this.#record(record.directive, record.value)) this.#tell("robots.ignored-line", text);
    }
  }

  /** Handles a line with `Sitemap` or `https`. Returns whether it was about a sitemap. */
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
    // Ignore lines such as `Sitemap-count: 5`.
    if ((match[1] ?? match[2]) && !httpStart.test(value)) return true;
    // Ignore text of an HTML page such as `Sitemap: see here`.
    if (this.#isHtml && !/^(https?:)?\//i.test(value)) return true;
    if (key !== "sitemap") this.#tell("robots.key-typo", text);
    this.#sitemapValue(value);
    return true;
  }

  /** Lenient: except in strict mode, accepts a URL alone on its line, if its path looks like a sitemap (R28). */
  #bareUrl(text: string): void {
    if (this.#source.strict || this.#isHtml || /\s/.test(text)) return;
    const sitemap = /sitemap/i;
    if (!sitemap.test(text) || !sitemap.test(parseUrl(text)?.pathname ?? "")) return;
    this.#tell("robots.bare-url", text);
    this.#sitemap(text);
  }

  #sitemapValue(value: string): void {
    if (value === "") return this.#tell("robots.empty-value");
    // Lenient: accepts several URLs on one line (R17, R18). But a comma or a space may also be part of one URL (R35).
    const pieces = value.split(/[\s,]+/).filter(Boolean);
    if (pieces.length < 2 || !pieces.every((piece) => /^["'<]?https?:\/\//i.test(piece))) {
      this.#sitemap(value);
      return;
    }
    this.#tell("robots.multiple-values", value);
    for (const piece of pieces) this.#sitemap(piece);
  }

  #sitemap(value: string): void {
    if (++this.#sitemapValues > MAX_SITEMAP_VALUES) return this.#truncate();
    if (value.includes("*")) return this.#tell("robots.wildcard-sitemap", value);
    const url = this.#urls.resolve(withoutEmptyHost(value), "child", this.#number);
    if (url !== undefined) this.#sitemaps.push(omitUndefined({ url, urlText: writtenText(url, value) }));
  }

  /**
   * Handles a User-agent line. Rules belong to all agents of consecutive User-agent lines. A Crawl-delay between these
   * lines belongs only to the agents that were named since the last Crawl-delay (R49). Such agents get a second group,
   * without rules.
   */
  #userAgent(name: string): void {
    const group = this.#group;
    if (!group || !this.#isNamingAgents) {
      this.#group = this.#delayed = { userAgents: [name], rules: [] };
      this.#groups.push(this.#group);
    } else {
      const { crawlDelay } = this.#delayed!;
      if (crawlDelay !== undefined) {
        if (this.#delayed === group) {
          this.#groups.push({ userAgents: [...group.userAgents], rules: [], crawlDelay });
          delete group.crawlDelay;
        }
        this.#delayed = { userAgents: [], rules: [] };
      }
      group.userAgents.push(name);
      if (this.#delayed !== group) this.#delayed!.userAgents.push(name);
    }
    this.#isNamingAgents = true;
  }

  /** Handles a record. Returns a value that is not truthy if the record has no effect, which is a mistake of the site. */
  #record(directive: Directive, value: string): unknown {
    switch (directive) {
      case "user-agent":
        this.#userAgent(value);
        return value;
      case "allow":
      case "disallow":
        // Only rules end a run of User-agent lines: other records may be between them (R26).
        this.#isNamingAgents = false;
        // A rule belongs to the User-agent lines before it (RFC 9309, section 2.1). Without such a line, it has no effect.
        return this.#group?.rules.push({ allow: directive === "allow", path: value, line: this.#number });
      case "crawl-delay": {
        // Accepts `10` and `0.5`, but not `-1`, `1e9` or `10s`.
        const seconds = Number(value);
        const group = this.#delayed;
        if (!group || !/^[\d.]+$/.test(value) || !Number.isFinite(seconds)) return;
        if (group !== this.#group && group.crawlDelay === undefined) this.#groups.push(group);
        group.crawlDelay = Math.max(seconds, group.crawlDelay ?? 0);
        return directive;
      }
      case "host":
        this.#host ||= value || undefined;
        return value;
      case "clean-param": {
        const [names = "", path] = value.split(/\s+/, 2);
        const parameters = names.split("&").filter(Boolean);
        return parameters[0] && this.#cleanParams.push(omitUndefined({ parameters, path }));
      }
    }
  }
}

/**
 * Lenient: `https:///sitemap.xml` and `http://sitemap.xml` have no host, so they are read as paths on the host of the
 * robots.txt (R48).
 */
function withoutEmptyHost(value: string): string {
  const [, slashes, path, host = ""] = /^https?:\/\/(\/*)(([^/?#:]+).*)/i.exec(value) ?? [];
  return FILE_NAME.test(host) || (slashes && !host.includes(".")) ? `/${path}` : value;
}

interface RobotsRecord {
  readonly directive: Directive;
  readonly value: string;
  /**
   * Whether the line can only be a record: it has a colon, and its key is neither `Host` nor `Clean-param`. In an HTML
   * page, all other lines are ignored.
   */
  readonly isPlain: boolean;
  /** Whether the key, the text before the colon, is misspelled. */
  readonly isTypo: boolean;
}

/**
 * Parses a record such as `Disallow: /a`. Lenient: also accepts `Disallow /a` if the line has exactly two words, as
 * google/robotstxt does.
 */
function splitRecord(text: string): RobotsRecord | undefined {
  const colon = text.indexOf(":");
  if (colon >= 0) {
    const record = recordOf(text.slice(0, colon), text.slice(colon + 1), true);
    if (record) return record;
  }
  const [, key = "", value = ""] = /^(\S+)\s+(\S+)$/.exec(text) ?? [];
  const record = recordOf(key, value, false);
  return record?.directive === "host" ? undefined : record;
}

function recordOf(written: string, value: string, hasColon: boolean): RobotsRecord | undefined {
  const key = trimUrl(written).toLowerCase();
  const directive = spellings.find(([spelling]) => spelling.test(key))?.[1];
  return (
    directive && {
      directive,
      value: trimUrl(value),
      isPlain: hasColon && directive !== "host" && directive !== "clean-param",
      isTypo: key !== directive,
    }
  );
}
