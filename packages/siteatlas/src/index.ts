/** The public names of siteatlas, one by one. */
export { type KnownPath, knownPathTable } from "./discover/known-paths.ts";
export type { AllowList } from "./fetch/address-policy.ts";
export type { Client, ClientRequest, ClientResponse, ClosableClient } from "./fetch/client.ts";
export { fetchClient } from "./fetch/fetch-client.ts";
export { createNodeClient, type NodeClientOptions } from "./fetch/node-client.ts";
export { describeIssue, type IssueInfo, issueTable } from "./issue-texts.ts";
export type { IssueCode, Severity, StrictAction } from "./issues.ts";
export type { ParseLimits } from "./limits.ts";
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
} from "./model.ts";
export { type DateContext, type ParseDateOptions, type ParsedDate, parseDate } from "./parse/date.ts";
export { type ParseOptions, parseEntries, parseSitemap, type SitemapSource } from "./parse/parse-sitemap.ts";
export {
  type CleanParam,
  parseRobotsTxt,
  type RobotsGroup,
  type RobotsRule,
  type RobotsTxt,
  type RobotsTxtOptions,
} from "./parse/robots.ts";
export type { Added, Changed, PageChange, Relisted, Removed, Suspicion, Unknown } from "./sync/changes.ts";
export { type DiffOptions, diffSnapshots } from "./sync/diff-snapshots.ts";
export type { Declarations, Evidence, Validators } from "./sync/evidence.ts";
export type { LastmodReason, LastmodTrust } from "./sync/lastmod-trust.ts";
export type { PageField, SnapshotPage } from "./sync/page-line.ts";
export { readSnapshot, type Snapshot, SnapshotError } from "./sync/read-snapshot.ts";
export type { RunFacts, SnapshotFacts, SnapshotSitemap } from "./sync/snapshot-format.ts";
export { type Change, type SyncOptions, type SyncSummary, syncSite } from "./sync/sync-site.ts";
export { allPages, allSitemaps, sitemapTreeForHomepage, type TreeOptions } from "./tree.ts";
export type {
  SitemapOrigin,
  SitemapOutcome,
  WalkEvent,
  WalkedSitemap,
} from "./walk/events.ts";
export type { RecurseCallback, RecurseListCallback, WalkLimits, WalkOptions } from "./walk/options.ts";
export { streamPageBatches, streamPages, walkSitemaps } from "./walk/walk-sitemaps.ts";
