/**
 * Reads the links of an HTML sitemap, a page that lists the pages of a site for people. Each `<a href>` and `<area
 * href>` is a page, with the text of the link as its title. Links with `rel="nofollow"` are left out, and so are the
 * links that page-link.ts leaves out. The first `<base href>` applies to the links after it: in valid HTML, no link
 * comes before it.
 *
 * Only one link is in memory at a time, and the length of its text is limited. So a page with any number of links is
 * read in constant memory.
 */
import { decodeReferences } from "../xml/entities.ts";
import { type AttributeReader, HtmlTokenizer } from "./html-tokenizer.ts";
import { collapse, LinkedPages, type LinkOptions, resolveLink } from "./page-link.ts";

/**
 * Maximum number of characters of the text of a link, including white space and references that are not decoded yet.
 * Stops a link that is never closed. Titles are shorter (`limits.textLength`).
 */
const MAX_TEXT_LENGTH = 65_536;

/** Elements that separate words. Inside a link, they become a space. */
const BLOCKS: ReadonlySet<string> = new Set(
  "br p div li ul ol dl dt dd td th tr h1 h2 h3 h4 h5 h6 hr img section article header footer".split(" "),
);

export class HtmlLinkReader {
  readonly #options: LinkOptions;
  readonly #pages: LinkedPages;
  readonly #tokenizer: HtmlTokenizer;
  #hasBase = false;
  /** The target of the open link. Undefined outside of links, and in links that are left out. */
  #href: string | undefined;
  #text = "";

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#pages = new LinkedPages(options, "html");
    this.#tokenizer = new HtmlTokenizer(
      {
        startTag: (tag, attribute) => this.#startTag(tag, attribute),
        endTag: (tag) => {
          if (tag === "a") this.#endLink();
          else this.#separate(tag);
        },
        text: (text, from, end) => {
          if (this.#href !== undefined) this.#addText(text, from, end);
        },
      },
      ["href", "rel"],
    );
  }

  /** Whether the page has a link to a page of the site. */
  get hasPages(): boolean {
    return this.#pages.hasPages;
  }

  push(text: string): void {
    this.#tokenizer.push(text);
  }

  /** Ends the page. Drops an open link of a truncated page, because its text is incomplete. */
  end(cut: boolean): void {
    if (!cut) this.#endLink();
  }

  #startTag(tag: string, attribute: AttributeReader): void {
    if (tag === "a" || tag === "area") {
      // Links cannot be nested: a second link ends the first one.
      this.#endLink();
      const relations = attribute("rel")?.toLowerCase().split(/\s+/);
      if (!relations?.includes("nofollow")) this.#href = attribute("href");
      if (tag === "area") this.#endLink();
    } else if (tag === "base" && !this.#hasBase) {
      const href = attribute("href");
      this.#hasBase = href !== undefined;
      const { url } = this.#options;
      if (href !== undefined)
        this.#pages.base = resolveLink(href, url || undefined)?.href ?? this.#pages.base;
    } else this.#separate(tag);
  }

  #separate(tag: string): void {
    if (this.#href !== undefined && BLOCKS.has(tag)) this.#addText(" ", 0, 1);
  }

  #addText(text: string, from: number, end: number): void {
    this.#text += text.slice(from, Math.min(end, from + MAX_TEXT_LENGTH - this.#text.length));
  }

  #endLink(): void {
    const href = this.#href;
    if (href === undefined) return;
    const title = collapse(decodeReferences(this.#text, () => {}).text);
    this.#href = undefined;
    this.#text = "";
    this.#pages.add({ href, title });
  }
}
