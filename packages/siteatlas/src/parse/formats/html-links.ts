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

/**
 * Matches the title of an HTML sitemap, in the languages of most websites. "Sitemap" itself is used in many of them.
 */
const SITEMAP_TITLE =
  /site[\s_-]?map|plan du site|mapa (?:del sitio|web|do site|strony|stránek|stránok)|mappa del sito|seiten(?:übersicht|plan)|site\s?haritası|карта сайт|мапа сайт|サイトマップ|网站地图|網站地圖|站点地图|사이트\s?맵|sivu(?:sto)?kartta|nettstedskart|sitekart|webbplatskarta|oldaltérkép|sơ đồ (?:trang|web)|peta situs|خريطة الموقع|מפת ה?אתר|แผนผังเว็บไซต์/i;
/** Maximum length of a page's title that is examined. */
const MAX_TITLE_LENGTH = 1000;

export class HtmlLinkReader {
  readonly #options: LinkOptions;
  readonly #pages: LinkedPages;
  readonly #tokenizer: HtmlTokenizer;
  #hasBase = false;
  /** The target of the open link. Undefined outside of links, and in links that are left out. */
  #href: string | undefined;
  #text = "";
  #isInTitle = false;
  /** The start of the page's title. */
  #title = "";
  readonly #needsTitle: boolean;

  /** `needsTitle`: read the links only if the title of the page says that it is a sitemap. */
  constructor(options: LinkOptions, needsTitle: boolean) {
    this.#options = options;
    this.#needsTitle = needsTitle;
    this.#pages = new LinkedPages(options, "html");
    this.#tokenizer = new HtmlTokenizer(
      {
        startTag: (tag, attribute) => this.#startTag(tag, attribute),
        endTag: (tag) => {
          // An icon's empty `<title/>` has no end tag, so any end tag ends it.
          this.#isInTitle = false;
          if (tag === "a") this.#endLink();
          else this.#separate(tag);
        },
        text: (text, from, end) => {
          if (this.#isInTitle) {
            const free = MAX_TITLE_LENGTH - this.#title.length;
            this.#title += text.slice(from, Math.min(end, from + free));
          } else if (this.#href !== undefined) this.#addText(text, from, end);
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
    this.#isInTitle = tag === "title";
    if (tag === "a" || tag === "area") {
      if (this.#needsTitle && !SITEMAP_TITLE.test(this.#title)) {
        this.#tokenizer.done = true;
        return;
      }
      // Links cannot be nested: a second link ends the first one.
      this.#endLink();
      const relations = attribute("rel")
        ?.toLowerCase()
        .split(/[\s,]+/);
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
