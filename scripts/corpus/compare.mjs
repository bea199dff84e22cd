/**
 * Runs documents through siteatlas and through the independent readers, and counts: equal, different, and the class of
 * each difference. A class says why siteatlas is right to differ. A difference without a class is unexplained.
 */
import { verdictClass } from "./robots-classes.mjs";
import { createVerdict, readRobots, rulesFor } from "./second-robots.mjs";
import {
  absoluteUrl,
  decodeText,
  findLocations,
  readFeed,
  readJsonFeed,
  readSitemap,
} from "./second-xml.mjs";
import { urlDifferences } from "./url-classes.mjs";

/** @typedef {Pick<typeof import("siteatlas/parse"), "parseSitemap" | "parseRobotsTxt" | "parseDate">} Library */
/** @typedef {"sitemaps" | "feeds" | "robots"} Kind */
/** @typedef {import("./url-classes.mjs").Difference} Difference */
/** @typedef {Record<string, number>} Counts */

/** @type {readonly Kind[]} */
export const KINDS = ["sitemaps", "feeds", "robots"];

/** The user agents whose verdicts are compared: one that many files name, and one that none does. */
const AGENTS = ["Googlebot", "examplebot"];

/** Maximum number of unexplained differences that a table keeps. */
const MAX_KEPT = 1000;

class Table {
  equal = 0;
  different = 0;
  /** Documents or verdicts per class. A document may have several classes. @type {Counts} */
  classes = {};
  unexplained = 0;
  /** The first unexplained differences. @type {string[]} */
  details = [];

  /** @param {readonly Difference[]} differences of one document or verdict */
  add(differences) {
    if (differences.length === 0) this.equal++;
    else this.different++;
    for (const [cls, detail] of differences) {
      if (cls !== undefined) continue;
      this.unexplained++;
      if (this.details.length < MAX_KEPT) this.details.push(detail);
    }
    for (const cls of new Set(differences.map(([name]) => name))) {
      if (cls !== undefined) count(this.classes, cls);
    }
  }
}

export class Comparison {
  documents = 0;
  tables = {
    "sitemaps: htmlparser2": new Table(),
    "sitemaps: regular expression": new Table(),
    "feeds: htmlparser2": new Table(),
    "robots.txt: Sitemap lines": new Table(),
    "robots.txt: verdicts": new Table(),
  };
  /** Documents per kind and issue code: `feeds date.format`. @type {Counts} */
  issues = {};
  /** Dates that parse, and the others by issue code and shape. */
  dates = { parsed: 0, unparsed: 0, /** @type {Counts} */ rest: {} };
  #library;

  /** @param {Library} library */
  constructor(library) {
    this.#library = library;
  }

  /** @param {Kind} kind @param {string} name @param {Uint8Array} bytes */
  async add(kind, name, bytes) {
    this.documents++;
    if (kind === "robots") this.#addRobots(name, bytes);
    else await this.#addSitemap(kind, name, bytes);
  }

  /** @param {"sitemaps" | "feeds"} kind @param {string} name @param {Uint8Array} bytes */
  async #addSitemap(kind, name, bytes) {
    const url = `https://www.example.com/${name}`;
    const sitemap = await this.#library.parseSitemap(bytes, { url, limits: { issues: 100_000 } });
    const codes = codesOf(sitemap.issues);
    if (sitemap.kind === "invalid" && !codes.includes(sitemap.code)) codes.push(sitemap.code);
    this.#countIssues(kind, codes);
    const ours = [...sitemap.pages, ...sitemap.subSitemaps].map((entry) => entry.url);
    const text = decodeText(bytes);
    const reading = { name, text, ours, codes };
    if (kind === "sitemaps") {
      const { urls, dates } = readSitemap(text, url);
      this.tables["sitemaps: htmlparser2"].add(urlDifferences({ ...reading, theirs: urls }));
      const located = findLocations(text, url);
      this.tables["sitemaps: regular expression"].add(urlDifferences({ ...reading, theirs: located }));
      this.#countDates(dates, "sitemap");
    } else {
      const { urls, dates } = name.endsWith(".json") ? readJsonFeed(text, url) : readFeed(text, url);
      this.tables["feeds: htmlparser2"].add(urlDifferences({ ...reading, theirs: urls }));
      this.#countDates(dates, "feed");
    }
  }

  /** The file is named after its host, or ends in `.txt`. @param {string} name @param {Uint8Array} bytes */
  #addRobots(name, bytes) {
    const url = `https://${name.endsWith(".txt") ? "www.example.com" : name.replace(/_\d+$/, "")}/robots.txt`;
    const text = decodeText(bytes);
    const ours = this.#library.parseRobotsTxt(text, { url });
    const codes = codesOf(ours.issues);
    this.#countIssues("robots", codes);
    const second = readRobots(text);
    const theirs = second.sitemaps.flatMap((written) => absoluteUrl(written, url) ?? []);
    this.tables["robots.txt: Sitemap lines"].add(
      urlDifferences({ name, text, ours: ours.sitemaps, theirs, codes }),
    );
    const paths = new Set(
      [...ours.groups, ...second.groups].flatMap(({ rules }) => rules.map(({ path }) => path)),
    );
    const targets = [...paths].flatMap(targetsOf).filter((target) => URL.canParse(target, url));
    let known = "";
    for (const agent of AGENTS) {
      const rules = rulesFor(second, agent);
      // Most files have the same rules for both.
      if (JSON.stringify(rules) === known) continue;
      known = JSON.stringify(rules);
      const verdict = createVerdict(rules);
      for (const target of targets) {
        const parsed = new URL(target, url);
        const our = ours.isAllowed(parsed.href, agent);
        const detail = `${name}: ${agent}, ${target}: siteatlas ${our ? "allows" : "disallows"} it`;
        this.tables["robots.txt: verdicts"].add(
          verdict(parsed) === our ? [] : [[verdictClass({ text, url: parsed, our, agent }), detail]],
        );
      }
    }
  }

  /** @param {Kind} kind @param {readonly string[]} codes */
  #countIssues(kind, codes) {
    for (const code of codes) count(this.issues, `${kind} ${code}`);
  }

  /** @param {readonly string[]} dates @param {"sitemap" | "feed"} context */
  #countDates(dates, context) {
    for (const text of dates) {
      const { value, codes } = this.#library.parseDate(text, { context });
      if (value !== undefined) this.dates.parsed++;
      else {
        this.dates.unparsed++;
        count(this.dates.rest, `${codes[0]} ${shapeOf(text)}`);
      }
    }
  }
}

/** @param {Counts} counts @param {string} key */
function count(counts, key) {
  counts[key] = (counts[key] ?? 0) + 1;
}

/** @param {readonly { readonly code: string }[]} issues */
function codesOf(issues) {
  return [...new Set(issues.map(({ code }) => code))];
}

/** URLs for the path of a rule: without wildcards, and with a suffix. @param {string} path */
function targetsOf(path) {
  const plain = path.replaceAll("*", "x").replace(/\$$/, "");
  return plain.startsWith("/") ? [plain, `${plain}suffix`] : [];
}

/** Digits as 9, letters as A and a: `Aaa, 99 Aaa 9999`. @param {string} text */
function shapeOf(text) {
  return text
    .slice(0, 40)
    .replace(/\d/g, "9")
    .replace(/\p{Lu}/gu, "A")
    .replace(/[\p{Ll}\p{Lo}]/gu, "a");
}
