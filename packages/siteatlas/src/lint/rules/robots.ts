/** Rules about robots.txt. */
import { isAbsent } from "../../model/http-status.ts";
import { isRobotsUrl } from "../../parse/robots/robots-url.ts";
import type { WalkedSitemap } from "../../walk/events/events.ts";
import type { LintRule } from "../rule.ts";
import { SM_CROSS_SUBMITS, SM_ROBOTS } from "./sources.ts";

/** Whether robots.txt lists this sitemap, which does not exist. The rule robots.stale-sitemap replaces http.status. */
export function isStaleInRobots({ outcome, http, parentUrl = "" }: WalkedSitemap): boolean {
  const isGone = outcome === "failed" && http !== undefined && isAbsent(http.status);
  return isGone && isRobotsUrl(parentUrl);
}

/** Whether the site has no robots.txt. RFC 9309, section 2.3.1.3, allows it. The rule robots.no-sitemap covers it. */
export function isAbsentRobots({ url, outcome, http, parentUrl }: WalkedSitemap): boolean {
  const isGone = outcome === "failed" && http !== undefined && isAbsent(http.status);
  return isGone && parentUrl === undefined && isRobotsUrl(url);
}

export const robotsRules: readonly LintRule[] = [
  {
    id: "robots.no-sitemap",
    severity: "info",
    message: "robots.txt does not list the sitemap",
    why: "Search engines find the sitemap only if they guess its location, or if you submit it to each of them.",
    fix: "Add a line such as Sitemap: https://example.com/sitemap.xml to robots.txt.",
    source: SM_ROBOTS,
    counts: "site",
    listen: ({ report, site }) => {
      let first: string | undefined;
      let isListed = false;
      return {
        sitemap: ({ url, outcome, source, format }) => {
          if (outcome === "found" && source === "known") first ??= url;
          if (format === "robots") isListed ||= (site.robots?.sitemaps.length ?? 0) > 0;
        },
        end: () => {
          if (first !== undefined && !isListed) report({ detail: `found at ${first}` });
        },
      };
    },
  },
  {
    id: "robots.other-host",
    severity: "info",
    isOff: true,
    message: "robots.txt lists a sitemap on another host",
    why: "This is allowed: robots.txt proves that the host accepts the sitemap. Check that you own the other host.",
    fix: "Nothing, if it is intended. Otherwise remove the line.",
    source: SM_CROSS_SUBMITS,
    counts: "sitemap",
    listen: ({ report, site }) => ({
      sitemap: ({ format, url }) => {
        if (format !== "robots") return;
        const { host } = new URL(url);
        for (const listed of site.robots?.sitemaps ?? []) {
          if (new URL(listed).host !== host) report({ value: listed });
        }
      },
    }),
  },
  {
    id: "robots.stale-sitemap",
    severity: "error",
    message: "robots.txt lists a sitemap that does not exist",
    why: "Search engines request the URL at each visit, and find no pages.",
    fix: "Remove the line, or publish the sitemap.",
    source: SM_ROBOTS,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const { url, requestedUrl = url, parentUrl } = sitemap;
        if (isStaleInRobots(sitemap)) report({ value: requestedUrl }, parentUrl);
      },
    }),
  },
];
