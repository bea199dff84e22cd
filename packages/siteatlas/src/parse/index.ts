/** `siteatlas/parse`: all functions that need no network. It uses no built-in modules of Node and no dependencies. */

export type { ChangeFrequency } from "../model/change-frequencies.ts";
export type { ParseLimits } from "../model/generated/limits.ts";
export type { IssueCode, Severity } from "../model/issue-severity.ts";
export type {
  Alternate,
  DatePrecision,
  DateValue,
  Entry,
  HttpFacts,
  IndexFormat,
  IndexRobotsTxtSitemap,
  IndexSitemap,
  IndexWebsiteSitemap,
  IndexXmlSitemap,
  InvalidSitemap,
  Issue,
  NewsArticle,
  Page,
  PageImage,
  PageList,
  PageMapAttribute,
  PageMapObject,
  PageMedia,
  PagesAtomSitemap,
  PagesFormat,
  PagesHtmlSitemap,
  PagesJsonSitemap,
  PagesLlmsTxtSitemap,
  PagesRssSitemap,
  PagesSitemap,
  PagesTextSitemap,
  PagesXmlSitemap,
  PageVideo,
  Sitemap,
  SubSitemap,
  VideoPrice,
  VideoRule,
  VideoUploader,
} from "../model/model.ts";
export { type ParseOptions, parseEntries, parseSitemap } from "./parse-sitemap.ts";
export {
  type CleanParam,
  parseRobotsTxt,
  type RobotsContent,
  type RobotsGroup,
  type RobotsRule,
  type RobotsTxt,
  type RobotsTxtOptions,
} from "./robots/robots.ts";
export type { BlobLike, ResponseLike, SitemapChunk, SitemapSource } from "./sitemap-source.ts";
export type { UrlObject } from "./values/option-rules.ts";
export { type DateContext, type ParseDateOptions, type ParsedDate, parseDate } from "./values/parse-date.ts";
