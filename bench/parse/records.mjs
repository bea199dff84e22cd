/**
 * The page records that every parser has to produce, and the cheapest sensible way to make them from the
 * events of a SAX parser. One builder for all of them, so that the difference is the parser's.
 *
 * Where there was a choice, the parsers behind this builder have the cheaper one:
 * - URLs: the shortcut that siteatlas itself takes. A URL on one of the last two origins that holds only
 *   characters which normalisation leaves alone is taken as it is; only the others go through `new URL`.
 *   `--urls canparse` and `--urls href` show what the more usual ways cost them: `URL.canParse` for URLs in
 *   their normal form, `new URL(loc).href` for each one.
 * - Dates: the text is kept and becomes a Date when somebody reads it. siteatlas reads them at once, because
 *   it reports the wrong ones.
 * - Namespaces: names are compared as written (`image:loc`). siteatlas resolves prefixes.
 * - Repeated URLs: a Set.
 * - No issue is reported, no line is counted, nothing is repaired.
 */

/** A character that normalisation would change, or a dot segment. */
const NOT_PLAIN = /[^\w\-.~!$()*+,;=:@?&%/]|\/(?:\.|%2[eE])/;
/** Looks like a URL in its normal form, up to the end of its host. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z\d.-]+\//;

/** Ways to validate and normalise a URL, the cheapest first. */
export const urlModes = ["shortcut", "canparse", "href"];

/** Gives the function that turns the text of a URL into a valid, normalised one, or undefined. */
export function createUrlReader(mode) {
  const parse = (text) => {
    try {
      const url = new URL(text);
      return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
    } catch {
      return undefined;
    }
  };
  if (mode === "href") return (text) => parse(text)?.href;
  if (mode === "canparse") {
    return (text) => {
      if (!PLAIN_ORIGIN.test(text) || NOT_PLAIN.test(text)) return parse(text)?.href;
      return URL.canParse(text) ? text : undefined;
    };
  }
  let last = " ";
  let other = " ";
  return (text) => {
    const known = text.startsWith(last) ? last : text.startsWith(other) ? other : undefined;
    if (known !== undefined && !NOT_PLAIN.test(text.slice(known.length))) return text;
    const url = parse(text);
    if (url === undefined) return undefined;
    const origin = `${url.origin}/`;
    if (origin !== last && origin !== other) {
      other = last;
      last = origin;
    }
    return url.href;
  };
}

/** A date as written; its instant when somebody asks. */
class WrittenDate {
  constructor(text) {
    this.text = text;
  }

  get value() {
    const value = new Date(this.text);
    return Number.isNaN(value.getTime()) ? undefined : value;
  }
}

const FREQUENCIES = new Set(["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"]);

const list = (text) => text.split(",").map((item) => item.trim());

function yesNo(text) {
  if (text === "yes") return true;
  return text === "no" ? false : undefined;
}

/** Fields of the extensions: how the text of each is put into the record. */
const extensionFields = new Map([
  ["news:name", (maker, text) => (maker.news.publicationName = text)],
  ["news:language", (maker, text) => (maker.news.language = text)],
  ["news:publication_date", (maker, text) => (maker.news.published = new WrittenDate(text))],
  ["news:title", (maker, text) => (maker.news.title = text)],
  ["news:access", (maker, text) => (maker.news.access = text)],
  ["news:genres", (maker, text) => (maker.news.genres = list(text))],
  ["news:keywords", (maker, text) => (maker.news.keywords = list(text))],
  ["news:stock_tickers", (maker, text) => (maker.news.stockTickers = list(text))],
  ["image:loc", (maker, text) => (maker.image.url = maker.readUrl(text))],
  ["image:title", (maker, text) => (maker.image.title = text)],
  ["image:caption", (maker, text) => (maker.image.caption = text)],
  ["image:geo_location", (maker, text) => (maker.image.geoLocation = text)],
  ["image:license", (maker, text) => (maker.image.license = maker.readUrl(text))],
  ["video:thumbnail_loc", (maker, text) => (maker.video.thumbnailUrl = maker.readUrl(text))],
  ["video:title", (maker, text) => (maker.video.title = text)],
  ["video:description", (maker, text) => (maker.video.description = text)],
  ["video:content_loc", (maker, text) => (maker.video.contentUrl = maker.readUrl(text))],
  ["video:player_loc", (maker, text) => (maker.video.playerUrl = maker.readUrl(text))],
  ["video:duration", (maker, text) => (maker.video.durationSeconds = Number(text))],
  ["video:rating", (maker, text) => (maker.video.rating = Number(text))],
  ["video:view_count", (maker, text) => (maker.video.viewCount = Number(text))],
  ["video:publication_date", (maker, text) => (maker.video.published = new WrittenDate(text))],
  ["video:expiration_date", (maker, text) => (maker.video.expires = new WrittenDate(text))],
  ["video:family_friendly", (maker, text) => (maker.video.familyFriendly = yesNo(text))],
  ["video:live", (maker, text) => (maker.video.live = yesNo(text))],
  ["video:requires_subscription", (maker, text) => (maker.video.requiresSubscription = yesNo(text))],
  ["video:category", (maker, text) => (maker.video.category = text)],
  [
    "video:restriction",
    (maker, text) => (maker.video.restriction = rule(text, maker.attributes.relationship)),
  ],
  ["video:platform", (maker, text) => (maker.video.platform = rule(text, maker.attributes.relationship))],
  ["video:tag", (maker, text) => maker.video.tags.push(text)],
]);

function rule(text, relationship) {
  return { relationship: relationship === "deny" ? "deny" : "allow", values: text.split(" ") };
}

/** Makes the values of a record, and gives out those whose URL is new. What every parser but ours goes through. */
export class RecordMaker {
  constructor({ urls, onPage, onChild }) {
    this.readUrl = createUrlReader(urls);
    this.onPage = onPage;
    this.onChild = onChild;
    this.seen = new Set();
    this.attributes = {};
    this.news = undefined;
    this.image = undefined;
    this.video = undefined;
  }

  isNew(url) {
    if (url === undefined || this.seen.has(url)) return false;
    this.seen.add(url);
    return true;
  }

  startNews() {
    return { genres: [], keywords: [], stockTickers: [] };
  }

  startVideo() {
    return { tags: [] };
  }

  /** Puts one of the four plain fields into the record. */
  setField(record, name, text) {
    switch (name) {
      case "loc":
        record.url = this.readUrl(text);
        return;
      case "lastmod":
        record.lastModified = new WrittenDate(text);
        return;
      case "changefreq":
        if (FREQUENCIES.has(text)) record.changeFrequency = text;
        return;
      case "priority": {
        const number = Number(text);
        if (number >= 0 && number <= 1) record.priority = number;
      }
    }
  }

  setExtensionField(name, text) {
    extensionFields.get(name)?.(this, text);
  }
}

/** Turns the events of a SAX parser into records: `open`, `attribute` for each of its attributes, `text`, `close`. */
export class RecordBuilder extends RecordMaker {
  constructor(options) {
    super(options);
    this.record = undefined;
    /** The element whose text is collected. */
    this.field = undefined;
    this.value = "";
    /** Set where attributes matter. */
    this.takesAttributes = false;
  }

  open(name) {
    switch (name) {
      case "loc":
      case "lastmod":
      case "changefreq":
      case "priority":
        this.field = name;
        this.value = "";
        return;
      case "url":
      case "sitemap":
        this.record = { url: undefined };
        return;
      case "urlset":
      case "sitemapindex":
        return;
      case "news:news":
        this.news = this.startNews();
        return;
      case "image:image":
        this.image = { url: undefined };
        return;
      case "video:video":
        this.video = this.startVideo();
        return;
      case "xhtml:link":
      case "video:restriction":
      case "video:platform":
        this.attributes = {};
        this.takesAttributes = true;
        break;
    }
    if (extensionFields.has(name)) {
      this.field = name;
      this.value = "";
    }
  }

  attribute(name, value) {
    if (this.takesAttributes) this.attributes[name] = value;
  }

  /** A value may come in pieces. */
  text(text) {
    if (this.field !== undefined) this.value += text;
  }

  close(name) {
    if (this.field !== undefined) {
      if (name === this.field) this.#endField();
      return;
    }
    switch (name) {
      case "url":
        if (this.record !== undefined && this.isNew(this.record.url)) this.onPage(this.record);
        this.record = undefined;
        return;
      case "sitemap":
        if (this.record !== undefined && this.isNew(this.record.url)) this.onChild(this.record);
        this.record = undefined;
        return;
      case "xhtml:link":
        this.takesAttributes = false;
        this.#link();
        return;
      case "news:news":
        this.record.news = this.news;
        return;
      case "image:image":
        if (this.record.images === undefined) this.record.images = [this.image];
        else this.record.images.push(this.image);
        return;
      case "video:video":
        if (this.record.videos === undefined) this.record.videos = [this.video];
        else this.record.videos.push(this.video);
    }
  }

  #endField() {
    const name = this.field;
    const text = this.value.trim();
    this.field = undefined;
    this.takesAttributes = false;
    if (text === "") return;
    if (name.includes(":")) this.setExtensionField(name, text);
    else this.setField(this.record, name, text);
  }

  #link() {
    const { rel, href, hreflang } = this.attributes;
    if (rel !== "alternate" || href === undefined) return;
    const alternate = { url: this.readUrl(href), language: hreflang };
    if (this.record.alternates === undefined) this.record.alternates = [alternate];
    else this.record.alternates.push(alternate);
  }
}

/** All that can be compared; parsers that do not give everything name what they give. */
export const EVERYTHING = [
  "url",
  "lastModified",
  "lastModified.text",
  "changeFrequency",
  "priority",
  "news",
  "images",
  "videos",
  "alternates",
];

/**
 * One record as a line of text that is equal for equal records: the fields of `given`, keys sorted, dates as
 * text and instant, absent and empty alike. `urlText` and the like, which only siteatlas has, are left out.
 */
export function canonicalLine(record, given) {
  const line = {};
  for (const name of given) if (record[name] !== undefined) line[name] = canonical(record[name]);
  if (line.lastModified !== undefined && !given.includes("lastModified.text"))
    line.lastModified.text = undefined;
  return JSON.stringify(line);
}

const OURS_ALONE = new Set(["titleText", "languageText"]);

function canonical(value) {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  if (typeof value.text === "string" || value.value instanceof Date) {
    return { text: value.text, ms: value.value?.getTime() };
  }
  const sorted = {};
  for (const key of Object.keys(value).sort()) if (!OURS_ALONE.has(key)) sorted[key] = canonical(value[key]);
  return sorted;
}
