/** From the pages of a walk or a parse to the sink: selection, sample, limit. */

import type { Page } from "../model.ts";
import { Enough } from "./enough.ts";
import type { Settings } from "./flags.ts";
import type { PageSink } from "./page-sink.ts";
import { Sample } from "./sample.ts";
import { isSelective, type Selection, sectionOf } from "./select.ts";
import type { Tally } from "./talk/tally.ts";
import { UsageError } from "./usage-error.ts";

export class PageFlow {
  readonly #sink: PageSink;
  readonly #tally: Tally;
  readonly #limit: number;
  readonly #stratify: Settings["stratify"];
  readonly #sample: Sample<readonly [Page, string]> | undefined;

  constructor(settings: Settings, sink: PageSink, tally: Tally) {
    const { limit = Number.POSITIVE_INFINITY, sample, stratify } = settings;
    if (stratify !== undefined && sample === undefined) throw new UsageError("--stratify needs --sample N");
    this.#sink = sink;
    this.#tally = tally;
    this.#limit = limit;
    this.#stratify = stratify;
    if (sample !== undefined) this.#sample = new Sample(sample);
    if (isSelective(settings)) tally.selected = 0;
  }

  /** @throws {Enough} once `--limit` is reached */
  page(page: Page, sitemapUrl: string, select: Selection | undefined): void | Promise<void> {
    const given = select === undefined ? page : select(page);
    if (given === undefined) return undefined;
    if (this.#sample === undefined) return this.#give(given, sitemapUrl);
    const stratum = this.#stratify === "path" ? sectionOf(page.url) : this.#stratify && sitemapUrl;
    this.#sample.add([given, sitemapUrl], page.url, stratum);
    return undefined;
  }

  /** Writes the sample, if there is one. */
  async finish(): Promise<void> {
    try {
      for (const [page, sitemapUrl] of this.#sample?.end() ?? []) await this.#give(page, sitemapUrl);
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
    }
  }

  #give(page: Page, sitemapUrl: string): void | Promise<void> {
    const tally = this.#tally;
    if (tally.selected !== undefined) {
      if (tally.selected >= this.#limit) {
        tally.isCutShort = true;
        throw new Enough();
      }
      tally.selected++;
    }
    return this.#sink.page(page, sitemapUrl);
  }
}
