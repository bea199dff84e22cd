/** `siteatlas tree`: the sitemaps of a site, without their pages. */
import { jsonLine } from "../../sinks/json.ts";
import { drawTree } from "../picture/draw-tree.ts";
import { isAsciiTerminal } from "../picture/glyphs.ts";
import type { Command } from "../run.ts";
import { createSitemapFilter } from "../sitemap-filter.ts";
import { sitemapRecord } from "../sitemap-record.ts";
import { allNodes, SitemapTree } from "../sitemap-tree.ts";
import { Tally } from "../talk/tally.ts";
import { conclude, walkSites } from "../walk-sites.ts";
import { outputWidth, withTextOutput } from "../whole-output.ts";

export const tree: Command = async (run) =>
  withTextOutput(run, async (output) => {
    const { settings, talk } = run;
    const tally = new Tally();
    const sitemaps = new SitemapTree();
    const filter = createSitemapFilter(settings);
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
    talk.stopProgress();
    const roots = sitemaps.roots();
    if (settings.json) {
      for (const { node, depth } of allNodes(roots)) {
        await output.write(`${jsonLine({ depth, ...sitemapRecord(node.sitemap, node.issues) })}\n`);
      }
    } else if (roots.some(({ sitemap }) => sitemap.outcome === "found")) {
      const { color } = talk;
      const ascii = isAsciiTerminal(process.env);
      await output.write(drawTree(roots, { homepage, width: outputWidth(), color, ascii }));
    }
    await output.end();
    return conclude(run, tally);
  });
