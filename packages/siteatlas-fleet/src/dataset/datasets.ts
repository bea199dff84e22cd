/**
 * The columns of the three datasets: the pages of sites, the sitemaps that list them, and the changes between two
 * visits. The columns of a page are those of `siteatlas ls -f parquet`.
 */
import type { PageChange, WalkedSitemap } from "siteatlas";
import { type PageRecord, type ParquetColumn, pageColumns } from "siteatlas/output";
import type { Dataset } from "../model/visit.ts";

/** The values of the first columns, which all three datasets have. */
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

/**
 * A change of a page, except the kind `unknown`, which means that a sitemap failed. The dataset of sitemaps records
 * that.
 */
type KnownChange = Exclude<PageChange, { readonly kind: "unknown" }>;

export interface ChangeRow extends Visited {
  readonly change: KnownChange;
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
  ofSitemap("url", "string", ({ url }) => url),
  ofSitemap("requested_url", "string", ({ requestedUrl }) => requestedUrl),
  ofSitemap("parent", "string", ({ parentUrl }) => parentUrl),
  ofSitemap("source", "string", ({ source }) => source),
  ofSitemap("outcome", "string", ({ outcome }) => outcome),
  ofSitemap("kind", "string", ({ kind }) => kind),
  ofSitemap("format", "string", ({ format }) => format),
  ofSitemap("code", "string", ({ code, cutBy }) => code ?? cutBy),
  ofSitemap("reason", "string", ({ reason }) => reason),
  ofSitemap("lastmod", "date", ({ lastModified }) => lastModified?.value),
  ofSitemap("level", "integer", ({ level }) => level),
  ofSitemap("pages", "integer", ({ pageCount }) => pageCount),
  ofSitemap("sitemaps", "integer", ({ childCount }) => childCount),
  ofSitemap("issues", "integer", ({ issueCount }) => issueCount),
  ofSitemap("duplicates", "integer", ({ duplicateCount }) => duplicateCount),
  ofSitemap("status", "integer", ({ http }) => http?.status),
  ofSitemap("bytes", "integer", ({ http }) => http?.bytes),
  ofSitemap("ms", "number", ({ http }) => http?.ms),
  ofSitemap("content_hash", "string", ({ contentHash }) => contentHash),
];

export const CHANGE_COLUMNS: readonly ParquetColumn<ChangeRow>[] = [
  ...VISITED,
  { ...ofChange("kind", "string", ({ kind }) => kind), isRequired: true, isAscii: true },
  { ...ofChange("url", "string", ({ url }) => url), isRequired: true, isAscii: true },
  ofChange("fields", "json", (change) => (change.kind === "changed" ? change.fields : undefined)),
  ofChange("before", "json", (change) => (change.kind === "changed" ? change.before : undefined)),
  ofChange("after", "json", (change) => {
    if (change.kind === "added") return change.page;
    return change.kind === "changed" ? change.after : undefined;
  }),
  ofChange("sitemaps", "json", (change) => (change.kind === "relisted" ? change.to : change.sitemaps)),
  ofChange("from_sitemaps", "json", (change) => (change.kind === "relisted" ? change.from : undefined)),
  ofChange("moved", "string", (change) => {
    if (change.kind === "added") return change.movedFrom;
    return change.kind === "removed" ? change.movedTo : undefined;
  }),
  ofChange("reason", "string", (change) => (change.kind === "pending" ? change.reason : undefined)),
  ofChange("weak", "boolean", (change) => (change.kind === "changed" ? change.weak : undefined)),
];

/** The name that the Parquet schema gives to a row of each dataset. */
export const ROW_NAMES: Readonly<Record<Dataset, string>> = {
  pages: "page",
  sitemaps: "sitemap",
  changes: "change",
};

/** The columns of each dataset, whose rows are arrays of values in the order of the columns. */
export const VALUE_COLUMNS: Readonly<Record<Dataset, readonly ParquetColumn<readonly unknown[]>[]>> = {
  pages: byPosition(PAGE_COLUMNS),
  sitemaps: byPosition(SITEMAP_COLUMNS),
  changes: byPosition(CHANGE_COLUMNS),
};

function byPosition(columns: readonly ParquetColumn<never>[]): ParquetColumn<readonly unknown[]>[] {
  return columns.map((column, at) => ({ ...column, value: (row) => row[at] }));
}

type Type = ParquetColumn<unknown>["type"];

function ofSitemap(
  name: string,
  type: Type,
  read: (sitemap: WalkedSitemap) => unknown,
): ParquetColumn<SitemapRow> {
  return { name, type, value: ({ sitemap }) => read(sitemap) };
}

function ofChange(
  name: string,
  type: Type,
  read: (change: KnownChange) => unknown,
): ParquetColumn<ChangeRow> {
  return { name, type, value: ({ change }) => read(change) };
}
