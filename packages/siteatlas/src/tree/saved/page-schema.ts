/** Checks a page in JSON. The types require a check for each property of the data model. */
import {
  amount,
  type Check,
  fail,
  flag,
  listOf,
  matching,
  oneOf,
  record,
  shape,
  share,
  text,
  yes,
} from "../../check/check-value.ts";
import { CHANGE_FREQUENCIES } from "../../model/change-frequencies.ts";
import { dateValue } from "../../model/date-value.ts";
import type {
  Alternate,
  DatePrecision,
  DateValue,
  NewsArticle,
  Page,
  PageImage,
  PageMapAttribute,
  PageMapObject,
  PageMedia,
  PageVideo,
  VideoPrice,
  VideoRule,
  VideoUploader,
} from "../../model/model.ts";

/**
 * Checks a URL. It must be like a result of parse/values/url.ts: normalized, ASCII, without credentials and fragment.
 */
const webUrl: Check<string> = matching(
  /^https?:\/\/[!-.0-?A-~]+\/[!"$-~]*$/,
  "a normalized http or https URL without credentials and fragment",
);

/** Checks a point in time. After JSON.parse, it is a text such as 2024-01-02T03:04:05.000Z. */
const instant: Check<number> = (value) => {
  const date = typeof value === "string" ? new Date(value) : value;
  const isExact = date instanceof Date && !Number.isNaN(date.getTime());
  if (!isExact || (typeof value === "string" && date.toISOString() !== value)) {
    return fail("a date as Date.prototype.toISOString writes it", value);
  }
  return date.getTime();
};

interface DateFields {
  readonly text: string;
  readonly value?: number;
  readonly precision?: DatePrecision;
  readonly zoneAssumed?: true;
}

const dateFields = shape<DateFields>(
  { text },
  { value: instant, precision: oneOf(["year", "month", "day", "time"]), zoneAssumed: yes },
);

export const date: Check<DateValue> = (value) => {
  const fields = dateFields(value);
  const isDate = fields.value !== undefined;
  if (isDate !== (fields.precision !== undefined) || (!isDate && fields.zoneAssumed === true)) {
    return fail("a date that has value and precision, or neither", record(value));
  }
  return dateValue(fields.text, fields.value ?? NaN, fields.precision ?? "time", fields.zoneAssumed);
};

const texts = listOf(text);

const news = shape<NewsArticle>(
  { genres: texts, keywords: texts, stockTickers: texts },
  { title: text, titleText: text, published: date, publicationName: text, language: text, access: text },
);

const image = shape<PageImage>(
  { url: webUrl },
  { title: text, caption: text, geoLocation: text, license: webUrl },
);

const rule = shape<VideoRule>({ relationship: oneOf(["allow", "deny"]), values: texts }, {});

const video = shape<PageVideo>(
  { tags: texts },
  {
    thumbnailUrl: webUrl,
    title: text,
    description: text,
    contentUrl: webUrl,
    playerUrl: webUrl,
    durationSeconds: amount,
    published: date,
    expires: date,
    rating: amount,
    viewCount: amount,
    familyFriendly: flag,
    live: flag,
    requiresSubscription: flag,
    category: text,
    galleryUrl: webUrl,
    uploader: shape<VideoUploader>({ name: text }, { url: webUrl }),
    restriction: rule,
    platform: rule,
    prices: listOf(shape<VideoPrice>({ amount }, { currency: text, type: text, resolution: text })),
  },
);

const alternate = shape<Alternate>({ url: webUrl }, { language: text, languageText: text, media: text });

const media = shape<PageMedia>({ url: webUrl }, { type: text, medium: text, title: text });

const mapObject = shape<PageMapObject>(
  { attributes: listOf(shape<PageMapAttribute>({ value: text }, { name: text })) },
  { type: text, id: text },
);

export const page: Check<Page> = shape<Page>(
  { url: webUrl },
  {
    urlText: text,
    lastModified: date,
    changeFrequency: oneOf(CHANGE_FREQUENCIES),
    priority: share,
    title: text,
    section: text,
    linkedFrom: oneOf(["html", "llms"]),
    published: date,
    feedUrl: webUrl,
    news,
    images: listOf(image),
    videos: listOf(video),
    alternates: listOf(alternate),
    media: listOf(media),
    mobile: yes,
    pageMap: listOf(mapObject),
  },
);
