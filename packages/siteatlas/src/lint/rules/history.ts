/** Rules that compare a site with an earlier state of it. */
import type { LintRule } from "../rule.ts";
import { BING_SITEMAPS } from "./sources.ts";

/** From this change of the number of pages on, something may be wrong. */
const JUMP = 0.2;
/** Fewer pages change by a fifth easily. */
const ENOUGH = 20;

export const historyRules: readonly LintRule[] = [
  {
    id: "history.count-jump",
    severity: "warning",
    message: "The number of pages changed by more than 20% since the snapshot",
    why: "Often a part of the sitemap was not generated, or pages are listed that should not be.",
    fix: "Compare with siteatlas diff which pages are new or missing.",
    source: BING_SITEMAPS,
    counts: "site",
    listen: ({ report, site }) => ({
      end: () => {
        const { previous, pageCount } = site;
        if (previous === undefined || previous.pageCount < ENOUGH) return;
        const change = (pageCount - previous.pageCount) / previous.pageCount;
        if (Math.abs(change) <= JUMP) return;
        report({ detail: `${previous.pageCount} pages before, ${pageCount} pages now` });
      },
    }),
  },
  {
    id: "history.vanished",
    severity: "info",
    message: "A page of the snapshot is in no sitemap any more",
    why: "Search engines visit a page less often if no sitemap lists it.",
    fix: "Nothing, if the page is gone. Otherwise list it again.",
    source: BING_SITEMAPS,
    counts: "page",
    listen: ({ report, site }) => ({
      end: async () => {
        const { previous, urls } = site;
        if (previous === undefined || urls.isFull) return;
        for await (const { url } of previous.pages()) if (urls.look(url) === "new") report({ value: url });
      },
    }),
  },
];
