/** Counts the events of a walk for one chart of a report, for `siteatlas stats --svg`. */
import type { Issue, Page } from "../../model/model.ts";
import { renderChart } from "../../report/render/render-chart.ts";
import { ReportCounter } from "../../report/report-counter.ts";
import type { ChartName } from "../../report/report-model.ts";
import type { WalkedSitemap } from "../../walk/events/events.ts";

export interface ChartDraft {
  addPage(page: Page): void;
  addSitemap(sitemap: WalkedSitemap): void;
  addIssue(issue: Issue): void;
  /** Draws the chart. @param isCut whether the run was interrupted */
  draw(site: string, isCut: boolean): string;
}

export function startChart(name: ChartName): ChartDraft {
  const counter = new ReportCounter();
  return {
    addPage: (page) => counter.addPage(page),
    addSitemap: (sitemap) => counter.addSitemap(sitemap),
    addIssue: (issue) => counter.addIssue(issue),
    draw: (site, isCut) => renderChart(counter.numbers({ site, stops: isCut ? ["interrupted"] : [] }), name),
  };
}
