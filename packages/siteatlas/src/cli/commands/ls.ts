/**
 * `siteatlas ls`: the pages of sites, while they are being read. Memory does not grow with the site, unless
 * asked for what needs all of it: `-f tree` and `--ordered` (the order of declaration is known at the end),
 * `--unique` (remembers URLs).
 */
import type { Sitemap } from "../../model.ts";
import { sitemapTreeForHomepage } from "../../tree.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Settings } from "../flags.ts";
import { nestedListing } from "../listing.ts";
import { PageFlow } from "../page-flow.ts";
import { chooseFormat, openPageSink, type PageSink } from "../page-sink.ts";
import type { Command, Run } from "../run.ts";
import { createSelection, isSelective, type Selection, stripper } from "../select.ts";
import { createSitemapFilter, type SitemapFilter } from "../sitemap-filter.ts";
import { Tally } from "../talk/tally.ts";
import type { Target } from "../target.ts";
import { UsageError } from "../usage-error.ts";
import { conclude, type WalkOne, type WalkSitesOptions, walkSites } from "../walk-sites.ts";
import { endOutput, whole, withTextOutput } from "../whole-output.ts";

export const ls: Command = async (run) => {
  const format = chooseFormat(run.settings);
  const tally = new Tally();
  if (format === "tree") return lsNested(run, tally);
  const meta = runMeta(run);
  const sink = await openPageSink(run, format, meta);
  return whole(sink, async () => {
    await lsPages(run, tally, sink);
    meta["finished"] = new Date().toISOString();
    meta["pages"] = String(tally.selected ?? tally.pages);
    meta["partial"] = String(tally.isPartial || run.signal.aborted);
    await endOutput(run, sink, tally.sitemaps > 0);
    return conclude(run, tally);
  });
};

async function lsPages(run: Run, tally: Tally, sink: PageSink): Promise<void> {
  const { settings } = run;
  const flow = new PageFlow(settings, sink, tally);
  const filter = createSitemapFilter(settings);
  const selectFor = selections(settings);
  if (filter !== undefined) tally.selected ??= 0;
  const options: WalkSitesOptions = {
    tally,
    handlers: {
      page: (page, sitemapUrl, target) =>
        filter?.givesPages(sitemapUrl) === false ? undefined : flow.page(page, sitemapUrl, selectFor(target)),
      ...(sink.sitemapEnd && { sitemap: ({ url }) => sink.sitemapEnd?.(url) }),
    },
    ...filterOptions(filter),
    ...(settings.ordered && { walkOne: walkOrdered(tally), jobs: 1 }),
  };
  await walkSites(run, options);
  await flow.finish();
}

/** `--strip-url` is different for each site; `--unique` holds over all of them. */
function selections(settings: Settings): (target: Target) => Selection | undefined {
  if (!settings.stripUrl) {
    const selection = createSelection(settings);
    return () => selection;
  }
  const { stripUrl: _, rewriteOrigin, ...rest } = settings;
  const tests = createSelection(rest);
  const bySite = new Map<string, Selection>();
  return (target) => {
    let selection = bySite.get(target.url);
    if (selection === undefined) {
      const site = rewriteOrigin ?? siteUrl(target);
      const strip = createSelection({ stripUrl: true, ...(rewriteOrigin && { rewriteOrigin }) }, site)!;
      selection = (page) => {
        const given = tests === undefined ? page : tests(page);
        return given && strip(given);
      };
      bySite.set(target.url, selection);
    }
    return selection;
  };
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
 * The order of declaration is that of the tree. The pages of a sitemap that is declared twice come twice, as
 * they stand in the tree; they are counted once.
 */
function walkOrdered(tally: Tally): WalkOne {
  return async ({ url }, options, visit) => {
    const tree = await sitemapTreeForHomepage(url, {
      ...options,
      onEvent: (event) => {
        if (event.kind !== "page") void visit(event);
      },
    });
    const seen = new Set<Sitemap>();
    const path: Sitemap[] = [tree];
    for (let node = path.pop(); node !== undefined; node = path.pop()) {
      const { pages, selected = pages } = tally;
      for (const page of node.pages) await visit({ kind: "page", page, sitemapUrl: node.url });
      if (seen.has(node)) {
        tally.repeated += (tally.selected ?? tally.pages) - selected;
        tally.pages = pages;
      }
      seen.add(node);
      path.push(...[...node.subSitemaps].reverse());
    }
  };
}

// ---------------------------------------------------------------- -f tree

async function lsNested(run: Run, tally: Tally): Promise<ExitCode> {
  const { settings } = run;
  const { fields, sample, limit } = settings;
  for (const [name, value] of Object.entries({ fields, sample, limit })) {
    if (value !== undefined) throw new UsageError(`--${name} does not go with --format tree`);
  }
  return withTextOutput(run, async (output) => {
    const filter = createSitemapFilter(settings);
    const selectFor = selections(settings);
    if (isSelective(settings)) tally.selected = 0;
    const walkOne: WalkOne = async (target, options, visit) => {
      const tree = await sitemapTreeForHomepage(target.url, {
        ...options,
        onEvent: (event) => {
          if (event.kind !== "page") void visit(event);
          else tally.pages++;
        },
      });
      const strip = settings.stripUrl ? stripper(siteUrl(target)) : undefined;
      const chosen = selectFor(target);
      const select: Selection = (page) => {
        const given = chosen === undefined ? page : chosen(page);
        if (given !== undefined && tally.selected !== undefined) tally.selected++;
        return given;
      };
      const onRepeat = (): void => void tally.repeated++;
      for (const line of nestedListing(tree, { select, strip, onRepeat })) await output.write(line);
    };
    await walkSites(run, { tally, handlers: {}, walkOne, jobs: 1, ...filterOptions(filter) });
    await endOutput(run, output, tally.sitemaps > 0);
    return conclude(run, tally);
  });
}

/** Facts about the run, for formats that have a place for them. */
function runMeta({ args, command }: Run): Record<string, string> {
  return { tool: `siteatlas ${command}`, sites: args.join(" "), started: new Date().toISOString() };
}
