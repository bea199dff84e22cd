/**
 * `siteatlas find`: shows where the sitemaps of a site are, and how they were found. Each sitemap is requested to check
 * that it is a sitemap, but read only up to its first page. Sitemaps that an index lists are not requested.
 */
import { terminalText } from "../../escape/terminal.ts";
import type { SitemapOrigin, WalkEvent, WalkedSitemap } from "../../walk/events/events.ts";
import type { WalkOptions } from "../../walk/options.ts";
import type { Command, Run } from "../command.ts";
import type { Target } from "../config/target.ts";
import { failureWord } from "../messages/failure-texts.ts";
import { RunCounts } from "../messages/run-counts.ts";
import type { TextOutput } from "../output/buffered-output.ts";
import { chooseTextFormat, outputFile } from "../output/choose-format.ts";
import { endOutput, withTextOutput } from "../output/finish-output.ts";
import { createJsonRecords, type JsonRecords } from "../output/json-records.ts";
import type { TreeNode } from "../render/draw-tree.ts";
import { cellWidth, padEnd } from "../terminal/cell-width.ts";
import { count, number } from "../terminal/format-text.ts";
import { type Paint, paintFor } from "../terminal/style.ts";
import { createSitemapFilter, isRobotsPlace } from "../walk/sitemap-filter.ts";
import { sitemapRecord } from "../walk/sitemap-record.ts";
import { SitemapTree } from "../walk/sitemap-tree.ts";
import { conclude, walkSites } from "../walk/walk-sites.ts";

const WAYS: Readonly<Record<Exclude<SitemapOrigin, "sitemap">, string>> = {
  given: "given URL",
  robots: "robots.txt line",
  known: "known location",
  homepage: "homepage link",
  llms: "llms.txt",
};

type Way = keyof typeof WAYS;

const PLACES: Readonly<Record<Way, string>> = {
  given: "given",
  robots: "in robots.txt",
  known: "at known locations",
  homepage: "on the homepage",
  llms: "at llms.txt",
};

interface Found {
  readonly node: TreeNode;
  readonly way: Way;
}

export const find: Command = async (run) => {
  const format = chooseTextFormat(run, "tsv");
  return withTextOutput(run, async (output) => {
    const runCounts = new RunCounts();
    const ways: Record<Way, number> = { given: 0, robots: 0, known: 0, homepage: 0, llms: 0 };
    const records = format === "text" ? undefined : createJsonRecords(output, format);
    const write = records === undefined ? tableWriter(run, output) : jsonWriter(records);
    const filter = createSitemapFilter(run.settings);
    /** The sites that are being searched. */
    const sites = new Map<Target, SitemapTree>();
    const siteEnd = async (target: Target): Promise<void> => {
      const list = foundIn(sites.get(target));
      sites.delete(target);
      for (const { node, way } of list) if (node.sitemap.outcome === "found") ways[way]++;
      if (list.length > 0) await write(list, target);
    };
    await walkSites(run, {
      runCounts,
      mapEvent: withoutOwnCut(),
      describe: describeLook(),
      optionsFor: (target, options) => {
        const tree = new SitemapTree();
        sites.set(target, tree);
        return {
          ...lookOnly(options),
          recurseListCallback: (urls, level, parentUrls) => {
            if (!isRobotsPlace(level, parentUrls)) return [];
            tree.declare(urls, parentUrls);
            return filter?.recurseListCallback(urls, level, parentUrls) ?? urls;
          },
        };
      },
      handlers: {
        sitemap: (sitemap, target) => sites.get(target)?.addSitemap(sitemap),
        issue: (issue, target) => sites.get(target)?.addIssue(issue),
        siteEnd,
      },
    });
    // After an interrupt, write the sitemaps that were found on unfinished sites.
    for (const target of [...sites.keys()]) await siteEnd(target);
    await records?.end();
    await endOutput(run, output, runCounts);
    return conclude(run, runCounts, foundLine(ways, runCounts));
  });
};

/**
 * The sitemaps of a site in this order: those that the user gave, those of robots.txt, known locations, homepage links.
 */
function foundIn(tree: SitemapTree | undefined): Found[] {
  return (tree?.roots() ?? []).flatMap((node): Found[] => {
    const { source } = node.sitemap;
    if (source !== "robots" && source !== "sitemap") return [{ node, way: source }];
    return node.children
      .filter(({ sitemap }) => sitemap.outcome !== "skipped")
      .map((child) => ({ node: child, way: "robots" }));
  });
}

/**
 * The options of the walk. Each sitemap is read only up to its first page. The homepage is read, unless the options say
 * otherwise.
 */
function lookOnly(options: WalkOptions): WalkOptions {
  return {
    useHomepageLinks: true,
    ...options,
    limits: { ...options.limits, urlsPerSitemap: 1 },
  };
}

/** Codes of issues that can be a consequence of reading only one page per sitemap. */
const CUT_CODES: ReadonlySet<string> = new Set(["limit.urls", "xml.truncated", "gzip.truncated"]);

/**
 * Creates a function that removes `partial` and issues from events if they are there only because `find` reads one page
 * per sitemap.
 */
function withoutOwnCut(): (event: WalkEvent) => WalkEvent | undefined {
  /** Sitemaps that reached the limit of one page. More issues about their end may follow. */
  const left = new Set<string>();
  return (event) => {
    if (event.kind === "page") return undefined;
    if (event.kind === "issue") {
      const { code, url } = event.issue;
      if (code === "limit.urls") left.add(url);
      return left.has(url) && CUT_CODES.has(code) ? undefined : event;
    }
    const { partial, issueCounts = {}, ...sitemap } = event.sitemap;
    const isLeft = left.delete(sitemap.url);
    if (!partial || !isLeft) return event;
    const counts = Object.entries(issueCounts).filter(([code]) => !CUT_CODES.has(code));
    return { kind: "sitemap", sitemap: { ...sitemap, issueCounts: Object.fromEntries(counts) } };
  };
}

/**
 * Creates the function that describes a sitemap for `-v`. It shows the format, but not the number of pages, which is
 * unknown. For sitemaps that `find` itself skips, it shows nothing.
 */
function describeLook(): (sitemap: WalkedSitemap) => string | null {
  /**
   * URLs of robots.txt after redirects. The event of robots.txt comes before the events of the sitemaps that it lists.
   */
  const robotsUrls = new Set<string>();
  return ({ url, source, code, kind, format, childCount, parentUrl = "" }) => {
    if (source === "robots") robotsUrls.add(url);
    if (code === "filtered" && !robotsUrls.has(parentUrl)) return null;
    return kind === "index" ? `${format}, ${count(childCount, "sitemap")}` : `${format}`;
  };
}

function foundLine(ways: Readonly<Record<Way, number>>, { sitemaps, sites }: RunCounts): string {
  const parts = (Object.keys(WAYS) as Way[]).filter((way) => ways[way] > 0);
  const how = parts.map((way) => `${number(ways[way])} ${PLACES[way]}`).join(", ");
  return `${count(sitemaps, "sitemap")}${sites > 1 ? ` of ${count(sites, "site")}` : ""}${how && `: ${how}`}`;
}

// ---------------------------------------------------------------- output

type WriteFound = (list: readonly Found[], target: Target) => Promise<void>;

function jsonWriter(records: JsonRecords): WriteFound {
  return async (list, { url: site }) => {
    for (const { node } of list) await records.write(sitemapRecord(site, node, { isBeginning: true }));
  };
}

/** Returns a function that writes the sitemaps: as a table on a terminal, otherwise as lines with tabs. */
function tableWriter({ settings, reporter, args }: Run, output: TextOutput): WriteFound {
  const isTable = process.stdout.isTTY === true && outputFile(settings) === undefined;
  if (!isTable) {
    return async (list) => {
      for (const found of list) await output.write(`${columns(found).join("\t")}\n`);
    };
  }
  const paint = paintFor(reporter.color);
  const hasTitles = args.length > 1 || args[0] === "-";
  return async (list, { name }) => {
    if (hasTitles) await output.write(`${paint("bold", terminalText(name))}\n`);
    await output.write(table(list, paint));
  };
}

function columns({
  node: { sitemap },
  way,
}: Found): [url: string, way: string, what: string, status: string] {
  const { url, requestedUrl, outcome, kind, format = "", childCount, http } = sitemap;
  const isIndex = kind === "index";
  const what = outcome !== "found" ? outcome : isIndex ? `index of ${childCount}` : format;
  const status = outcome === "found" ? String(http?.status ?? "") : failureWord(sitemap);
  return [terminalText(requestedUrl ?? url), WAYS[way], what, status];
}

function table(list: readonly Found[], paint: Paint): string {
  const rows = list.map((found) => columns(found));
  const widths = [0, 1, 2].map((at) => Math.max(0, ...rows.map((row) => cellWidth(row[at]!))));
  const lines = rows.map(([url, way, what, status], at) => {
    const isFound = list[at]!.node.sitemap.outcome === "found";
    const shown = `${padEnd(what, widths[2]!)}  ${status}`;
    return `${padEnd(url, widths[0]!)}  ${paint("dim", padEnd(way, widths[1]!))}  ${isFound ? shown : paint("red", shown)}`;
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}
