/** `siteatlas stats`, or just `siteatlas <url>`: prints an overview of a site. */
import { jsonLine } from "../../escape/json.ts";
import type { Command } from "../command.ts";
import { createSelection, firstOfUrl, isSelective } from "../config/page-filter.ts";
import { RunCounts } from "../messages/run-counts.ts";
import { chooseTextFormat } from "../output/choose-format.ts";
import { drawOptions, endOutput, hasResult, withTextOutput } from "../output/finish-output.ts";
import { SiteStats } from "../render/collect-stats.ts";
import { drawStats } from "../render/draw-stats.ts";
import { readSiteOrFiles } from "../walk/read-files.ts";
import { createSitemapFilter } from "../walk/sitemap-filter.ts";
import { conclude } from "../walk/walk-sites.ts";
import { filterOptions } from "./ls.ts";

export const stats: Command = async (run) => {
  const format = chooseTextFormat(run);
  return withTextOutput(run, async (output) => {
    const { settings } = run;
    const { limit = Number.POSITIVE_INFINITY } = settings;
    const runCounts = new RunCounts();
    const numbers = new SiteStats();
    const select = createSelection({ ...settings, unique: false });
    const isFirst = settings.unique ? firstOfUrl() : undefined;
    const filter = createSitemapFilter(settings);
    const isSelected = isSelective(settings) || filter !== undefined;
    if (isSelected) runCounts.selected = 0;
    const startedAt = performance.now();
    const site = await readSiteOrFiles(run, {
      runCounts,
      handlers: {
        page: (page, sitemapUrl) => {
          if (filter?.givesPages(sitemapUrl) === false) return undefined;
          if (select !== undefined && select(page) === undefined) return undefined;
          if (isFirst?.(page) === false) {
            numbers.duplicates++;
            return undefined;
          }
          if (numbers.pages >= limit) return "limit-reached";
          if (runCounts.selected !== undefined) runCounts.selected++;
          numbers.add(page);
          return undefined;
        },
        sitemap: (sitemap) => numbers.addSitemap(sitemap),
        issue: (issue) => numbers.addIssue(issue),
      },
      ...filterOptions(filter),
    });
    const ms = Math.round(performance.now() - startedAt);
    const { sitemapsRead: sitemaps } = runCounts;
    run.reporter.stopProgress();
    const partial = run.signal.aborted && { interrupted: true };
    if (format !== "text") {
      await output.write(
        `${jsonLine({ site, ms, ...partial, ...runCounts.facts(), ...numbers.toJSON() })}\n`,
      );
    } else if (hasResult(run.signal, runCounts)) {
      const { isCutShort } = runCounts;
      const allPages = isCutShort ? undefined : runCounts.pages;
      const options = { ms, sitemaps, isSelected, isCutShort, allPages };
      await output.write(drawStats(numbers, { ...drawOptions(run, site, runCounts), ...options }));
    }
    await endOutput(run, output, runCounts);
    return conclude(run, runCounts);
  });
};
