/** Turns the lines that differ into changes of pages: added, removed, changed or relisted. */
import { omitUndefined } from "../../model/omit-undefined.ts";
import { pageKey } from "../../page-list/page-key.ts";
import type { PageAdded, PageChanged, PageRelisted, PageRemoved } from "../changes.ts";
import { fieldsOfLine, PAGE_FIELDS, type PageField, readPageLine, urlOfLine } from "../snapshot/page-line.ts";
import type { SnapshotPending } from "../snapshot/snapshot-format.ts";
import type { DifferingLine } from "./differing-lines.ts";
import type { SnapshotDifferences } from "./gather-differences.ts";
import { pairMoves } from "./moved-pages.ts";

export interface ClassifyOptions {
  /** Returns where a removed page redirects to. Undefined if it was not requested or does not redirect. */
  readonly redirectOf?: (url: string) => Promise<string | undefined>;
  /**
   * Whether lastModified is unreliable in this sitemap. `restamped` is the number of its pages where only the date
   * differs between both snapshots.
   */
  readonly isWeak?: (sitemapUrl: string, restamped: number) => boolean;
}

/** The lines of one page in both snapshots, by the number of the sitemap that lists it. */
interface PageSides {
  readonly before: Map<number, string>;
  readonly after: Map<number, string>;
}

/** The changes found in one piece. The differing lines are compared piece by piece (differing-lines.ts). */
export interface PieceChanges {
  readonly added: Map<string, PageAdded>;
  readonly removed: Map<string, PageRemoved>;
  /** The line of each removed page, and its group if its removal was pending before. */
  readonly lines: Map<string, { readonly line: string; readonly group: SnapshotPending | undefined }>;
  readonly others: (PageChanged | PageRelisted)[];
  /** The sitemaps that pages have left for others, one URL per page and sitemap. */
  readonly left: string[];
}

export class PageClassifier {
  /** URLs of sitemaps that have a page in common with another one. Complete once all pieces were classified. */
  readonly shared: Set<string> = new Set();
  readonly #differences: SnapshotDifferences;
  readonly #options: ClassifyOptions;
  /** The piece that was classified last. If all lines fit into memory, it is the only one. */
  #last: { readonly piece: readonly DifferingLine[]; readonly changes: PieceChanges } | undefined;

  constructor(differences: SnapshotDifferences, options: ClassifyOptions) {
    this.#differences = differences;
    this.#options = options;
  }

  /** Yields the changes of each piece. They can be read several times. */
  async *pieces(): AsyncGenerator<PieceChanges> {
    for await (const piece of this.#differences.lines.pieces()) yield await this.#classify(piece);
  }

  async #classify(piece: readonly DifferingLine[]): Promise<PieceChanges> {
    if (this.#last?.piece === piece) return this.#last.changes;
    const { urls, groups } = this.#differences;
    const changes: PieceChanges = {
      added: new Map(),
      removed: new Map(),
      lines: new Map(),
      others: [],
      left: [],
    };
    for (const page of pagesOf(piece)) {
      const { before, after } = page;
      if (after.size > 1) for (const number of after.keys()) this.shared.add(urls[number]!);
      const [old, young] = [firstSpelling(before), firstSpelling(after)];
      if (old?.url === young?.url) {
        changes.others.push(...this.#others(old!.url, page));
        const hasMoved = [...after.keys()].some((number) => !before.has(number));
        for (const number of hasMoved ? before.keys() : []) {
          if (!after.has(number) && !groups.has(number)) changes.left.push(urls[number]!);
        }
        continue;
      }
      // If the URL of the page is spelled differently now, the old spelling is reported as removed and the new one as
      // added: the caller knows the page by its old spelling.
      if (young !== undefined) {
        const { url, line } = young;
        const sitemaps = this.#differences.namesOf(after.keys());
        const moved = omitUndefined({ movedFrom: old?.url });
        changes.added.set(url, { kind: "added", url, page: readPageLine(line), sitemaps, ...moved });
      }
      if (old !== undefined) {
        const { url, line, number } = old;
        const moved = omitUndefined({ movedTo: young?.url });
        changes.removed.set(url, {
          kind: "removed",
          url,
          sitemaps: this.#differences.namesOf(before.keys()),
          ...moved,
        });
        changes.lines.set(url, { line, group: groups.get(number) });
      }
    }
    await pairMoves(changes, this.#options.redirectOf);
    this.#last = { piece, changes };
    return changes;
  }

  *#others(url: string, { before, after }: PageSides): Generator<PageChanged | PageRelisted> {
    const [olds, youngs] = [
      this.#differences.namesOf(before.keys()),
      this.#differences.namesOf(after.keys()),
    ];
    const from = olds.filter((name) => !youngs.includes(name));
    const to = youngs.filter((name) => !olds.includes(name));
    if (from.length > 0 && to.length > 0) yield { kind: "relisted", url, from, to };
    const fields = changedFields([...before.values()], [...after.values()]);
    if (fields.length === 0) return;
    const [number, line] = [...after].find(([at, text]) => before.get(at) !== text) ?? [...after][0]!;
    const was = before.get(number) ?? before.values().next().value!;
    const isDateOnly = fields.length === 1 && fields[0] === "lastModified";
    const restamped = this.#differences.restamped.get(number) ?? 0;
    const isWeak = isDateOnly && this.#options.isWeak?.(this.#differences.urls[number]!, restamped) === true;
    yield {
      kind: "changed",
      url,
      fields,
      before: readPageLine(was),
      after: readPageLine(line),
      sitemaps: youngs,
      ...(isWeak && { weak: true }),
    };
  }
}

/** Yields the pages of a piece that differ. Creates Maps for one page at a time, because they need a lot of memory. */
function* pagesOf(piece: readonly DifferingLine[]): Generator<PageSides> {
  const pages = new Map<string, DifferingLine[]>();
  for (const differing of piece) {
    const key = pageKey(urlOfLine(differing.line));
    const known = pages.get(key);
    if (known === undefined) pages.set(key, [differing]);
    else known.push(differing);
  }
  for (const lines of pages.values()) {
    // Skip a page that only unchanged sitemaps list: it is a false positive of the Bloom filter.
    if (lines.every(({ side }) => side === "=")) continue;
    const page: PageSides = { before: new Map(), after: new Map() };
    for (const { side, sitemap, line } of lines) {
      if (side !== "+") page.before.set(sitemap, line);
      if (side !== "-") page.after.set(sitemap, line);
    }
    yield page;
  }
}

/**
 * The URL under which a page is reported, with its line. If sitemaps spell the URL differently, the first spelling in
 * alphabetical order is used.
 */
function firstSpelling(
  side: ReadonlyMap<number, string>,
): { readonly url: string; readonly line: string; readonly number: number } | undefined {
  let first: { url: string; line: string; number: number } | undefined;
  for (const [number, line] of side) {
    const url = urlOfLine(line);
    if (first === undefined || url < first.url) first = { url, line, number };
  }
  return first;
}

/** Fields with a value that no sitemap declared before, and fields that no sitemap declares any more. */
function changedFields(before: readonly string[], after: readonly string[]): PageField[] {
  const olds = before.map(fieldsOfLine);
  const youngs = after.map(fieldsOfLine);
  return PAGE_FIELDS.filter((name) => {
    const known = new Set(olds.map((fields) => fields.get(name)));
    const isNew = youngs.some((fields) => fields.has(name) && !known.has(fields.get(name)));
    const isGone = olds.some((fields) => fields.has(name)) && !youngs.some((fields) => fields.has(name));
    return isNew || isGone;
  });
}
