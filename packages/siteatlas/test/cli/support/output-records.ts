/** Pages for the tests of outputs: millions of ordinary ones, and a few difficult ones. */
import type { Page } from "../../../src/model/model.ts";

const SECTIONS = ["news", "products", "docs", "events", "blog", "help"];
const FREQUENCIES = ["daily", "weekly", "monthly"] as const;
const PER_SITEMAP = 50_000;
const DAY_MS = 86_400_000;

export interface SitePage {
  readonly page: Page;
  readonly sitemap: string;
}

/** 50,000 per sitemap. Every tenth page has an image, every fiftieth is news. */
export function* ordinaryPages(count: number): Generator<SitePage> {
  for (let i = 0; i < count; i++) {
    const sitemap = `https://www.example.com/sitemaps/sitemap-${Math.floor(i / PER_SITEMAP)}.xml`;
    yield { page: ordinaryPage(i), sitemap };
  }
}

function ordinaryPage(i: number): Page {
  const section = SECTIONS[i % SECTIONS.length]!;
  const url = `https://www.example.com/${section}/article-${i}-about-something-that-matters`;
  const value = new Date(Date.UTC(2021, 0, 1) + (i % 2000) * DAY_MS);
  return {
    url,
    lastModified: { text: value.toISOString().slice(0, 10), value, precision: "day" },
    changeFrequency: FREQUENCIES[i % FREQUENCIES.length]!,
    priority: (i % 11) / 10,
    ...(i % 10 === 0 && { images: [{ url: `${url}.jpg`, title: `Image ${i}` }] }),
    ...(i % 50 === 0 && {
      news: { title: `Article ${i}`, language: "en", genres: [], keywords: ["a", "b"], stockTickers: [] },
    }),
  };
}

/** Line breaks, quotes, formulas, control characters, lone surrogates, dates of every kind. */
export const difficultPages: readonly Page[] = [
  { url: "https://www.example.com/" },
  {
    url: "https://www.example.com/a?b=1,2;3&c=%22x%22",
    urlText: 'https://www.example.com/a?b=1,2;3&c="x"',
    lastModified: { text: "2024", value: new Date("2024-01-01T00:00:00Z"), precision: "year" },
    priority: 0,
  },
  {
    url: "https://www.example.com/month",
    lastModified: { text: "2024-05", value: new Date("2024-05-01T00:00:00Z"), precision: "month" },
    priority: 1,
    mobile: true,
  },
  {
    url: "https://www.example.com/offset",
    lastModified: {
      text: "2024-05-01T10:00:00+02:00",
      value: new Date("2024-05-01T08:00:00Z"),
      precision: "time",
    },
  },
  {
    url: "https://www.example.com/milliseconds",
    lastModified: {
      text: "2024-05-01T08:00:00.250Z",
      value: new Date("2024-05-01T08:00:00.250Z"),
      precision: "time",
    },
  },
  { url: "https://www.example.com/no-date", lastModified: { text: "0000-00-00" } },
  {
    url: "https://www.example.com/feed",
    title: '=HYPERLINK("https://evil.example/","click")\r\nsecond "line", \u2028third\t\u001b[2J',
    published: {
      text: "Wed, 01 May 2024 08:00:00 GMT",
      value: new Date("2024-05-01T08:00:00Z"),
      precision: "time",
    },
    feedUrl: "https://feeds.example.com/1",
    media: [{ url: "https://www.example.com/a.mp3", type: "audio/mpeg" }],
  },
  {
    url: "https://www.example.com/news",
    news: {
      title: "'=quoted already 😀 \ufffd ﷽",
      published: { text: "2024-05-01", value: new Date("2024-05-01T00:00:00Z"), precision: "day" },
      publicationName: 'The Example, "daily"',
      language: "de",
      genres: ["Blog"],
      keywords: ["a\nb", "c"],
      stockTickers: [],
    },
    images: [
      { url: "https://www.example.com/1.jpg", caption: "a\u0000b" },
      { url: "https://www.example.com/2.jpg" },
    ],
  },
  {
    url: "https://www.example.com/de/seite",
    alternates: [
      { url: "https://www.example.com/en/page", language: "en" },
      { url: "https://www.example.com/de/seite", language: "x-default" },
      { url: "https://www.example.com/de/seite", language: "de-AT" },
    ],
    videos: [{ title: "Film", durationSeconds: 12.5, tags: ["x"], familyFriendly: false }],
    pageMap: [{ type: "document", attributes: [{ name: "rating", value: "4" }] }],
  },
  { url: "https://www.example.com/blank", title: "  " },
  { url: "https://www.example.com/minus", title: "-1+2" },
  {
    url: "https://www.example.com/half",
    title: "half a character: \ud83d",
    images: [{ url: "https://www.example.com/half.jpg", title: "\udc00" }],
  },
];
