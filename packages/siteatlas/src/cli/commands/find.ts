/**
 * `siteatlas find`: where the sitemaps of a site are and how each was found. Each is looked at, so that it is
 * known to be one, but left after its first page; what an index lists is not read.
 */
import { terminalText } from "../../sinks/terminal.ts";
import type { WalkEvent, WalkedSitemap } from "../../walk/events.ts";
import type { WalkOptions } from "../../walk/options.ts";
import type { TextOutput } from "../output/text-output.ts";
import { outputFile } from "../page-sink.ts";
import type { TreeNode } from "../picture/draw-tree.ts";
import { cellWidth, padEnd } from "../picture/text-cells.ts";
import type { Command, Run } from "../run.ts";
import { createSitemapFilter } from "../sitemap-filter.ts";
import { sitemapRecord } from "../sitemap-record.ts";
import { SitemapTree } from "../sitemap-tree.ts";
import { failureWord } from "../talk/failures.ts";
import { type Paint, paintFor } from "../talk/style.ts";
import { Tally } from "../talk/tally.ts";
import { count, number } from "../talk/words.ts";
import type { Target } from "../target.ts";
import { chooseTextFormat, JsonRecords } from "../text-format.ts";
import { conclude, walkSites } from "../walk-sites.ts";
import { endOutput, withTextOutput } from "../whole-output.ts";

/** How a sitemap was found, in words. */
const WAYS: Readonly<Record<"robots" | "known" | "homepage", string>> = {
  robots: "robots.txt line",
  known: "known location",
  homepage: "homepage link",
};

type Way = keyof typeof WAYS;

const PLACES: Readonly<Record<Way, string>> = {
  robots: "in robots.txt",
  known: "at known locations",
  homepage: "on the homepage",
};

interface Found {
  readonly node: TreeNode;
  readonly way: Way;
}

export const find: Command = async (run) => {
  const format = chooseTextFormat(run, "tsv");
  return withTextOutput(run, async (output) => {
    const tally = new Tally();
    const ways: Record<Way, number> = { robots: 0, known: 0, homepage: 0 };
    const records = format === "text" ? undefined : new JsonRecords(output, format);
    const write = records === undefined ? tableWriter(run, output) : jsonWriter(records);
    const filter = createSitemapFilter(run.settings);
    /** Those that are not done yet: several sites are looked at at once. */
    const sites = new Map<Target, SitemapTree>();
    const siteEnd = async (target: Target): Promise<void> => {
      const list = foundIn(sites.get(target));
      sites.delete(target);
      for (const { node, way } of list) if (node.sitemap.outcome === "found") ways[way]++;
      if (list.length > 0) await write(list, target);
    };
    await walkSites(run, {
      tally,
      mapEvent: withoutOwnCut(),
      describe: describeLook,
      optionsFor: (target, options) => {
        const tree = new SitemapTree();
        sites.set(target, tree);
        return {
          ...lookOnly(options),
          recurseListCallback: (urls, level, parentUrls) => {
            const [parent = ""] = parentUrls;
            if (level > 0 || !parent.endsWith("/robots.txt")) return [];
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
    // Interrupted: what is known of the others.
    for (const target of [...sites.keys()]) await siteEnd(target);
    await records?.end();
    await endOutput(run, output, tally.sitemaps > 0);
    return conclude(run, tally, foundLine(ways, tally));
  });
};

/** In order: lines of robots.txt, known locations, links of the homepage. */
function foundIn(tree: SitemapTree | undefined): Found[] {
  return (tree?.roots() ?? []).flatMap((node): Found[] => {
    const { source } = node.sitemap;
    if (source === "known" || source === "homepage") return [{ node, way: source }];
    return node.children
      .filter(({ sitemap }) => sitemap.outcome !== "skipped")
      .map((child) => ({ node: child, way: "robots" }));
  });
}

/** A look at each: no pages, and the homepage too, which may name others. */
function lookOnly(options: WalkOptions): WalkOptions {
  return {
    useHomepageLinks: true,
    ...options,
    limits: { ...options.limits, urlsPerSitemap: 1 },
  };
}

/** Reported of a document that we left ourselves. */
const CUT_CODES: ReadonlySet<string> = new Set(["limit.urls", "xml.truncated", "gzip.truncated"]);

/** That a sitemap was left after its first page is our doing, not something that is missing. */
function withoutOwnCut(): (event: WalkEvent) => WalkEvent | undefined {
  /** Left, and not at their end yet: what is said of their cut comes after that of our limit. */
  const left = new Set<string>();
  return (event) => {
    if (event.kind === "page") return undefined;
    if (event.kind === "issue") {
      const { code, url } = event.issue;
      if (code === "limit.urls") left.add(url);
      return left.has(url) && CUT_CODES.has(code) ? undefined : event;
    }
    const { partial, ...sitemap } = event.sitemap;
    const isLeft = left.delete(sitemap.url);
    return partial && isLeft ? { kind: "sitemap", sitemap } : event;
  };
}

/** Of a sitemap what it is, not how much there is in it; and nothing of those that we pass over ourselves. */
function describeLook({ code, kind, format, childCount, parentUrl = "" }: WalkedSitemap): string | null {
  if (code === "filtered" && !parentUrl.endsWith("/robots.txt")) return null;
  return kind === "index" ? `${format}, ${count(childCount, "sitemap")}` : `${format}`;
}

function foundLine(ways: Readonly<Record<Way, number>>, { sitemaps, sites }: Tally): string {
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

/** On a terminal a table; else lines with tabs. */
function tableWriter({ settings, talk, args }: Run, output: TextOutput): WriteFound {
  const isTable = process.stdout.isTTY === true && outputFile(settings) === undefined;
  if (!isTable) {
    return async (list) => {
      for (const found of list) await output.write(`${columns(found).join("\t")}\n`);
    };
  }
  const paint = paintFor(talk.color);
  const hasTitles = args.length > 1 || args[0] === "-";
  return async (list, { name }) => {
    if (hasTitles) await output.write(`${paint("bold", terminalText(name))}\n`);
    await output.write(table(list, paint));
  };
}

/** URL, how it was found, what it is, and what the server said. */
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
