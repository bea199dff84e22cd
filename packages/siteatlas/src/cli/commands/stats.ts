/** `siteatlas stats`, and `siteatlas <url>`: what a site declares, in numbers and pictures. */
import { jsonLine } from "../../sinks/json.ts";
import { Enough } from "../enough.ts";
import { drawStats } from "../picture/draw-stats.ts";
import { SiteStats } from "../picture/site-stats.ts";
import type { Command } from "../run.ts";
import { createSelection, isSelective } from "../select.ts";
import { createSitemapFilter } from "../sitemap-filter.ts";
import { Tally } from "../talk/tally.ts";
import { chooseTextFormat } from "../text-format.ts";
import { conclude, walkSites } from "../walk-sites.ts";
import { drawOptions, endOutput, withTextOutput } from "../whole-output.ts";
import { filterOptions } from "./ls.ts";

export const stats: Command = async (run) => {
  const format = chooseTextFormat(run);
  return withTextOutput(run, async (output) => {
    const { settings } = run;
    const { limit = Number.POSITIVE_INFINITY } = settings;
    const tally = new Tally();
    const numbers = new SiteStats();
    const select = createSelection(settings);
    const filter = createSitemapFilter(settings);
    const isSelected = isSelective(settings) || filter !== undefined;
    if (isSelected) tally.selected = 0;
    const startedAt = performance.now();
    let site = "";
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
          site = target.url;
          numbers.addSitemap(sitemap);
        },
        issue: (issue) => numbers.addIssue(issue),
      },
      ...filterOptions(filter),
    });
    const ms = Math.round(performance.now() - startedAt);
    run.talk.stopProgress();
    if (format !== "text") {
      await output.write(`${jsonLine({ site, ms, ...tally.facts(), ...numbers.toJSON() })}\n`);
    } else if (numbers.sitemaps > 0) {
      const allPages = tally.isCutShort ? undefined : tally.pages;
      await output.write(drawStats(numbers, { ...drawOptions(run, site), ms, isSelected, allPages }));
    }
    await endOutput(run, output, tally.sitemaps > 0);
    return conclude(run, tally);
  });
};
