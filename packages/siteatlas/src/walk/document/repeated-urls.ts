import { UrlSet } from "../../parse/fast/seen-urls.ts";

/**
 * Maximum number of repeated URLs that pass: the protocol allows this number of URLs in one sitemap. Stops a sitemap
 * that repeats one URL millions of times.
 */
const MAX_REPEATED = 50_000;

/**
 * A set of URLs for a sync. It lets a repeated URL pass: `addHash` returns true. The sync merges the entries of a URL, so
 * that their order does not matter. Repeated URLs count as duplicates.
 */
export class RepeatedUrls extends UrlSet {
  /** Number of repeated URLs that passed. */
  passed = 0;

  /** `add` and `addHashed` also call this. */
  override addHash(hashA: number, hashB: number): boolean {
    return super.addHash(hashA, hashB) || this.#pass();
  }

  #pass(): boolean {
    return this.passed < MAX_REPEATED && ++this.passed > 0;
  }
}
