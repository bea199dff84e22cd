/** `siteatlas/parse`: everything that needs no network. No Node built-in, no dependency. */
export type { IssueCode, Severity } from "../issues.ts";
export type { ParseLimits } from "../limits.ts";
export type {
  Alternate,
  ChangeFrequency,
  CountryRule,
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
  PageMapObject,
  PageMedia,
  PagesAtomSitemap,
  PagesFormat,
  PagesRssSitemap,
  PagesSitemap,
  PagesTextSitemap,
  PagesXmlSitemap,
  PageVideo,
  Sitemap,
  SubSitemap,
  VideoPrice,
} from "../model.ts";
export { type DateContext, type ParseDateOptions, type ParsedDate, parseDate } from "./date.ts";
export { type ParseOptions, parseEntries, parseSitemap, type SitemapSource } from "./parse-sitemap.ts";
export {
  type CleanParam,
  parseRobotsTxt,
  type RobotsGroup,
  type RobotsRule,
  type RobotsTxt,
  type RobotsTxtOptions,
} from "./robots.ts";
