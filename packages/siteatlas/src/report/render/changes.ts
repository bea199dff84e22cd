/** What changed: at the last syncs (a report of a snapshot), or since an earlier report (`--compare`). */
import { readablePath } from "../readable-text.ts";
import type { SiteReport } from "../report-model.ts";
import { count, number, sum, timeText } from "../report-text.ts";
import { card, dataTable, foreign, type Html, html } from "./html.ts";
import { issueTotal } from "./summary-tiles.ts";

export function syncChanges({ changes }: SiteReport): Html | undefined {
  const last = changes?.runs.at(-1);
  if (changes === undefined || last === undefined) return undefined;
  const rows = [...changes.runs]
    .reverse()
    .map(({ at, added, changed, removed, unknown }) => [
      timeText(at),
      number(added),
      number(changed),
      number(removed),
      number(unknown),
    ]);
  const pending =
    changes.pending > 0 &&
    html`<p class="note">${count(changes.pending, "page")} ${changes.pending === 1 ? "is" : "are"} no longer listed, but the removal is not certain yet.</p>`;
  return card(
    "changes",
    "What changed at the last sync",
    timeText(last.at),
    html`<p class="deltas"><b class="good">+${number(last.added)}</b> added <b>${number(last.changed)}</b> changed <b class="error">−${number(last.removed)}</b> removed</p>${pending}`,
    dataTable("syncs", ["Sync", "Added", "Changed", "Removed", "Sitemaps not read"], rows),
  );
}

export function comparison(report: SiteReport, before: SiteReport): Html {
  const [now, then] = [report, before].map(
    ({ sections }) => new Map(sections.map((one) => [one.path, one.pages])),
  );
  const paths = [...new Set([...now!.keys(), ...then!.keys()])]
    .map((path) => ({ path, by: (now!.get(path) ?? 0) - (then!.get(path) ?? 0) }))
    .filter(({ by }) => by !== 0)
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by))
    .slice(0, 15);
  const line = (name: Html | string, a: number, b: number): readonly (Html | string)[] => [
    name,
    number(a),
    number(b),
    signed(b - a),
  ];
  const totals = [
    line("Pages", before.pages.total, report.pages.total),
    line("Different URLs", before.pages.unique, report.pages.unique),
    line("Sitemaps", before.sitemaps.read, report.sitemaps.read),
    line("Failed sitemaps", before.sitemaps.failed, report.sitemaps.failed),
    line("Pages with a date", before.dates.dated, report.dates.dated),
    line("Pages with a language", sum(before.languages.pages), sum(report.languages.pages)),
    line("Findings", issueTotal(before), issueTotal(report)),
    ...paths.map(({ path }) =>
      line(foreign(readablePath(path, 40)), then!.get(path) ?? 0, now!.get(path) ?? 0),
    ),
  ];
  const rows = totals.map(
    ([name, a, b, by]) =>
      html`<tr><th scope="row">${name}</th><td class="n">${a}</td><td class="n">${b}</td><td class="n">${by}</td></tr>`,
  );
  return card(
    "comparison",
    "Since the earlier report",
    html`Compared with the report of ${timeText(before.made.at)}. The numbers are totals: they do not say which pages are new.`,
    html`<table class="rows"><caption class="sr">Totals now and before</caption><thead><tr><th scope="col">Number</th><th scope="col" class="n">Before</th><th scope="col" class="n">Now</th><th scope="col" class="n">Difference</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

function signed(value: number): string {
  return value === 0 ? "0" : `${value > 0 ? "+" : "−"}${number(Math.abs(value))}`;
}
