/** What a comparison of two snapshots tells, and in which words. */
import type { IssueCode } from "../issues.ts";
import type { PageField, SnapshotPage } from "./page-line.ts";

/** A page that no sitemap listed before. */
export interface Added {
  readonly kind: "added";
  readonly url: string;
  readonly page: SnapshotPage;
  /** The sitemaps that list it. */
  readonly sitemaps: readonly string[];
  /** The removed page that it probably is. */
  readonly movedFrom?: string;
}

/** A page of which sitemaps say something else than before. */
export interface Changed {
  readonly kind: "changed";
  readonly url: string;
  readonly fields: readonly PageField[];
  readonly before: SnapshotPage;
  readonly after: SnapshotPage;
  readonly sitemaps: readonly string[];
  /** Only its lastModified changed, in a sitemap whose lastModified says little (`LastmodTrust`). */
  readonly weak?: true;
}

/** So many pages went at once (`massRemoval`), or a sitemap that may list it now could not be read whole. */
export type Suspicion = "many" | "unread";

/** A page that no sitemap lists any more; each that listed it was read whole, or is gone by itself. */
export interface Removed {
  readonly kind: "removed";
  readonly url: string;
  /** The sitemaps that listed it. */
  readonly sitemaps: readonly string[];
  /** The added page that it probably is now. */
  readonly movedTo?: string;
  /** Why it may be there still. */
  readonly suspect?: Suspicion;
}

/** The same page, in other sitemaps: no change of the page. */
export interface Relisted {
  readonly kind: "relisted";
  readonly url: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** A sitemap that could not be read, or not whole: what changed there, nobody knows. */
export interface Unknown {
  readonly kind: "unknown";
  /** The sitemap. */
  readonly url: string;
  readonly code: IssueCode;
  /** What the server answered, where that is why. */
  readonly status?: number;
  /** It was not asked for: only what is at this URL leads there, and that could not be read. */
  readonly behind?: string;
  /** Since when. */
  readonly since: string;
  /** Its pages as last seen; they are neither removed nor changed. */
  readonly pageCount: number;
}

/** A change of a page, or what keeps us from knowing of one. */
export type PageChange = Added | Changed | Removed | Relisted | Unknown;
