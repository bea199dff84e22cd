/**
 * Writes a model as a document: urlset, sitemap index, RSS 2.0, RSS 1.0, Atom 1.0, Atom 0.3, JSON Feed, list of
 * URLs or robots.txt. Adds other content that such documents have, which must not be read as an entry.
 * generate-bytes.ts turns the text into bytes.
 */
import type {
  DateValue,
  NewsArticle,
  Page,
  PageMedia,
  PageVideo,
  SubSitemap,
} from "../../src/model/model.ts";
import type { SitemapModel } from "./generate-model.ts";
import { writeXml, type XmlElement, type XmlOutput, type XmlStyle } from "./generate-xml.ts";
import { seededRandom } from "./splits.ts";

/** The text of the document. `output` matters to XML alone, and its `home` is chosen here. */
export function writeDocument(
  model: SitemapModel,
  style: XmlStyle,
  output: Pick<XmlOutput, "encoding" | "canWrite">,
): string {
  const writer = new DocumentWriter(style);
  switch (model.format) {
    case "json":
      return writer.jsonFeed(model.pages, output.canWrite);
    case "text":
      return writer.list(model.pages);
    case "robots":
      return writer.robots(model.children);
    default: {
      const { root, home } = writer.xml(model);
      return writeXml(root, style, { ...output, home });
    }
  }
}

type Attributes = NonNullable<XmlElement["attributes"]>;

class DocumentWriter {
  readonly #style: XmlStyle;
  readonly #random: () => number;

  constructor(style: XmlStyle) {
    this.#style = style;
    this.#random = seededRandom(style.seed ^ 0x5eed);
  }

  xml({ format, pages, children }: SitemapModel): { root: XmlElement; home: string | undefined } {
    switch (format) {
      case "urlset":
        return {
          root: element(
            "sm:urlset",
            pages.map((page) => this.#url(page)),
          ),
          home: "sm",
        };
      case "sitemapindex":
        return {
          root: element(
            "sm:sitemapindex",
            children.map((child) => this.#sitemap(child)),
          ),
          home: "sm",
        };
      case "rss1":
        return { root: this.#rdf(pages), home: "rss" };
      case "atom1":
        return { root: this.#feed(pages, "atom"), home: "atom" };
      case "atom03":
        return { root: this.#feed(pages, "atom03"), home: "atom03" };
      default:
        return { root: this.#rss(pages), home: undefined };
    }
  }

  // Sitemaps

  #sitemap({ url, lastModified }: SubSitemap): XmlElement {
    return element("sm:sitemap", this.#order([text("sm:loc", url), ...date("sm:lastmod", lastModified)]));
  }

  #url(page: Page): XmlElement {
    const fields = [
      text("sm:loc", page.url),
      ...date("sm:lastmod", page.lastModified),
      ...optional("sm:changefreq", page.changeFrequency),
      ...optional("sm:priority", page.priority === undefined ? undefined : this.#priority(page.priority)),
      ...(page.news === undefined ? [] : [this.#news(page.news)]),
      ...(page.mobile ? [element("mobile:mobile", [])] : []),
    ];
    // Items of one kind keep their order.
    const groups = [
      ...fields.map((field) => [field]),
      (page.images ?? []).map((image) =>
        element("image:image", [
          text("image:loc", image.url),
          ...optional("image:title", image.title),
          ...optional("image:caption", image.caption),
          ...optional("image:geo_location", image.geoLocation),
          ...optional("image:license", image.license),
        ]),
      ),
      (page.videos ?? []).map((video) => this.#video(video)),
      (page.alternates ?? []).map((alternate) =>
        element(
          "xhtml:link",
          [],
          [
            ["rel", "alternate"],
            ...attribute("hreflang", alternate.languageText ?? alternate.language),
            ...attribute("media", alternate.media),
            ["href", alternate.url],
          ],
        ),
      ),
      page.pageMap === undefined ? [] : [this.#pageMap(page.pageMap)],
    ];
    return element("sm:url", this.#order(groups).flat());
  }

  #priority(priority: number): string {
    return Number.isInteger(priority * 10) && this.#chance(0.7) ? priority.toFixed(1) : String(priority);
  }

  #news(news: NewsArticle): XmlElement {
    const listed = (items: readonly string[]): string | undefined =>
      items.length === 0 ? undefined : items.join(this.#chance(0.5) ? ", " : ",");
    return element(
      "news:news",
      this.#order([
        element("news:publication", [
          ...optional("news:name", news.publicationName),
          ...optional("news:language", news.language),
        ]),
        ...optional("news:access", news.access),
        ...optional("news:genres", listed(news.genres)),
        ...date("news:publication_date", news.published),
        ...optional("news:title", news.title),
        ...optional("news:keywords", listed(news.keywords)),
        ...optional("news:stock_tickers", listed(news.stockTickers)),
      ]),
    );
  }

  #video(video: PageVideo): XmlElement {
    const yesNo = (flag: boolean | undefined): string | undefined =>
      flag === undefined ? undefined : flag ? "yes" : "no";
    const number = (value: number | undefined): string | undefined =>
      value === undefined ? undefined : String(value);
    const rules = (["restriction", "platform"] as const).flatMap((name) => {
      const rule = video[name];
      if (rule === undefined) return [];
      return [text(`video:${name}`, rule.values.join(" "), [["relationship", rule.relationship]])];
    });
    const { uploader } = video;
    return element("video:video", [
      ...optional("video:thumbnail_loc", video.thumbnailUrl),
      ...optional("video:title", video.title),
      ...optional("video:description", video.description),
      ...optional("video:content_loc", video.contentUrl),
      ...optional("video:player_loc", video.playerUrl),
      ...optional("video:duration", number(video.durationSeconds)),
      ...date("video:publication_date", video.published),
      ...date("video:expiration_date", video.expires),
      ...optional("video:rating", number(video.rating)),
      ...optional("video:view_count", number(video.viewCount)),
      ...optional("video:family_friendly", yesNo(video.familyFriendly)),
      ...optional("video:live", yesNo(video.live)),
      ...optional("video:requires_subscription", yesNo(video.requiresSubscription)),
      ...optional("video:category", video.category),
      ...optional("video:gallery_loc", video.galleryUrl),
      ...(uploader === undefined
        ? []
        : [text("video:uploader", uploader.name, attribute("info", uploader.url))]),
      ...rules,
      ...(video.prices ?? []).map((price) =>
        text("video:price", String(price.amount), [
          ...attribute("currency", price.currency),
          ...attribute("type", price.type),
          ...attribute("resolution", price.resolution),
        ]),
      ),
      ...video.tags.map((tag) => text("video:tag", tag)),
    ]);
  }

  #pageMap(objects: NonNullable<Page["pageMap"]>): XmlElement {
    return element(
      "pagemap:PageMap",
      objects.map(({ type, id, attributes }) =>
        element(
          "pagemap:DataObject",
          attributes.map(({ name, value }) => text("pagemap:Attribute", value, attribute("name", name))),
          [...attribute("type", type), ...attribute("id", id)],
        ),
      ),
    );
  }

  // Feeds

  #rss(pages: readonly Page[]): XmlElement {
    const channel = element("channel", [
      text("title", "News & more"),
      text("link", "https://no.example/"),
      element("image", [text("url", "https://no.example/i.png"), text("link", "https://no.example/")]),
      ...pages.map((page) => this.#item(page)),
    ]);
    return element("rss", [channel], [["version", "2.0"]]);
  }

  #item(page: Page): XmlElement {
    const changed = this.#pick(["atom:updated", "dc:modified", "dc:date"]);
    const groups = [
      ...this.#rssLocation(page).map((field) => [field]),
      optional("title", page.title),
      date("pubDate", page.published),
      date(changed, laterDate(page)),
      (page.media ?? []).map((media) => this.#rssMedia(media)),
      [element("source", [], [["url", "https://no.example/feed"]])],
      [text("description", '<a href="https://no.example/">more</a> & more')],
    ];
    return element("item", this.#order(groups).flat());
  }

  #rssLocation(page: Page): XmlElement[] {
    if (page.feedUrl !== undefined)
      return [text("link", page.feedUrl), text("feedburner:origLink", page.url)];
    // A permanent link is enough (F05).
    if (this.#chance(0.1))
      return [text("guid", page.url, this.#chance(0.5) ? [["isPermaLink", "true"]] : [])];
    return [text("link", page.url), text("guid", "https://no.example/guid", [["isPermaLink", "false"]])];
  }

  #rssMedia(media: PageMedia): XmlElement {
    const type = attribute("type", media.type);
    if (media.medium === undefined && media.title === undefined) {
      return element("enclosure", [], [["url", media.url], ["length", "1"], ...type]);
    }
    const attributes: Attributes = [["url", media.url], ...type, ...attribute("medium", media.medium)];
    return element("media:content", optional("media:title", media.title), attributes);
  }

  #rdf(pages: readonly Page[]): XmlElement {
    const channel = element("rss:channel", [
      text("rss:title", "News"),
      text("rss:link", "https://no.example/"),
    ]);
    const items = pages.map((page) =>
      element(
        "rss:item",
        this.#order([
          ...optional("rss:title", page.title),
          text("rss:link", page.url),
          ...date("dc:created", page.published),
          ...date(this.#pick(["dc:date", "dc:modified"]), laterDate(page)),
        ]),
        [["rdf:about", page.url]],
      ),
    );
    return element("rdf:RDF", [channel, ...items]);
  }

  #feed(pages: readonly Page[], vocabulary: "atom" | "atom03"): XmlElement {
    return element(`${vocabulary}:feed`, [
      text(`${vocabulary}:title`, "News"),
      element(
        `${vocabulary}:link`,
        [],
        [
          ["rel", "self"],
          ["href", "https://no.example/feed"],
        ],
      ),
      text(`${vocabulary}:id`, "https://no.example/"),
      ...pages.map((page) => this.#entry(page, vocabulary)),
    ]);
  }

  #entry(page: Page, vocabulary: "atom" | "atom03"): XmlElement {
    const names =
      vocabulary === "atom"
        ? { published: "atom:published", modified: "atom:updated" }
        : { published: this.#pick(["atom03:issued", "atom03:created"]), modified: "atom03:modified" };
    const relation: Attributes = this.#chance(0.5)
      ? [
          ["rel", "alternate"],
          ["type", "text/html"],
        ]
      : [];
    const groups = [
      optional(`${vocabulary}:title`, page.title),
      [element(`${vocabulary}:link`, [], [...relation, ["href", page.url]])],
      [
        element(
          `${vocabulary}:link`,
          [],
          [
            ["rel", "edit"],
            ["href", "https://no.example/edit"],
          ],
        ),
      ],
      [text(`${vocabulary}:id`, "tag:no.example,2024:1")],
      date(names.published, page.published),
      date(names.modified, laterDate(page)),
      (page.media ?? []).map((media) =>
        element(
          `${vocabulary}:link`,
          [],
          [["rel", "enclosure"], ...attribute("type", media.type), ["href", media.url]],
        ),
      ),
      [text(`${vocabulary}:summary`, "<p>more & more</p>")],
    ];
    return element(`${vocabulary}:entry`, this.#order(groups).flat());
  }

  jsonFeed(pages: readonly Page[], canWrite: (character: string) => boolean): string {
    const items = pages.map((page) => {
      const [image, banner] = page.images ?? [];
      const address = this.#pick(["url", "external_url", "id"]);
      return {
        ...(address !== "id" && { id: "1" }),
        content_html: '<a href="https://no.example/">more</a>',
        [address]: page.url,
        ...(page.title !== undefined && { title: page.title }),
        ...(page.published && { date_published: page.published.text }),
        ...(laterDate(page) && { date_modified: laterDate(page)?.text }),
        ...(image && { image: image.url }),
        ...(banner && { banner_image: banner.url }),
        ...(page.media && {
          attachments: page.media.map(({ url, type, title }) => ({ url, mime_type: type, title })),
        }),
      };
    });
    const version = { version: "https://jsonfeed.org/version/1.1", title: "News" };
    const feed = this.#chance(0.5) ? { ...version, items } : { items, ...version };
    const text = JSON.stringify(feed, undefined, this.#style.indent);
    const escapes = this.#style.references;
    return Array.from(text, (character) => {
      const keep = character < "\x7f" || (canWrite(character) && !escapes);
      return keep ? character : escapeJson(character);
    }).join("");
  }

  // Lists

  list(pages: readonly Page[]): string {
    const lines = pages.map(({ url, lastModified }) => (lastModified ? `${url}\t${lastModified.text}` : url));
    return this.#lines(lines.flatMap((line) => (this.#chance(0.1) ? ["", line] : [line])));
  }

  robots(children: readonly SubSitemap[]): string {
    const lines = children.map(({ url }) => {
      const key = this.#pick(["Sitemap:", "Sitemap: ", "sitemap: ", "SITEMAP : "]);
      return `${key}${url}${this.#chance(0.1) ? " # a note" : ""}`;
    });
    const group = ["User-agent: *", "Disallow: /private/", "# Sitemap: https://no.example/sitemap.xml", ""];
    return this.#lines(this.#chance(0.5) ? [...group, ...lines] : [...lines, ...group]);
  }

  #lines(lines: readonly string[]): string {
    const end = this.#pick(["\n", "\r\n", "\r"]);
    return lines.join(end) + (this.#chance(0.5) ? end : "");
  }

  // Choices

  #order<T>(parts: readonly T[]): T[] {
    const ordered = [...parts];
    if (!this.#style.shuffled) return ordered;
    for (let i = ordered.length - 1; i > 0; i--) {
      const j = Math.floor(this.#random() * (i + 1));
      [ordered[i], ordered[j]] = [ordered[j]!, ordered[i]!];
    }
    return ordered;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)]!;
  }
}

function element(name: string, children: readonly XmlElement[], attributes: Attributes = []): XmlElement {
  return { name, children, attributes };
}

function text(name: string, value: string, attributes: Attributes = []): XmlElement {
  return { name, children: value, attributes };
}

function optional(name: string, value: string | undefined): XmlElement[] {
  return value === undefined ? [] : [text(name, value)];
}

function date(name: string, value: DateValue | undefined): XmlElement[] {
  return optional(name, value?.text);
}

function attribute(name: string, value: string | undefined): [name: string, value: string][] {
  return value === undefined ? [] : [[name, value]];
}

/** The last-modified date of a feed entry, if it differs from the publication date. */
function laterDate({ published, lastModified }: Page): DateValue | undefined {
  return lastModified?.text === published?.text ? undefined : lastModified;
}

function escapeJson(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    return `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }).join("");
}
