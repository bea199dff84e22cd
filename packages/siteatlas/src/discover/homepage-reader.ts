/** Finds links to sitemaps and feeds in the `Link` header and in the HTML head of a homepage. */
import { HomepageLinkReader, parseLinkHeader } from "./homepage-links.ts";

/** Maximum number of bytes of a homepage that are read. */
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

  /** `url`: the URL of the homepage after redirects. */
  constructor(url: string, linkHeader: string | undefined) {
    this.#fromHeader = parseLinkHeader(linkHeader, url);
    this.#reader = new HomepageLinkReader(url);
  }

  /** True if the reader needs no more bytes. */
  get done(): boolean {
    return this.#reader.done || this.#size >= MAX_SIZE;
  }

  push(bytes: Uint8Array): void {
    if (this.done) return;
    this.#size += bytes.length;
    this.#reader.push(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): HomepageLinks {
    this.#reader.end();
    return { sitemaps: [...this.#fromHeader, ...this.#reader.links], feeds: this.#reader.feeds };
  }
}
