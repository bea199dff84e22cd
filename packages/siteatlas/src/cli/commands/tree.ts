/** `siteatlas tree`: the sitemaps of a site, without their pages. */
import { drawTree } from "../picture/draw-tree.ts";
import type { Command } from "../run.ts";
import { createSitemapFilter } from "../sitemap-filter.ts";
import { sitemapRecord } from "../sitemap-record.ts";
import { allNodes, SitemapTree } from "../sitemap-tree.ts";
import { Tally } from "../talk/tally.ts";
import { chooseTextFormat, JsonRecords } from "../text-format.ts";
import { conclude, walkSites } from "../walk-sites.ts";
import { drawOptions, endOutput, withTextOutput } from "../whole-output.ts";

export const tree: Command = async (run) => {
  const format = chooseTextFormat(run, "tree");
  return withTextOutput(run, async (output) => {
    const tally = new Tally();
    const sitemaps = new SitemapTree();
    const filter = createSitemapFilter(run.settings);
    let homepage = "";
    await walkSites(run, {
      tally,
      handlers: {
        sitemap: (sitemap, target) => {
          homepage = target.url;
          sitemaps.addSitemap(sitemap);
        },
        issue: (issue) => sitemaps.addIssue(issue),
      },
      optionsFor: (_, options) => ({
        ...options,
        recurseListCallback: (urls, level, parentUrls) => {
          sitemaps.declare(urls, parentUrls);
          return filter?.recurseListCallback(urls, level, parentUrls) ?? urls;
        },
      }),
    });
    run.talk.stopProgress();
    const roots = sitemaps.roots();
    if (format !== "text") {
      const records = new JsonRecords(output, format);
      for (const node of allNodes(roots)) await records.write(sitemapRecord(homepage, node));
      await records.end();
    } else if (roots.some(({ sitemap }) => sitemap.outcome === "found")) {
      await output.write(drawTree(roots, drawOptions(run, homepage)));
    }
    await endOutput(run, output, tally.sitemaps > 0);
    return conclude(run, tally);
  });
};
