/** `siteatlas stats`, and `siteatlas <url>`: what a site declares, in numbers and pictures. */
import { jsonLine } from "../../sinks/json.ts";
import { Enough } from "../enough.ts";
import { drawStats } from "../picture/draw-stats.ts";
import { isAsciiTerminal } from "../picture/glyphs.ts";
import { SiteStats } from "../picture/site-stats.ts";
import type { Command } from "../run.ts";
import { createSelection, isSelective } from "../select.ts";
import { createSitemapFilter } from "../sitemap-filter.ts";
import { Tally } from "../talk/tally.ts";
import { conclude, walkSites } from "../walk-sites.ts";
import { outputWidth, withTextOutput } from "../whole-output.ts";
import { filterOptions } from "./ls.ts";

export const stats: Command = async (run) =>
  withTextOutput(run, async (output) => {
    const { settings, talk } = run;
    const { limit = Number.POSITIVE_INFINITY } = settings;
    const tally = new Tally();
    const numbers = new SiteStats();
    const select = createSelection(settings);
    const filter = createSitemapFilter(settings);
    const isSelected = isSelective(settings) || filter !== undefined;
    if (isSelected) tally.selected = 0;
    const startedAt = performance.now();
    let homepage = "";
    await walkSites(run, {
      tally,
      handlers: {
        page: (page, sitemapUrl) => {
          if (filter?.givesPages(sitemapUrl) === false) return;
          if (select !== undefined && select(page) === undefined) return;
          if (numbers.pages >= limit) {
            tally.isCutShort = true;
            throw new Enough();
          }
          if (tally.selected !== undefined) tally.selected++;
          numbers.add(page, sitemapUrl);
        },
        sitemap: (sitemap, target) => {
          homepage = target.url;
          numbers.addSitemap(sitemap);
        },
        issue: (issue) => numbers.addIssue(issue),
      },
      ...filterOptions(filter),
    });
    const ms = Math.round(performance.now() - startedAt);
    talk.stopProgress();
    if (settings.json) await output.write(`${jsonLine({ url: homepage, ms, ...numbers.toJSON() })}\n`);
    else if (numbers.sitemaps > 0) {
      const { color } = talk;
      const ascii = isAsciiTerminal(process.env);
      const width = outputWidth();
      await output.write(drawStats(numbers, { homepage, ms, isSelected, width, color, ascii }));
    }
    await output.end();
    return conclude(run, tally);
  });
