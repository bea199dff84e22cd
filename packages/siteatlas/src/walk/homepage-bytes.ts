/** The links of a homepage, from its bytes: those of the `Link` header, then those of the head. */
import { HomepageLinkReader, parseLinkHeader } from "../discover/homepage-links.ts";

/** As much of a homepage as is looked at. */
const MAX_SIZE = 512 * 1024;

export interface HomepageLinks {
  readonly sitemaps: readonly string[];
  readonly feeds: readonly string[];
}

export class HomepageBytes {
  readonly #fromHeader: readonly string[];
  readonly #reader: HomepageLinkReader;
  readonly #decoder = new TextDecoder();
  #size = 0;

  /** `url` is that after redirects. */
  constructor(url: string, linkHeader: string | undefined) {
    this.#fromHeader = parseLinkHeader(linkHeader, url);
    this.#reader = new HomepageLinkReader(url);
  }

  /** More bytes make no difference. */
  get done(): boolean {
    return this.#reader.done || this.#size >= MAX_SIZE;
  }

  push(bytes: Uint8Array): void {
    if (this.done) return;
    this.#size += bytes.length;
    this.#reader.push(this.#decoder.decode(bytes, { stream: true }));
  }

  /** All links, in order, and the feeds. */
  end(): HomepageLinks {
    this.#reader.end();
    return { sitemaps: [...this.#fromHeader, ...this.#reader.links], feeds: this.#reader.feeds };
  }
}
