/**
 * `siteatlas ls`: prints the pages of sites as they are found. Memory does not grow with the site, except in three
 * cases: `-f tree` and `--ordered` need the complete tree, and `--unique` keeps all URLs.
 */
import type { Sitemap } from "../../model/model.ts";
import { siteTree } from "../../tree/tree.ts";
import type { Command, Run } from "../command.ts";
import { commandFormats } from "../config/output-formats.ts";
import { createSelection, isSelective, type Selection, stripSite } from "../config/page-filter.ts";
import { startOf, type Target, withoutCredentials } from "../config/target.ts";
import { RunCounts } from "../messages/run-counts.ts";
import { choosePageFormat } from "../output/choose-format.ts";
import { abortOnError, endOutput, withTextOutput } from "../output/finish-output.ts";
import { openPageOutput, type PageOutput } from "../output/page-output.ts";
import { PagePipeline } from "../output/page-pipeline.ts";
import { nestedListing } from "../output/terminal-listing.ts";
import type { ExitCode } from "../process/exit-codes.ts";
import { UsageError } from "../process/usage-error.ts";
import { createSitemapFilter, type SitemapFilter } from "../walk/sitemap-filter.ts";
import { conclude, type WalkOne, type WalkSitesOptions, walkSites } from "../walk/walk-sites.ts";

export const ls: Command = async (run) => {
  const format = choosePageFormat(run, commandFormats.ls.names);
  const runCounts = new RunCounts();
  if (format === "tree") return lsNested(run, runCounts);
  const meta = runMeta(run);
  const hasManySites = run.args.length > 1 || run.args[0] === "-";
  const output = await openPageOutput(run, format, meta, { hasManySites });
  return abortOnError(output, async () => {
    await lsPages(run, runCounts, output);
    meta["finished"] = new Date().toISOString();
    meta["pages"] = String(runCounts.selected ?? runCounts.pages);
    meta["partial"] = String(runCounts.isPartial || run.signal.aborted);
    await endOutput(run, output, runCounts);
    return conclude(run, runCounts);
  });
};

async function lsPages(run: Run, runCounts: RunCounts, output: PageOutput): Promise<void> {
  const { settings } = run;
  const pipeline = new PagePipeline(settings, output, runCounts);
  const filter = createSitemapFilter(settings);
  if (filter !== undefined) runCounts.selected ??= 0;
  const options: WalkSitesOptions = {
    runCounts,
    handlers: {
      page: (page, sitemapUrl, target) =>
        filter?.givesPages(sitemapUrl) === false
          ? undefined
          : pipeline.page(page, sitemapUrl, siteUrl(target), target.url),
      ...(output.sitemapEnd && { sitemap: ({ url }) => output.sitemapEnd?.(url) }),
    },
    ...filterOptions(filter),
    ...(settings.ordered && { walkOne: walkOrdered(runCounts), jobs: 1 }),
  };
  await walkSites(run, options);
  await pipeline.finish();
}

function siteUrl({ url, sitemapPath }: Target): string {
  return sitemapPath === undefined ? url : new URL("/", url).href;
}

export function filterOptions(filter: SitemapFilter | undefined): Pick<WalkSitesOptions, "optionsFor"> {
  if (filter === undefined) return {};
  const { recurseListCallback } = filter;
  return { optionsFor: (_, options) => ({ ...options, recurseListCallback }) };
}

/**
 * Creates a walk that yields pages in the order of the tree. If several indexes list a sitemap, its pages are printed
 * at each of these places, but counted once.
 */
function walkOrdered(runCounts: RunCounts): WalkOne {
  return async (target, options, visit) => {
    const tree = await siteTree(startOf(target), {
      ...options,
      onEvent: (event) => {
        if (event.kind !== "page") void visit(event);
      },
    });
    runCounts.pagesComeLast = true;
    // The pages that were already printed. If a sitemap is at several places of the tree, all its nodes have the same
    // array of pages.
    const seen = new Set<Sitemap["pages"]>();
    const path: Sitemap[] = [tree];
    for (let node = path.pop(); node !== undefined; node = path.pop()) {
      const { pages, selected = pages } = runCounts;
      for (const page of node.pages) {
        const taken = visit({ kind: "page", page, sitemapUrl: node.url });
        if (taken === "limit-reached") return taken;
        await taken;
      }
      if (seen.has(node.pages)) {
        runCounts.repeated += (runCounts.selected ?? runCounts.pages) - selected;
        runCounts.pages = pages;
      }
      seen.add(node.pages);
      path.push(...[...node.subSitemaps].reverse());
    }
    return undefined;
  };
}

// ---------------------------------------------------------------- -f tree

async function lsNested(run: Run, runCounts: RunCounts): Promise<ExitCode> {
  const { settings } = run;
  const { fields, sample, limit } = settings;
  for (const [name, value] of Object.entries({ fields, sample, limit })) {
    if (value !== undefined) throw new UsageError(`--${name} cannot be used with --format tree`);
  }
  return withTextOutput(run, async (output) => {
    const filter = createSitemapFilter(settings);
    const selection = createSelection(settings);
    if (isSelective(settings)) runCounts.selected = 0;
    const walkOne: WalkOne = async (target, options, visit) => {
      const tree = await siteTree(startOf(target), {
        ...options,
        onEvent: (event) => {
          if (event.kind !== "page") void visit(event);
          else runCounts.pages++;
        },
      });
      const site = siteUrl(target);
      const strip = settings.stripUrl ? (url: string): string => stripSite(url, site) : undefined;
      const select: Selection = (page) => {
        const given = selection === undefined ? page : selection(page, site);
        if (given !== undefined && runCounts.selected !== undefined) runCounts.selected++;
        return given;
      };
      const onRepeat = (): void => void runCounts.repeated++;
      for (const line of nestedListing(tree, { select, strip, onRepeat })) await output.write(line);
    };
    await walkSites(run, { runCounts, handlers: {}, walkOne, jobs: 1, ...filterOptions(filter) });
    await endOutput(run, output, runCounts);
    return conclude(run, runCounts);
  });
}

/** Facts about the run, such as its start. Some formats can store them in the file. */
function runMeta({ args, command }: Run): Record<string, string> {
  return {
    tool: `siteatlas ${command}`,
    sites: args.map(withoutCredentials).join(" "),
    started: new Date().toISOString(),
  };
}
