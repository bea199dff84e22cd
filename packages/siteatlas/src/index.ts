/** The public names of siteatlas, one by one. */

export type { IgnoredDifference } from "./compare/compare-key.ts";
export { comparePages } from "./compare/compare-pages.ts";
export type { ComparisonSummary } from "./compare/comparison.ts";
export type { ComparedPage } from "./compare/merge-pages.ts";
export type {
  CompareBytes,
  CompareFile,
  CompareFolder,
  CompareOptions,
  CompareSource,
} from "./compare/options.ts";
export type { PageCounts, PageIn, SectionCounts } from "./compare/section-counts.ts";
export type { DropReason, FileType, SourceFacts, SourceProblem, SourceType } from "./compare/source-facts.ts";
export { type KnownPath, type KnownPathSet, knownPathTable } from "./discover/known-paths.ts";
export type { GivenSitemaps, WalkStart } from "./discover/site-start.ts";
export type {
  Client,
  ClientRequest,
  ClientResponse,
  ClosableClient,
  ResponseClient,
} from "./fetch/client/client.ts";
export { fetchClient } from "./fetch/client/fetch-client.ts";
export { createNodeClient, type NodeClientOptions } from "./fetch/client/node-client.ts";
export type { AllowList } from "./fetch/guard/address-policy.ts";
export type { HeaderOptions } from "./fetch/header-rules.ts";
export type { HostPause } from "./fetch/send-request.ts";
export type { HtmlFacts } from "./lint/documents/html-facts.ts";
export type { RecordedResponse } from "./lint/documents/response-recorder.ts";
export type { FolderPage, SiteFolder } from "./lint/documents/site-folder.ts";
export type { Excerpt, Finding, FindingPlace } from "./lint/finding.ts";
export { type LintOptions, lintSite } from "./lint/lint-site.ts";
export {
  defineRule,
  type LintedSite,
  type LintedSitemap,
  type LintRule,
  type Occurrence,
  type PagePart,
  type PreviousSite,
  type RuleContext,
  type RuleListener,
  type RuleText,
} from "./lint/rule.ts";
export type { RuleSeverities, RuleSeverity } from "./lint/rule-settings.ts";
export { lintRules } from "./lint/rules/all-rules.ts";
export type { CommonDate, PageStats } from "./lint/site/page-stats.ts";
export type { Listing, UrlTable } from "./lint/site/url-table.ts";
export type { ChangeFrequency } from "./model/change-frequencies.ts";
export type { ParseLimits } from "./model/generated/limits.ts";
export type { IssueCode, Severity, StrictAction } from "./model/issue-severity.ts";
export { describeIssue, type IssueInfo, issueTable } from "./model/issue-table.ts";
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
} from "./model/model.ts";
export { type CheckOptions, type CheckStart, checkPages, type GivenPages } from "./page-check/check-pages.ts";
export type {
  CheckedPage,
  LanguageLink,
  PageHtml,
  PageOutcome,
  PageRedirect,
  PageToCheck,
} from "./page-check/checked-page.ts";
export type { CheckProgress, PageCheckOptions } from "./page-check/page-check.ts";
export {
  definePageRule,
  type PageListener,
  type PageRule,
  type PageRuleContext,
} from "./page-check/page-rule.ts";
export { pageRules } from "./page-check/rules/all-page-rules.ts";
export { CheckFileError } from "./page-check/state/check-file.ts";
export { type LinkParseOptions, parseHtmlSitemap, parseLlmsTxt } from "./parse/parse-links.ts";
export { type ParseOptions, parseEntries, parseSitemap } from "./parse/parse-sitemap.ts";
export {
  type CleanParam,
  parseRobotsTxt,
  type RobotsContent,
  type RobotsGroup,
  type RobotsRule,
  type RobotsTxt,
  type RobotsTxtOptions,
} from "./parse/robots/robots.ts";
export type { BlobLike, ResponseLike, SitemapChunk, SitemapSource } from "./parse/sitemap-source.ts";
export type { UrlObject } from "./parse/values/option-rules.ts";
export {
  type DateContext,
  type ParseDateOptions,
  type ParsedDate,
  parseDate,
} from "./parse/values/parse-date.ts";
export { renderChart } from "./report/render/render-chart.ts";
export { type RenderReportOptions, renderReport } from "./report/render/render-report.ts";
export type { ReportFacts } from "./report/report-counter.ts";
export type {
  BulkDate,
  ChartName,
  Counts,
  ReportAge,
  ReportChanges,
  ReportDates,
  ReportExample,
  ReportFinding,
  ReportFindings,
  ReportIssue,
  ReportLanguages,
  ReportMedia,
  ReportOrigin,
  ReportPages,
  ReportSection,
  ReportSitemap,
  ReportSitemaps,
  ReportSync,
  SiteReport,
  UnknownPart,
} from "./report/report-model.ts";
export { siteReport } from "./report/site-report.ts";
export type {
  PageAdded,
  PageChange,
  PageChanged,
  PagePending,
  PageRelisted,
  PageRemoved,
  PageReturned,
  SitemapUnknown,
  SyncStart,
} from "./sync/changes.ts";
export { diffSnapshots } from "./sync/diff-snapshots.ts";
export type { SyncOptions } from "./sync/options.ts";
export type { LastmodReason, LastmodTrust } from "./sync/revalidate/lastmod-trust.ts";
export type {
  DeclaredDateCounts,
  SitemapEvidence,
  ValidatorCounts,
} from "./sync/revalidate/validator-trust.ts";
export type { PageField, SnapshotPage } from "./sync/snapshot/page-line.ts";
export { type ListedPage, readSnapshot, type Snapshot } from "./sync/snapshot/read-snapshot.ts";
export { SnapshotError, type SnapshotErrorCode } from "./sync/snapshot/snapshot-error.ts";
export type {
  PendingFacts,
  PendingReason,
  RunFacts,
  SectionFacts,
  SectionOwner,
  SnapshotFacts,
  SnapshotPending,
  SnapshotSitemap,
  UnknownFacts,
} from "./sync/snapshot/snapshot-format.ts";
export { syncSite } from "./sync/sync-site.ts";
export type { Change, FirstSyncFailure, SyncSummary } from "./sync/sync-summary.ts";
export type { TreeRootOptions, WebsiteRootOptions } from "./tree/saved/assemble-tree.ts";
export { type LoadTreeOptions, loadTree } from "./tree/saved/load-tree.ts";
export { type SaveTreeOptions, saveTree } from "./tree/saved/save-tree.ts";
export { TreeError, type TreeErrorCode } from "./tree/saved/tree-error.ts";
export { treeFromJson } from "./tree/saved/tree-from-json.ts";
export {
  type AllPagesOptions,
  allPages,
  allSitemaps,
  sitemapTree,
  sitemapTreeForHomepage,
  type TreeOptions,
} from "./tree/tree.ts";
export type {
  SitemapOrigin,
  SitemapOutcome,
  WalkEvent,
  WalkedSitemap,
} from "./walk/events/events.ts";
export type { RecurseCallback, RecurseListCallback, WalkLimits, WalkOptions } from "./walk/options.ts";
export { streamPageBatches, streamPages, walkSitemaps } from "./walk/walk-sitemaps.ts";
