/**
 * Arbitrary sitemaps as data. A model has the same types as the result of a parse, so that the two can be
 * compared. generate-document.ts writes it as a document.
 *
 * Everything here is the same after writing and reading: URLs are normalized, texts are trimmed and contain no
 * doubly escaped references, dates have the form of their format. The fixtures test everything else.
 */
import fc from "fast-check";
import { CHANGE_FREQUENCIES } from "../../src/model/change-frequencies.ts";
import type {
  Alternate,
  DatePrecision,
  DateValue,
  NewsArticle,
  Page,
  PageImage,
  PageMapObject,
  PageMedia,
  PageVideo,
  SubSitemap,
  VideoPrice,
  VideoRule,
} from "../../src/model/model.ts";

export const modelFormats = [
  "urlset",
  "sitemapindex",
  "rss2",
  "rss1",
  "atom1",
  "atom03",
  "json",
  "text",
  "robots",
] as const;

export type ModelFormat = (typeof modelFormats)[number];

export interface SitemapModel {
  readonly format: ModelFormat;
  readonly pages: readonly Page[];
  readonly children: readonly SubSitemap[];
}

/** The URL of the generated documents. */
export function modelUrl(format: ModelFormat): string {
  const names: Readonly<Partial<Record<ModelFormat, string>>> = { text: "sitemap.txt", robots: "robots.txt" };
  return `https://www.example.com/${names[format] ?? "sitemap.xml"}`;
}

export function modelArbitrary(format: ModelFormat): fc.Arbitrary<SitemapModel> {
  if (format === "sitemapindex" || format === "robots") {
    return uniqueByUrl(format === "robots" ? robotsChild : child).map((children) => ({
      format,
      pages: [],
      children,
    }));
  }
  return uniqueByUrl(pageArbitraries[format]).map((pages) => ({ format, pages, children: [] }));
}

// Texts

/** https://www.w3.org/TR/xml/#charsets */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const LEFTOVER_REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);/i;

const markupLike = fc.string({
  unit: fc.constantFrom(
    "<",
    ">",
    "&",
    '"',
    "'",
    "]]>",
    "--",
    "<b>",
    "&lt",
    ";",
    "=",
    "a",
    "Z",
    " ",
    "\n",
    "é",
  ),
  maxLength: 12,
});
const manyScripts = fc.string({
  unit: fc.constantFrom(
    "a",
    "Ü",
    "é",
    "ß",
    "ж",
    "Я",
    "и",
    " ",
    "–",
    "€",
    "中",
    "日",
    "🌞",
    "م",
    "\u0301",
    "7",
  ),
  maxLength: 12,
});

const anyText: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.string({ unit: "grapheme-ascii", maxLength: 20 }),
    manyScripts,
    markupLike,
  )
  .map((raw) => raw.replace(NOT_XML, "").trim())
  .filter((clean) => clean !== "" && !LEFTOVER_REFERENCE.test(clean));

/** In an attribute, where XML turns line breaks into blanks. */
const attributeText = anyText.map((value) => value.replace(/[\t\n\r]/g, " "));

/** Without commas, which separate the items of a list. */
const listItem = anyText
  .map((value) => value.replaceAll(",", "").trim())
  .filter((value) => value !== "" && !LEFTOVER_REFERENCE.test(value));
const list = fc.array(listItem, { maxLength: 3 });

const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,9}$/);

// URLs

const pathSegment = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.string({ unit: fc.constantFrom(..."abzAZ019-._~!$'()*+,;=:@"), minLength: 1, maxLength: 8 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }).map(encode),
);
const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  fc
    .array(fc.tuple(word, fc.oneof(word, fc.string({ maxLength: 5 }).map(encode))), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parameters) => `?${parameters.map(([name, value]) => `${name}=${value}`).join("&")}`),
);
const origin = fc.oneof(
  { weight: 6, arbitrary: fc.constant("https://www.example.com") },
  fc.constantFrom(
    "http://www.example.com",
    "https://cdn.example.net:8443",
    "https://xn--bcher-kva.example",
    "http://192.0.2.7",
  ),
);

function encode(raw: string): string {
  return encodeURIComponent(raw);
}

/** Normalized, and without trailing punctuation, which a reader would remove. */
const url: fc.Arbitrary<string> = fc
  .tuple(origin, fc.array(pathSegment, { maxLength: 4 }), query)
  .map(([start, segments, end]) => new URL(`${start}/${segments.join("/")}${end}`).href)
  .filter((href) => !/[,"'>]$|&(?:amp|lt|gt|quot|apos);|#/.test(href));

function uniqueByUrl<T extends { readonly url: string }>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.uniqueArray(arbitrary, { minLength: 1, maxLength: 6, selector: (one) => one.url.toLowerCase() });
}

// Dates

const day = fc.record({
  year: fc.integer({ min: 1990, max: 2023 }),
  month: fc.integer({ min: 1, max: 12 }),
  dayOfMonth: fc.integer({ min: 1, max: 28 }),
});
const time = fc.record({
  hour: fc.integer({ min: 0, max: 23 }),
  minute: fc.integer({ min: 0, max: 59 }),
  second: fc.option(fc.integer({ min: 0, max: 59 }), { nil: undefined }),
  fraction: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, fc.stringMatching(/^[0-9]{1,9}$/)),
  offset: fc.oneof(
    fc.constant("Z"),
    fc.constantFrom("+00:00", "+01:00", "-05:00", "+05:30", "+12:45", "-11:30"),
  ),
});
const precision = fc.constantFrom<DatePrecision>("year", "month", "day", "time", "time");

const two = (number: number): string => String(number).padStart(2, "0");

/** `2024-01-02T03:04:05.678+01:00` and its shorter forms. */
const w3cDate: fc.Arbitrary<DateValue> = fc.tuple(day, time, precision).map(([date, clock, exact]) => {
  const { year, month, dayOfMonth } = date;
  if (exact === "year") return { text: `${year}`, value: utc(year, 1, 1), precision: exact };
  if (exact === "month")
    return { text: `${year}-${two(month)}`, value: utc(year, month, 1), precision: exact };
  const dayText = `${year}-${two(month)}-${two(dayOfMonth)}`;
  if (exact === "day") return { text: dayText, value: utc(year, month, dayOfMonth), precision: exact };
  const { hour, minute, second, fraction, offset } = clock;
  const hasFraction = second !== undefined && fraction !== "";
  const seconds = second === undefined ? "" : `:${two(second)}${hasFraction ? `.${fraction}` : ""}`;
  const milliseconds = hasFraction ? Number(fraction.padEnd(3, "0").slice(0, 3)) : 0;
  const ms =
    utc(year, month, dayOfMonth).getTime() +
    ((hour * 60 + minute - offsetMinutes(offset)) * 60 + (second ?? 0)) * 1000 +
    milliseconds;
  return {
    text: `${dayText}T${two(hour)}:${two(minute)}${seconds}${offset}`,
    value: new Date(ms),
    precision: exact,
  };
});

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Tue, 02 Jan 2024 03:04:05 +0100` */
const rfc822Date: fc.Arbitrary<DateValue> = fc
  .tuple(day, time, fc.boolean(), fc.constantFrom("GMT", "+0000", "+0100", "-0530", "EST"))
  .map(([date, clock, named, zone]) => {
    const start = utc(date.year, date.month, date.dayOfMonth);
    const weekday = named ? `${WEEKDAYS[start.getUTCDay()]}, ` : "";
    const seconds = clock.second === undefined ? "" : `:${two(clock.second)}`;
    const text =
      `${weekday}${two(date.dayOfMonth)} ${MONTHS[date.month - 1]} ${date.year} ` +
      `${two(clock.hour)}:${two(clock.minute)}${seconds} ${zone}`;
    const offset =
      zone === "EST" ? -300 : zone === "GMT" ? 0 : offsetMinutes(`${zone.slice(0, 3)}:${zone.slice(3)}`);
    const ms =
      start.getTime() + ((clock.hour * 60 + clock.minute - offset) * 60 + (clock.second ?? 0)) * 1000;
    return { text, value: new Date(ms), precision: "time" };
  });

function utc(year: number, month: number, dayOfMonth: number): Date {
  return new Date(Date.UTC(year, month - 1, dayOfMonth));
}

function offsetMinutes(offset: string): number {
  if (offset === "Z") return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  return offset.startsWith("-") ? -minutes : minutes;
}

// Pages of a urlset

const changeFrequency = fc.constantFrom(...CHANGE_FREQUENCIES);
const priority = fc.oneof(
  fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
  fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000),
);
const amount = fc.integer({ min: 0, max: 1_000_000 }).map((hundredths) => hundredths / 100);

/** A record in which any field may be absent, except for the required ones. */
function some<T extends object, K extends keyof T = never>(
  fields: { [N in keyof T]-?: fc.Arbitrary<Exclude<T[N], undefined>> },
  required: readonly K[] = [],
): fc.Arbitrary<T> {
  return fc.record(fields, { requiredKeys: [...required] }) as unknown as fc.Arbitrary<T>;
}

/** Texts that are the same after HTML is removed from them. */
const plainText = anyText.filter((value) => !/<[a-z/!?]|&\w+;|&#/i.test(value));

/** Titles that are plain have no `titleText`; those with HTML have one. */
const newsTitle: fc.Arbitrary<Pick<NewsArticle, "title" | "titleText">> = fc.oneof(
  plainText.map((title) => ({ title })),
  fc
    .tuple(word, word)
    .map(([a, b]) => ({ title: `<b>${a}</b> &amp; <i>${b}</i>`, titleText: `${a} & ${b}` })),
);

const news: fc.Arbitrary<NewsArticle> = fc
  .tuple(
    newsTitle,
    some<Omit<NewsArticle, "title" | "titleText">, "published" | "genres" | "keywords" | "stockTickers">(
      {
        published: w3cDate,
        publicationName: anyText,
        language: fc.constantFrom("en", "de", "zh-cn"),
        access: fc.constantFrom("Subscription", "Registration"),
        genres: list,
        keywords: list,
        stockTickers: list,
      },
      ["published", "genres", "keywords", "stockTickers"],
    ),
  )
  .map(([title, rest]) => ({ ...title, ...rest }));

const image = some<PageImage, "url">(
  { url, title: anyText, caption: anyText, geoLocation: anyText, license: url },
  ["url"],
);

const rule: fc.Arbitrary<VideoRule> = fc.record({
  relationship: fc.constantFrom("allow", "deny"),
  values: fc.array(fc.constantFrom("IE", "GB", "US", "web", "tv"), { minLength: 1, maxLength: 3 }),
});
const price = some<VideoPrice, "amount">(
  {
    amount,
    currency: fc.constantFrom("EUR", "USD"),
    type: fc.constantFrom("rent", "own"),
    resolution: fc.constantFrom("HD", "SD"),
  },
  ["amount"],
);
const uploader = some<{ name: string; url?: string }, "name">({ name: anyText, url }, ["name"]);

const video = some<PageVideo, "tags">(
  {
    thumbnailUrl: url,
    title: anyText,
    description: anyText,
    contentUrl: url,
    playerUrl: url,
    durationSeconds: fc.integer({ min: 0, max: 28_800 }),
    published: w3cDate,
    expires: w3cDate,
    rating: fc.integer({ min: 0, max: 50 }).map((tenths) => tenths / 10),
    viewCount: fc.nat(),
    familyFriendly: fc.boolean(),
    live: fc.boolean(),
    requiresSubscription: fc.boolean(),
    category: anyText,
    galleryUrl: url,
    uploader,
    restriction: rule,
    platform: rule,
    prices: fc.array(price, { minLength: 1, maxLength: 2 }),
    tags: fc.array(anyText, { maxLength: 3 }),
  },
  ["tags"],
);

const language = fc.oneof(
  fc.constantFrom("de", "en-US", "x-default", "zh-Hans-CN", "es-419").map((tag) => ({ language: tag })),
  fc.constant({ language: "pt-BR", languageText: "pt_br" }),
  fc.constant({}),
);
const alternate: fc.Arbitrary<Alternate> = fc
  .tuple(url, language, fc.option(attributeText, { nil: undefined }))
  .map(([href, tag, media]) => ({ url: href, ...tag, ...(media !== undefined && { media }) }));

const pageMapObject = some<PageMapObject, "attributes">(
  {
    type: attributeText,
    id: attributeText,
    attributes: fc.array(
      some<PageMapObject["attributes"][number], "value">({ name: attributeText, value: anyText }, ["value"]),
      { maxLength: 3 },
    ),
  },
  ["attributes"],
);

const oneOrTwo = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(arbitrary, { minLength: 1, maxLength: 2 });

const urlsetPage: fc.Arbitrary<Page> = fc.oneof(
  some<Pick<Page, "url" | "lastModified" | "changeFrequency" | "priority">, "url">(
    { url, lastModified: w3cDate, changeFrequency, priority },
    ["url"],
  ),
  some<Omit<Page, "urlText" | "title" | "section" | "linkedFrom" | "published" | "feedUrl" | "media">, "url">(
    {
      url,
      lastModified: w3cDate,
      changeFrequency,
      priority,
      news,
      images: oneOrTwo(image),
      videos: oneOrTwo(video),
      alternates: oneOrTwo(alternate),
      mobile: fc.constant(true as const),
      pageMap: oneOrTwo(pageMapObject),
    },
    ["url"],
  ),
);

// Entries of feeds

/** In a feed with only a publication date, that is also the last-modified date. */
function feedDates(
  published: fc.Arbitrary<DateValue>,
  modified: fc.Arbitrary<DateValue>,
): fc.Arbitrary<Pick<Page, "published" | "lastModified">> {
  return fc.oneof(
    fc.constant({}),
    published.map((date) => ({ published: date, lastModified: date })),
    modified.map((date) => ({ lastModified: date })),
    fc.tuple(published, modified).map(([first, last]) => ({ published: first, lastModified: last })),
  );
}

const mediaType = fc.constantFrom("audio/mpeg", "video/mp4", "image/jpeg");
const enclosure = some<PageMedia, "url">({ url, type: mediaType } as never, ["url"]);
const mediaContent = some<PageMedia, "url">(
  { url, type: mediaType, medium: fc.constantFrom("image", "video"), title: plainText },
  ["url"],
);

function feedPage(
  dates: fc.Arbitrary<Pick<Page, "published" | "lastModified">>,
  more: { [N in keyof Page]?: fc.Arbitrary<Exclude<Page[N], undefined>> } = {},
): fc.Arbitrary<Page> {
  const rest = fc.record({ url, title: anyText, ...more }, { requiredKeys: ["url"] });
  return fc.tuple(rest as unknown as fc.Arbitrary<Page>, dates).map(([page, when]) => ({ ...page, ...when }));
}

const rss2Page = feedPage(feedDates(rfc822Date, w3cDate), {
  title: plainText,
  feedUrl: url,
  media: oneOrTwo(fc.oneof(enclosure, mediaContent)),
});
const rss1Page = feedPage(feedDates(w3cDate, w3cDate), { title: plainText });
const atomPage = feedPage(feedDates(w3cDate, w3cDate), { media: oneOrTwo(enclosure) });
const atom03Page = feedPage(feedDates(w3cDate, w3cDate));
/** JSON Feed has a title for an attachment, and at most two images, which differ. */
const jsonPage = feedPage(feedDates(w3cDate, w3cDate), {
  images: fc
    .uniqueArray(url, { minLength: 1, maxLength: 2 })
    .map((urls) => urls.map((imageUrl): PageImage => ({ url: imageUrl }))),
  media: fc.uniqueArray(some<PageMedia, "url">({ url, type: mediaType, title: anyText } as never, ["url"]), {
    minLength: 1,
    maxLength: 2,
    selector: (one) => one.url,
  }),
});

// Lists

/** In a text sitemap some characters may end a URL, and a bare year in the next column is not a date. */
const textPage: fc.Arbitrary<Page> = some<Pick<Page, "url" | "lastModified">, "url">(
  {
    url: url.filter((href) => !/[,;|'"]/.test(href)),
    lastModified: w3cDate.filter((date) => date.precision === "day" || date.precision === "time"),
  },
  ["url"],
);

const child: fc.Arbitrary<SubSitemap> = some<Pick<SubSitemap, "url" | "lastModified">, "url">(
  { url, lastModified: w3cDate },
  ["url"],
);
/** A star in a Sitemap line is read as a wildcard (R42). */
const robotsChild: fc.Arbitrary<SubSitemap> = url
  .filter((href) => !href.includes("*"))
  .map((href) => ({ url: href }));

const pageArbitraries: Readonly<Record<Exclude<ModelFormat, "sitemapindex" | "robots">, fc.Arbitrary<Page>>> =
  {
    urlset: urlsetPage,
    rss2: rss2Page,
    rss1: rss1Page,
    atom1: atomPage,
    atom03: atom03Page,
    json: jsonPage,
    text: textPage,
  };
