import type { WalkEvent } from "../walk/events/events.ts";
import { ReportCounter, type ReportFacts } from "./report-counter.ts";
import type { SiteReport } from "./report-model.ts";

/**
 * Counts what a site declares: sections, dates, languages, formats, sitemaps and issues. Reads the events once. Needs
 * at most about 60 MB, for any number of pages.
 *
 * @param events the events of `walkSitemaps`, or others of the same form
 * @param facts what the events do not contain, such as the homepage
 * @example
 * const numbers = await siteReport(walkSitemaps("https://example.com"), { site: "https://example.com" });
 * await writeFile("report.html", renderReport(numbers));
 */
export async function siteReport(
  events: AsyncIterable<WalkEvent> | Iterable<WalkEvent>,
  facts: ReportFacts = {},
): Promise<SiteReport> {
  const counter = new ReportCounter(facts.site);
  for await (const event of events) counter.add(event);
  return counter.numbers(facts);
}
