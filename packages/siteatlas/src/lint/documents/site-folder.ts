/** The files of a site that is not published yet: which file is the page of a URL, and what its HTML says to crawlers. */
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isFileIn, pathOf } from "./folder-client.ts";
import { type HtmlFacts, htmlFacts } from "./html-facts.ts";

/** An HTML file of a folder. */
export interface FolderPage {
  /** Path of the file. */
  readonly file: string;
  /** URLs that servers may give to the file: `/a.html`, `/a` and `/a/`. */
  readonly urls: readonly string[];
}

/** Number of bytes at the start of an HTML file that are read. The tags in question are in its head. */
const HEAD_BYTES = 128 * 1024;
const HTML = /\.html?$/i;
/** Pages that no sitemap should list: error pages and proofs of ownership. */
const SPECIAL =
  /(?:^|\/)(?:40\d|50\d|_?error|google[\da-f]{16}|yandex_[\da-f]+|bingsiteauth)(?:\/index)?\.html?$/i;

/** The folder of a site, as if it were published at its origin. */
export class SiteFolder {
  readonly #folder: string;
  readonly #origin: string;
  #hasPages: boolean | undefined;

  /** @param origin where the folder will be published, such as `https://example.com` */
  constructor(folder: string, origin: string) {
    this.#folder = folder;
    this.#origin = origin;
  }

  /** Whether the URL belongs to the site. */
  has(url: string): boolean {
    return url.startsWith(`${this.#origin}/`);
  }

  /** Returns the file that servers send for a page: `/a` is `a`, `a.html` or `a/index.html`. */
  fileOf(url: string): string | undefined {
    const path = pathOf(url);
    if (path === undefined) return undefined;
    const names = path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`, `${path}/index.html`];
    return names.map((name) => join(this.#folder, name)).find((file) => isFileIn(this.#folder, file));
  }

  /** Whether the folder has an HTML file. Otherwise, the pages are probably built elsewhere. */
  get hasPages(): boolean {
    this.#hasPages ??= !this.pages().next().done;
    return this.#hasPages;
  }

  /** Yields the HTML files, and the URLs that each may have. */
  *pages(): Generator<FolderPage> {
    for (const entry of readdirSync(this.#folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      const path = relative(this.#folder, file).split(sep).map(encodeURIComponent).join("/");
      if (!entry.isFile() || !HTML.test(path) || SPECIAL.test(path)) continue;
      const short = path.replace(/(?:^|\/)index\.html?$/i, "").replace(HTML, "");
      yield {
        file,
        urls: [`${this.#origin}/${path}`, `${this.#origin}/${short}`, `${this.#origin}/${short}/`],
      };
    }
  }

  /** Reads what the HTML file tells crawlers. Undefined if it is not HTML. */
  factsOf(file: string): HtmlFacts | undefined {
    return HTML.test(file) ? htmlFacts(headOf(file)) : undefined;
  }
}

function headOf(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}
