/** The numbers of a report as Markdown, for summaries of jobs and pull requests. */
import { logLine } from "../escape/log-line.ts";
import { checkRows, findingRows } from "./finding-rows.ts";
import { readablePath, readableUrl } from "./readable-text.ts";
import type { SiteReport } from "./report-model.ts";
import { age, bytes, caveats, count, duration, headline, number, percent, timeText } from "./report-text.ts";

const MAX_SECTIONS = 12;
const MAX_ISSUES = 20;
const MAX_SITEMAPS = 15;
const MAX_TEXT = 400;

/**
 * Characters that Markdown or HTML could interpret. Without `@` and `:`, text of a site cannot mention users or create
 * links.
 */
const MARKUP = /[\\`*_{}[\]()#+!|~<>&"'@:-]/g;

function text(untrusted: string): string {
  return untrusted.replace(MARKUP, (character) => `&#${character.charCodeAt(0)};`);
}

/** A text for a cell of a table. It may be from a file of findings. */
function line(untrusted: string): string {
  return text(logLine(untrusted, { maxLength: MAX_TEXT }));
}

/** Escapes a text of siteatlas, such as `< 1%`. */
function own(trusted: string): string {
  return trusted.replace(/[<>&|]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // The first column is text, the other ones are mostly numbers.
  const alignment = head.map((_, index) => (index === 0 ? "---" : "--:"));
  return [head, alignment, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/**
 * Writes the numbers of a report as Markdown.
 *
 * @param title the heading. @default the site
 */
export function markdownReport(report: SiteReport, title: string = report.made.site): string {
  const { made, pages, sections, dates, languages, sitemaps, issues, changes } = report;
  const parts = [
    `# ${text(readableUrl(title, "", 200))}`,
    headline(report, text).join(" ").replaceAll("<", "&#60;").replaceAll(">", "&#62;"),
  ];
  const notes = caveats(report);
  if (notes.length > 0) parts.push(`**Incomplete:**\n\n${notes.map((note) => `- ${note}`).join("\n")}`);
  parts.push(
    table(
      ["", ""],
      [
        ["Pages", number(pages.total)],
        ["Different URLs", `${pages.isUniqueExact ? "" : "at least "}${number(pages.unique)}`],
        ["Sitemaps read", number(sitemaps.read)],
        ["Pages with a date", `${number(dates.dated)} (${own(percent(dates.dated, pages.total))})`],
        ...(dates.medianAgeDays === undefined ? [] : [["Median age", age(dates.medianAgeDays)]]),
        [
          "Languages",
          made.unknown.includes("languages") ? "unknown" : String(Object.keys(languages.pages).length),
        ],
        [
          "Issues",
          made.unknown.includes("issues")
            ? "unknown"
            : number(issues.reduce((all, one) => all + one.count, 0)),
        ],
      ],
    ).replace("|  |  |", "| Number | Value |"),
  );
  if (sections.length > 0) {
    parts.push(
      "## Sections",
      table(
        ["Section", "Pages", "Share", "With a date"],
        sections
          .slice(0, MAX_SECTIONS)
          .map((one) => [
            text(readablePath(one.path)),
            number(one.pages),
            own(percent(one.pages, pages.total)),
            own(percent(one.dated, one.pages)),
          ]),
      ),
    );
  }
  const last = changes?.runs.at(-1);
  if (last !== undefined) {
    const { at, added, changed, removed } = last;
    parts.push(
      "## Changes",
      `The sync of ${timeText(at)} found ${number(added)} added, ${number(changed)} changed and ${number(removed)} removed pages.`,
    );
  }
  for (const [title, rows] of [
    ["Findings", findingRows(report)],
    ["Checked pages", checkRows(report)],
  ] as const) {
    if (rows.length === 0) continue;
    parts.push(
      `## ${title}`,
      table(
        ["Finding", "Severity", "Count", "Fix"],
        rows
          .slice(0, MAX_ISSUES)
          .map(({ id, severity, message, fix, count: times }) => [
            `${line(message)} (${line(id)})`,
            severity,
            number(times),
            line(fix),
          ]),
      ),
    );
  }
  if (sitemaps.list.length > 0) {
    parts.push(
      "## Sitemaps",
      table(
        ["Sitemap", "Pages", "Size", "Time", "Status"],
        sitemaps.list
          .slice(0, MAX_SITEMAPS)
          .map((one) => [
            text(readableUrl(one.url, made.site)),
            number(one.pages),
            one.bytes === undefined ? "" : bytes(one.bytes),
            one.ms === undefined ? "" : duration(one.ms),
            `${one.outcome}${one.status === undefined ? "" : ` ${one.status}`}`,
          ]),
      ),
    );
    const more = sitemaps.list.length - MAX_SITEMAPS + sitemaps.unlisted;
    if (more > 0) parts.push(`${count(more, "sitemap")} more.`);
  }
  parts.push(`Read ${timeText(made.at)} by siteatlas.`);
  return `${parts.join("\n\n")}\n`;
}
