/** Rules about indexes: which sitemaps they list. */
import { isRobotsUrl } from "../../parse/robots/robots-url.ts";
import type { LintRule } from "../rule.ts";
import { GOOGLE_LARGE, SM_INDEX } from "./sources.ts";

/** The folder of a URL, with a final slash. */
function folderOf(url: string): string {
  return url.slice(0, url.lastIndexOf("/") + 1);
}

export const treeRules: readonly LintRule[] = [
  {
    id: "index.nested",
    severity: "error",
    message: "A sitemap index lists another index",
    why: "An index may list only sitemaps. Search engines do not read an index below an index.",
    fix: "List the sitemaps of the inner index directly, or list both indexes in robots.txt.",
    source: GOOGLE_LARGE,
    counts: "sitemap",
    listen: ({ report }) => {
      const indexes = new Set<string>();
      return {
        sitemap: ({ url, requestedUrl = url, kind, format, parentUrl = "" }) => {
          if (kind !== "index" || format !== "xml") return;
          if (indexes.has(parentUrl)) report({ value: requestedUrl }, parentUrl);
          indexes.add(url);
        },
      };
    },
  },
  {
    id: "index.other-host",
    severity: "warning",
    message: "An index lists a sitemap on another host",
    why: "An index may list only sitemaps of its own host, unless the other host allows it in its robots.txt.",
    fix: "Serve the sitemap on the host of the index, or list it in robots.txt.",
    source: SM_INDEX,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ url, requestedUrl = url, parentUrl, source }) => {
        if (source !== "sitemap" || parentUrl === undefined || isRobotsUrl(parentUrl)) return;
        const [listed, index] = [new URL(requestedUrl), new URL(parentUrl)];
        if (listed.host !== index.host) report({ value: requestedUrl }, parentUrl);
      },
    }),
  },
  {
    id: "index.outside-path",
    severity: "info",
    isOff: true,
    message: "An index lists a sitemap outside its folder",
    why: "Google requires listed sitemaps to be in the folder of the index or below it.",
    fix: "Move the index to the root of the site.",
    source: GOOGLE_LARGE,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ url, requestedUrl = url, parentUrl, source }) => {
        if (source !== "sitemap" || parentUrl === undefined || isRobotsUrl(parentUrl)) return;
        const isSameHost = new URL(requestedUrl).host === new URL(parentUrl).host;
        if (isSameHost && !requestedUrl.startsWith(folderOf(parentUrl)))
          report({ value: requestedUrl }, parentUrl);
      },
    }),
  },
];
