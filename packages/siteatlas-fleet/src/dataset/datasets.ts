/**
 * The three datasets, as tables of Parquet: the pages that sites declare, the sitemaps they were found in, and what
 * changed from one visit to the next. The columns of a page are those of `siteatlas ls -f parquet`.
 */
import type { PageChange, WalkedSitemap } from "siteatlas";
import { type PageRecord, type ParquetColumn, pageColumns } from "siteatlas/output";
import type { Dataset } from "../leg.ts";

/** What every row says first. */
interface Visited {
  readonly host: string;
  readonly visitedAt: Date;
}

export interface PageRow extends Visited {
  readonly page: PageRecord;
}

export interface SitemapRow extends Visited {
  readonly sitemap: WalkedSitemap;
}

/** `unknown` is no change: the sitemaps say so. */
export type ToldChange = Exclude<PageChange, { readonly kind: "unknown" }>;

export interface ChangeRow extends Visited {
  readonly change: ToldChange;
}

const VISITED: readonly ParquetColumn<Visited>[] = [
  { name: "host", type: "string", isRequired: true, isAscii: true, value: ({ host }) => host },
  { name: "visited_at", type: "date", isRequired: true, value: ({ visitedAt }) => visitedAt },
];

export const PAGE_COLUMNS: readonly ParquetColumn<PageRow>[] = [
  ...VISITED,
  ...pageColumns<PageRow>(({ page }) => page),
];

export const SITEMAP_COLUMNS: readonly ParquetColumn<SitemapRow>[] = [
  ...VISITED,
  text("url", ({ url }) => url),
  text("requested_url", ({ requestedUrl }) => requestedUrl),
  text("parent", ({ parentUrl }) => parentUrl),
  text("source", ({ source }) => source),
  text("outcome", ({ outcome }) => outcome),
  text("kind", ({ kind }) => kind),
  text("format", ({ format }) => format),
  text("code", ({ code, cutBy }) => code ?? cutBy),
  text("reason", ({ reason }) => reason),
  { name: "lastmod", type: "date", value: ({ sitemap }) => sitemap.lastModified?.value },
  count("level", ({ level }) => level),
  count("pages", ({ pageCount }) => pageCount),
  count("sitemaps", ({ childCount }) => childCount),
  count("issues", ({ issueCount }) => issueCount),
  count("duplicates", ({ duplicateCount }) => duplicateCount),
  count("status", ({ http }) => http?.status),
  count("bytes", ({ http }) => http?.bytes),
  { name: "ms", type: "number", value: ({ sitemap }) => sitemap.http?.ms },
  text("content_hash", ({ contentHash }) => contentHash),
];

export const CHANGE_COLUMNS: readonly ParquetColumn<ChangeRow>[] = [
  ...VISITED,
  { name: "op", type: "string", isRequired: true, isAscii: true, value: ({ change }) => change.kind },
  { name: "url", type: "string", isRequired: true, isAscii: true, value: ({ change }) => change.url },
  json("fields", (change) => (change.kind === "changed" ? change.fields : undefined)),
  json("before", (change) => (change.kind === "changed" ? change.before : undefined)),
  json("after", (change) => {
    if (change.kind === "added") return change.page;
    return change.kind === "changed" ? change.after : undefined;
  }),
  json("sitemaps", (change) => (change.kind === "relisted" ? change.to : change.sitemaps)),
  json("from_sitemaps", (change) => (change.kind === "relisted" ? change.from : undefined)),
  {
    name: "moved",
    type: "string",
    isAscii: true,
    value: ({ change }) => {
      if (change.kind === "added") return change.movedFrom;
      return change.kind === "removed" ? change.movedTo : undefined;
    },
  },
  {
    name: "suspect",
    type: "string",
    isAscii: true,
    value: ({ change }) => (change.kind === "removed" ? change.suspect : undefined),
  },
  {
    name: "weak",
    type: "boolean",
    value: ({ change }) => (change.kind === "changed" ? change.weak : undefined),
  },
];

/** What a row of each is called in the schema. */
export const ROW_NAMES: Readonly<Record<Dataset, string>> = {
  pages: "page",
  sitemaps: "sitemap",
  changes: "change",
};

function text(name: string, read: (sitemap: WalkedSitemap) => string | undefined): ParquetColumn<SitemapRow> {
  return { name, type: "string", value: ({ sitemap }) => read(sitemap) };
}

function count(
  name: string,
  read: (sitemap: WalkedSitemap) => number | undefined,
): ParquetColumn<SitemapRow> {
  return { name, type: "integer", value: ({ sitemap }) => read(sitemap) };
}

function json(name: string, read: (change: ToldChange) => unknown): ParquetColumn<ChangeRow> {
  return { name, type: "json", value: ({ change }) => read(change) };
}
