/** What is known about one of the two inputs of a comparison. */

/** The kinds of inputs. `json`: rows with a `url`, such as `siteatlas ls -f ndjson` writes. */
export type SourceType = "site" | "snapshot" | "folder" | "sitemap" | FileType;

/** The kinds of text files. */
export type FileType = (typeof FILE_TYPES)[number];

export const FILE_TYPES = ["urls", "csv", "json", "log"] as const;

/**
 * Why lines or rows of an input do not count:
 *
 * - `invalid`: the line or cell is not a URL
 * - `relative`: the URL is a path, and no origin was given
 * - `too-long`: the line, row or URL is longer than siteatlas reads
 * - `broken`: the row is not valid CSV or JSON, or the line is not a log line
 * - `request`: a log line of another method, status or user agent
 * - `host`: a log line of another host
 * - `filter`: the filter of the caller rejected the URL
 */
export type DropReason = "invalid" | "relative" | "too-long" | "broken" | "request" | "host" | "filter";

/**
 * Why an input cannot be read:
 *
 * - `binary`: it is not text, for example a spreadsheet or a database
 * - `no-column`: it is a table without a column of URLs
 * - `no-origin`: it is a server log, which contains paths, and no origin was given
 * - `snapshot-stream`: it is a snapshot in a pipe. A snapshot must be a file
 */
export type SourceProblem = "binary" | "no-column" | "no-origin" | "snapshot-stream";

/** Facts about one of the two inputs. */
export interface SourceFacts {
  /** What the input is. Undefined if it was not read. */
  readonly type?: SourceType;
  /** Name of the column that was read, or its number if the table has no header. Only for `csv`. */
  readonly column?: string;
  /** Number of URLs in the input. A URL that occurs twice counts twice. */
  readonly urls: number;
  /** Number of lines, rows or URLs that do not count, by reason. */
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  /** Sitemaps that the input lists, and that were not read. Only for `sitemap`. */
  readonly unreadSitemaps?: number;
  /** Whether the input is incomplete: truncated, damaged, or cut by a limit of the walk. */
  readonly partial?: true;
  /** Why the input has no URLs. */
  readonly problem?: SourceProblem;
}

/** Facts that a reader fills in while it reads. */
export class FactCounts {
  type: SourceType | undefined;
  column: string | undefined;
  urls = 0;
  unreadSitemaps = 0;
  isPartial = false;
  problem: SourceProblem | undefined;
  readonly #dropped: Map<DropReason, number> = new Map();

  drop(reason: DropReason): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1);
  }

  facts(): SourceFacts {
    const { type, column, urls, unreadSitemaps, isPartial, problem } = this;
    return {
      ...(type !== undefined && { type }),
      ...(column !== undefined && { column }),
      urls,
      dropped: Object.fromEntries(this.#dropped),
      ...(unreadSitemaps > 0 && { unreadSitemaps }),
      ...(isPartial && { partial: true as const }),
      ...(problem !== undefined && { problem }),
    };
  }
}
