/** `siteatlas stats`, or just `siteatlas <url>`: prints an overview of a site. */
import { jsonLine } from "../../escape/json.ts";
import { terminalText } from "../../escape/terminal.ts";
import type { Command, Run } from "../command.ts";
import { formatOfFile } from "../config/output-formats.ts";
import { createSelection, firstOfUrl, isSelective } from "../config/page-filter.ts";
import { RunCounts } from "../messages/run-counts.ts";
import { chooseTextFormat, outputFile, type TextFormat } from "../output/choose-format.ts";
import { drawOptions, endOutput, hasResult, withTextOutput } from "../output/finish-output.ts";
import { UsageError } from "../process/usage-error.ts";
import { SiteStats } from "../render/collect-stats.ts";
import { drawStats } from "../render/draw-stats.ts";
import { readSiteOrFiles } from "../walk/read-files.ts";
import { createSitemapFilter } from "../walk/sitemap-filter.ts";
import { conclude } from "../walk/walk-sites.ts";
import { filterOptions } from "./ls.ts";

/** With `--svg`, the output is a chart. */
function chooseChart({ settings }: Run): TextFormat {
  if (settings.json) throw new UsageError("--svg and --json cannot be used together");
  const file = outputFile(settings);
  if (file !== undefined && !/\.svg(?:\.gz)?$/i.test(file) && formatOfFile(file) !== undefined)
    throw new UsageError(`--svg cannot write ${terminalText(file)}`, "Name the file *.svg.");
  return "text";
}

export const stats: Command = async (run) => {
  const { svg } = run.settings;
  const format = svg === undefined ? chooseTextFormat(run) : chooseChart(run);
  // report also draws charts, so their code is in its group of commands (see load-command.ts).
  const chart = svg === undefined ? undefined : (await import("./snapshot-commands.ts")).startChart(svg);
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
          chart?.addPage(page);
          return undefined;
        },
        sitemap: (sitemap) => {
          numbers.addSitemap(sitemap);
          chart?.addSitemap(sitemap);
        },
        issue: (issue) => {
          numbers.addIssue(issue);
          chart?.addIssue(issue);
        },
      },
      ...filterOptions(filter),
    });
    const ms = Math.round(performance.now() - startedAt);
    const { sitemapsRead: sitemaps } = runCounts;
    run.reporter.stopProgress();
    const partial = run.signal.aborted && { interrupted: true };
    if (chart !== undefined) {
      if (hasResult(run.signal, runCounts)) await output.write(chart.draw(site, run.signal.aborted));
    } else if (format !== "text") {
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
