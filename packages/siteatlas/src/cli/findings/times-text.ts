/** How often a problem occurs, as text. */
import type { FindingGroup } from "../../lint/group-findings.ts";
import { count, number } from "../terminal/format-text.ts";
import type { FindingsReport } from "./findings-report.ts";

/** How often, in how many documents, on which share of the pages. Empty for a single occurrence. */
export function timesText(
  { count: times, documents, rule }: FindingGroup,
  { pages }: FindingsReport,
): string {
  if (times === 1) return "";
  // If each occurrence is in a document of its own, as for pages, the second number says nothing.
  const where = documents > 1 && documents < times ? ` in ${count(documents, "document")}` : "";
  const isShare = rule.counts === "page" && pages >= times && pages >= 10;
  return `${number(times)} times${where}${isShare ? ` (${percent(times / pages)} of ${number(pages)} pages)` : ""}`;
}

function percent(share: number): string {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "less than 0.1%";
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}%`;
}
