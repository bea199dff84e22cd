/** Passes pages through filters, the sample and the limit to the output. */

import type { Page } from "../../model/model.ts";
import { Sample, sectionOf } from "../../page-list/sample.ts";
import type { Settings } from "../config/flags.ts";
import { createSelection, isSelective, type Selection } from "../config/page-filter.ts";
import type { RunCounts } from "../messages/run-counts.ts";
import type { Taken } from "../process/limit-reached.ts";
import { UsageError } from "../process/usage-error.ts";
import type { PageOutput } from "./page-output.ts";

export class PagePipeline {
  readonly #output: PageOutput;
  readonly #runCounts: RunCounts;
  readonly #limit: number;
  readonly #stratify: Settings["stratify"];
  readonly #select: Selection | undefined;
  readonly #sample: Sample<readonly [Page, string, string | undefined]> | undefined;

  constructor(settings: Settings, output: PageOutput, runCounts: RunCounts) {
    const { limit = Number.POSITIVE_INFINITY, sample, stratify } = settings;
    if (stratify !== undefined && sample === undefined) throw new UsageError("--stratify needs --sample");
    this.#output = output;
    this.#runCounts = runCounts;
    this.#limit = limit;
    this.#stratify = stratify;
    this.#select = createSelection(settings);
    if (sample !== undefined) this.#sample = new Sample(sample);
    if (isSelective(settings)) runCounts.selected = 0;
  }

  /** Takes one page. @param siteUrl the prefix that `--strip-url` removes @param site the site as the user gave it */
  page(page: Page, sitemapUrl: string, siteUrl?: string, site?: string): Taken {
    const given = this.#select === undefined ? page : this.#select(page, siteUrl);
    if (given === undefined) return undefined;
    if (this.#sample === undefined) return this.#give(given, sitemapUrl, site);
    const stratum = this.#stratify === "path" ? sectionOf(page.url) : this.#stratify && sitemapUrl;
    this.#sample.add([given, sitemapUrl, site], page.url, stratum);
    return undefined;
  }

  /** Call this after the last page. Writes the pages of the sample, if there is a sample. */
  async finish(): Promise<void> {
    for (const [page, sitemapUrl, site] of this.#sample?.end() ?? []) {
      if ((await this.#give(page, sitemapUrl, site)) === "limit-reached") return;
    }
  }

  #give(page: Page, sitemapUrl: string, site: string | undefined): Taken {
    const runCounts = this.#runCounts;
    if (runCounts.selected !== undefined) {
      if (runCounts.selected >= this.#limit) {
        runCounts.isCutShort = true;
        return "limit-reached";
      }
      runCounts.selected++;
    }
    return this.#output.page(page, sitemapUrl, site);
  }
}
