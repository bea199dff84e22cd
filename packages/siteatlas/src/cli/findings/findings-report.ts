/** The data that all formats of findings are written from. */
import { terminalText } from "../../escape/terminal.ts";
import type { FindingGroup, SeverityCounts } from "../../lint/group-findings.ts";

export interface FindingsReport {
  /** The command that made the report. */
  readonly tool: "lint" | "check";
  /** The site, the folder or the file. */
  readonly target: string;
  readonly version: string;
  readonly pages: number;
  readonly sitemaps: number;
  /** The groups: errors first. */
  readonly groups: readonly FindingGroup[];
  /** Number of rules that have findings, by severity. */
  readonly counts: SeverityCounts;
  /** Number of findings that the baseline contains. They are not in `groups`. */
  readonly known: number;
  /** Complete sentences about checks that were not possible. */
  readonly notes: readonly string[];
}

/** The place of an example as safe text, such as `dist/sitemap.xml` or `https://example.com/sitemap.xml`. */
export function documentOf({ file, url }: { readonly file?: string; readonly url: string }): string {
  return terminalText(file ?? url);
}
