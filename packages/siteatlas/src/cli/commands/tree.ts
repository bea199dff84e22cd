/** `siteatlas tree`: prints the sitemaps of a site as a tree, without their pages. */

import type { Command } from "../command.ts";
import { RunCounts } from "../messages/run-counts.ts";
import { chooseTextFormat } from "../output/choose-format.ts";
import { drawOptions, endOutput, withTextOutput } from "../output/finish-output.ts";
import { createJsonRecords } from "../output/json-records.ts";
import { drawTree } from "../render/draw-tree.ts";
import { readSiteOrFiles } from "../walk/read-files.ts";
import { createSitemapFilter } from "../walk/sitemap-filter.ts";
import { sitemapRecord } from "../walk/sitemap-record.ts";
import { allNodes, SitemapTree } from "../walk/sitemap-tree.ts";
import { conclude } from "../walk/walk-sites.ts";

export const tree: Command = async (run) => {
  const format = chooseTextFormat(run, "tree");
  return withTextOutput(run, async (output) => {
    const runCounts = new RunCounts();
    const sitemaps = new SitemapTree();
    const filter = createSitemapFilter(run.settings);
    const homepage = await readSiteOrFiles(run, {
      runCounts,
      handlers: {
        sitemap: (sitemap) => sitemaps.addSitemap(sitemap),
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
    run.reporter.stopProgress();
    const roots = sitemaps.roots();
    if (format !== "text") {
      const records = createJsonRecords(output, format);
      for (const node of allNodes(roots)) await records.write(sitemapRecord(homepage, node));
      await records.end();
    } else if (roots.some(({ sitemap }) => sitemap.outcome === "found")) {
      await output.write(drawTree(roots, drawOptions(run, homepage, runCounts)));
    }
    await endOutput(run, output, runCounts);
    return conclude(run, runCounts);
  });
};
