/** Fetches the homepage and finds its links to sitemaps and feeds. The homepage is not parsed as a sitemap. */
import { decompress } from "../../decode/inflate.ts";
import { HomepageBytes, type HomepageLinks } from "../../discover/homepage-reader.ts";
import { fetchHop } from "../../fetch/fetch-resource.ts";
import { refusals } from "../../model/issue-severity.ts";
import type { Budget } from "../budget.ts";
import { type Demand, settle, verdictOf } from "../site-graph.ts";
import type { WalkContext } from "../walk-context.ts";
import { DocumentLimits } from "./document-limits.ts";

/**
 * Returns the links of the homepage. Follows its redirects. Returns undefined if the homepage was already fetched, or
 * cannot be fetched. Reports a failure.
 */
export async function readHomepage({
  homepage,
  graph,
  budget,
  policy,
  scheduler,
  reporter,
}: WalkContext): Promise<HomepageLinks | undefined> {
  const homepageUrl = homepage.href;
  const demand: Demand = { url: homepageUrl, source: "homepage", parent: undefined, lastModified: undefined };
  const { signal } = scheduler;
  const options = policy.resourceOptions({ demand, report() {}, signal });
  let url = homepageUrl;
  for (let hop = 0; hop <= budget.limits.redirects && graph.find(url) === undefined; hop++) {
    const document = graph.add(url, demand);
    // With this outcome, a sitemap that redirects to the homepage is reported as an HTML page.
    settle(document, verdictOf("failed", { code: "content.html", reason: refusals["content.html"] }));
    const resource = await fetchHop(url, options);
    if (resource.kind !== "redirect" && resource.status !== undefined) {
      document.http = { status: resource.status, bytes: 0, ms: 0 };
    }
    if (resource.kind === "failed") await reporter.sendSiteIssue(resource.code, homepageUrl, resource.reason);
    if (resource.kind === "failed") return undefined;
    if (resource.kind === "body") return readLinks(resource, budget);
    document.outcome = "redirect";
    document.redirectsTo = resource.url;
    url = resource.url;
  }
  return undefined;
}

type Body = Extract<Awaited<ReturnType<typeof fetchHop>>, { kind: "body" }>;

async function readLinks(resource: Body, { limits }: Budget): Promise<HomepageLinks> {
  const { url, headers } = resource;
  const homepage = new HomepageBytes(url, headers["link"]);
  const { takeBytes: onInput, mayInflate } = new DocumentLimits(limits, resource.usedBytes);
  const frame = { report() {}, url, onCut() {}, onInput, mayInflate };
  for await (const chunk of decompress(resource.body, frame)) {
    homepage.push(chunk);
    if (homepage.done) break;
  }
  return homepage.end();
}
