/** Rules of Google's extensions for images and videos, and of extensions that no search engine reads any more. */
import type { Page, PageImage, PageVideo } from "../../model/model.ts";
import type { LintRule, PagePart, RuleContext } from "../rule.ts";
import { GOOGLE_IMAGES, GOOGLE_TAGS_BLOG, GOOGLE_VIDEOS } from "./sources.ts";

interface MediaRow<T> extends Pick<LintRule, "id" | "severity" | "message" | "why" | "fix"> {
  readonly source?: string;
  /** Returns the value that violates the rule, or true. */
  readonly find: (item: T, page: Page, now: Date) => string | boolean | undefined;
}

function mediaRule<T>(
  only: PagePart,
  itemsOf: (page: Page) => readonly T[] | undefined,
  usual: string,
  { find, source = usual, ...row }: MediaRow<T>,
): LintRule {
  const listen = ({ report, site }: RuleContext) => ({
    only,
    page: (page: Page): void => {
      for (const item of itemsOf(page) ?? []) {
        const found = find(item, page, site.now);
        if (found === undefined || found === false) continue;
        report({
          value: found === true ? page.url : found,
          find: found === true ? (page.urlText ?? page.url) : found,
        });
      }
    },
  });
  return { ...row, source, counts: "page", listen };
}

const video = (row: MediaRow<PageVideo>): LintRule =>
  mediaRule("videos", (page) => page.videos, GOOGLE_VIDEOS, row);
const image = (row: MediaRow<PageImage>): LintRule =>
  mediaRule("images", (page) => page.images, GOOGLE_IMAGES, row);

const MAX_TAGS = 32;
const MAX_DESCRIPTION = 2048;
const MAX_SECONDS = 28_800;
const COUNTRY = /^[A-Z]{2}$/i;
const REQUIRED = "Google does not index a video without it.";

export const mediaRules: readonly LintRule[] = [
  image({
    id: "image.deprecated-tag",
    severity: "info",
    message: "An image has tags that Google does not use any more",
    why: "Google ignores caption, geo_location, title and license.",
    fix: "Remove these tags.",
    source: GOOGLE_TAGS_BLOG,
    find: ({ title, caption, geoLocation, license }) =>
      (title ?? caption ?? geoLocation ?? license) !== undefined,
  }),
  video({
    id: "video.missing-thumbnail",
    severity: "error",
    message: "A video has no thumbnail",
    why: REQUIRED,
    fix: "Add <video:thumbnail_loc>.",
    find: ({ thumbnailUrl }) => thumbnailUrl === undefined,
  }),
  video({
    id: "video.missing-title",
    severity: "error",
    message: "A video has no title",
    why: REQUIRED,
    fix: "Add <video:title>.",
    find: ({ title }) => title === undefined,
  }),
  video({
    id: "video.missing-description",
    severity: "error",
    message: "A video has no description",
    why: REQUIRED,
    fix: "Add <video:description>.",
    find: ({ description }) => description === undefined,
  }),
  video({
    id: "video.missing-url",
    severity: "error",
    message: "A video has neither content_loc nor player_loc",
    why: "Google needs the file or a player to show the video.",
    fix: "Add <video:content_loc> or <video:player_loc>.",
    find: ({ contentUrl, playerUrl }) => contentUrl === undefined && playerUrl === undefined,
  }),
  video({
    id: "video.duration",
    severity: "error",
    message: "The duration of a video is not 1 to 28,800 seconds",
    why: "Google allows 1 second to 8 hours.",
    fix: "Write the duration in seconds, or remove the field.",
    find: ({ durationSeconds: seconds }) =>
      seconds !== undefined && (seconds < 1 || seconds > MAX_SECONDS) ? String(seconds) : undefined,
  }),
  video({
    id: "video.rating",
    severity: "warning",
    message: "The rating of a video is not 0.0 to 5.0",
    why: "Google ignores other ratings.",
    fix: "Convert the rating to a number from 0.0 to 5.0.",
    find: ({ rating }) => (rating !== undefined && (rating < 0 || rating > 5) ? String(rating) : undefined),
  }),
  video({
    id: "video.description-length",
    severity: "warning",
    message: "The description of a video has more than 2,048 characters",
    why: "Google cuts the description.",
    fix: "Shorten the description.",
    find: ({ description = "" }, { url }) => (description.length > MAX_DESCRIPTION ? url : undefined),
  }),
  video({
    id: "video.too-many-tags",
    severity: "warning",
    message: "A video has more than 32 tags",
    why: "Google reads at most 32 tags.",
    fix: "Keep the most important tags.",
    find: ({ tags }) => tags.length > MAX_TAGS,
  }),
  video({
    id: "video.content-is-page",
    severity: "error",
    message: "The content_loc of a video is the URL of its page",
    why: "content_loc must be the media file. Google cannot play a page.",
    fix: "Write the URL of the file, or use <video:player_loc> for a player.",
    find: ({ contentUrl }, { url }) => (contentUrl === url ? url : undefined),
  }),
  video({
    id: "video.country",
    severity: "error",
    message: "A video restriction has a value that is not a country code",
    why: "Google then ignores the restriction, and shows the video in all countries.",
    fix: "Write ISO 3166 codes with two letters, separated by spaces, such as GB US.",
    find: ({ restriction }) => restriction?.values.find((value) => !COUNTRY.test(value)),
  }),
  video({
    id: "video.expired",
    severity: "warning",
    message: "A video has expired",
    why: "Google does not show a video after its expiration date.",
    fix: "Remove the video from the sitemap, or change the date.",
    find: ({ expires }, _page, now) =>
      expires?.value !== undefined && expires.value < now ? expires.text : undefined,
  }),
  video({
    id: "video.deprecated-tag",
    severity: "info",
    message: "A video has tags that Google does not use any more",
    why: "Google ignores category, gallery_loc and price.",
    fix: "Remove these tags.",
    source: GOOGLE_TAGS_BLOG,
    find: ({ category, galleryUrl, prices }) => (category ?? galleryUrl ?? prices) !== undefined,
  }),
  {
    id: "mobile.obsolete",
    severity: "info",
    message: "A sitemap has <mobile:mobile> tags",
    why: "The tag was for feature phones. Google does not use it any more.",
    fix: "Remove the tags and their namespace.",
    source:
      "https://developers.google.com/search/docs/crawling-indexing/mobile/mobile-sites-mobile-first-indexing",
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ stats: { mobile } }) => {
        if (mobile > 0) report({ detail: `${mobile} pages` });
      },
    }),
  },
  {
    id: "pagemap.obsolete",
    severity: "info",
    isOff: true,
    message: "A page has a PageMap",
    why: "Only Google's Programmable Search Engine reads PageMaps.",
    fix: "Remove the PageMap if you do not use that product.",
    source: "https://developers.google.com/custom-search/docs/structured_data",
    counts: "page",
    listen: ({ report }) => ({
      only: "pageMap",
      page: ({ pageMap, url, urlText }) => {
        if (pageMap !== undefined) report({ value: url, find: urlText ?? url });
      },
    }),
  },
];
