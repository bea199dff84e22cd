/** A sitemap at its end, as an event tells it; and the words for what leads back to where it came from. */
import { describeIssue } from "../issues.ts";
import type { Issue } from "../model.ts";
import type { WalkedSitemap } from "./events.ts";
import {
  isAbove,
  isBelowRobots,
  type Place,
  resolveRecord,
  type SitemapRecord,
  type Verdict,
} from "./record.ts";

/** A document, where it was declared first. */
export function describe(record: SitemapRecord): WalkedSitemap {
  const { kind, finalUrl, url, redirects, parent, lastModified, http } = record;
  const back = redirectedBack(record);
  return {
    url: finalUrl,
    ...(finalUrl !== url && { requestedUrl: url }),
    ...(redirects.length > 0 && { redirects }),
    outcome: back !== undefined ? "failed" : (record.outcome ?? "failed"),
    source: record.source,
    ...(parent !== undefined && { parentUrl: parent.finalUrl }),
    level: record.level,
    kind: kind?.kind ?? "invalid",
    ...(kind !== undefined && kind.kind !== "invalid" && { format: kind.format }),
    ...(kind?.kind === "invalid" && { code: kind.code, reason: kind.reason }),
    ...back,
    ...(lastModified !== undefined && { lastModified }),
    pageCount: record.pageCount,
    childCount: record.places.length,
    issueCount: record.issueCount,
    duplicateCount: record.duplicateCount,
    ...(record.partial && { partial: true }),
    ...(http !== undefined && { http }),
  };
}

/** A place that made no request of its own. */
export function describePlace(
  parent: SitemapRecord,
  place: Place,
  level: number,
  verdict: Verdict | undefined,
): WalkedSitemap {
  return {
    url: place.url,
    outcome: verdict?.outcome ?? "shared",
    source: "sitemap",
    parentUrl: parent.finalUrl,
    level,
    kind: "invalid",
    ...(verdict !== undefined && { code: verdict.code, reason: verdict.reason }),
    ...(place.lastModified !== undefined && { lastModified: place.lastModified }),
    pageCount: 0,
    childCount: 0,
    issueCount: 0,
    duplicateCount: 0,
  };
}

/** Why a sitemap at this place would be its own ancestor. */
export function recursionReason(url: string, parentUrl: string, requestedUrl: string = url): string {
  return requestedUrl === url
    ? `${url} is listed by ${parentUrl}, which it leads to itself`
    : `${requestedUrl}, listed by ${parentUrl}, redirects to ${url}, which leads to it`;
}

/** Why a redirect led nowhere new: to what leads here, or, from a guess, to what robots.txt gave. */
function redirectedBack(record: SitemapRecord): Pick<WalkedSitemap, "code" | "reason"> | undefined {
  const { url, finalUrl, parent, source, sameAs } = record;
  if (sameAs === undefined) return undefined;
  const target = resolveRecord(record);
  if (parent !== undefined) {
    if (!isAbove(target, parent)) return undefined;
    return { code: "index.cycle", reason: recursionReason(finalUrl, parent.finalUrl, url) };
  }
  if (source !== "known" || !isBelowRobots(target)) return undefined;
  return { code: "index.cycle", reason: `${url} redirects to ${finalUrl}, which robots.txt led to before` };
}

/** What an index should not list: a page (I10), robots.txt (I14). */
export function misplacedIssue({ parent, kind, url }: SitemapRecord): Issue | undefined {
  if (parent?.kind?.kind !== "index" || parent.kind.format !== "xml") return undefined;
  const isPage = kind?.kind === "invalid" && kind.code === "content.html";
  const isRobots = new URL(url).pathname.endsWith("/robots.txt");
  if (!isPage && !isRobots) return undefined;
  const code = isPage ? "index.lists-page" : "index.lists-robots";
  return { code, severity: describeIssue(code).severity, url: parent.finalUrl, value: url };
}
