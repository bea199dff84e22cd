import { UrlSet } from "../../parse/fast/seen-urls.ts";

/** As many as the protocol allows in one sitemap. Stops a sitemap that repeats one URL millions of times. */
const MAX_REPEATED = 50_000;

/**
 * A set of URLs that lets repeated ones pass, so that the order in which a sitemap lists a URL twice does not matter.
 * They count as duplicates.
 */
export class RepeatedUrls extends UrlSet {
  /** Number of repeated URLs that passed. */
  passed = 0;

  override add(url: string): boolean {
    return super.add(url) || this.#pass();
  }

  override addHashed(hash: Parameters<UrlSet["addHashed"]>[0]): boolean {
    return super.addHashed(hash) || this.#pass();
  }

  #pass(): boolean {
    return this.passed < MAX_REPEATED && ++this.passed > 0;
  }
}
