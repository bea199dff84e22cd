/** Turns the lines that differ into changes of pages: added, removed, changed or relisted. */
import { omitUndefined } from "../../model/omit-undefined.ts";
import { pageKey } from "../../page-list/page-key.ts";
import type { PageAdded, PageChanged, PageRelisted, PageRemoved, PageReturned } from "../changes.ts";
import { mergeLines } from "../snapshot/merge-lines.ts";
import { fieldsOfLine, PAGE_FIELDS, readPageLine, urlOfLine } from "../snapshot/page-line.ts";
import type { SnapshotPending } from "../snapshot/snapshot-format.ts";
import type { DifferingLine } from "./differing-lines.ts";
import type { SnapshotDifferences } from "./gather-differences.ts";
import { pairMoves } from "./moved-pages.ts";

export interface ClassifyOptions {
  /**
   * Whether the newer snapshot is that of a sync in progress. Then a page keeps the URL that it was reported with, also
   * if sitemaps spell it differently now, and a pending page that is listed again is reported as returned.
   */
  readonly isSync?: boolean;
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

/** A change of a page that both snapshots have. */
type OtherChange = PageChanged | PageRelisted | PageReturned;

/** The changes found in one piece. The differing lines are compared piece by piece (differing-lines.ts). */
export interface PieceChanges {
  readonly added: Map<string, PageAdded>;
  readonly removed: Map<string, PageRemoved>;
  /** The line of each removed page, and its group if its removal was pending before. */
  readonly lines: Map<string, { readonly line: string; readonly group: SnapshotPending | undefined }>;
  readonly others: OtherChange[];
  /** The sitemaps that pages have left for others, one URL per page and sitemap. */
  readonly left: string[];
  /** Lines of the newer snapshot that spell the URL of a page differently, by sitemap and the URL of the page. */
  readonly respelled: (readonly [sitemap: string, url: string])[];
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
      respelled: [],
    };
    for (const page of pagesOf(piece)) {
      const { before, after } = page;
      if (after.size > 1) for (const number of after.keys()) this.shared.add(urls[number]!);
      const old = rowOf(before);
      const young = rowOf(after, this.#options.isSync ? old?.url : undefined);
      for (const [number, line] of after) {
        if (urlOfLine(line) !== young!.url) changes.respelled.push([urls[number]!, young!.url]);
      }
      if (old !== undefined && old.url === young?.url) {
        changes.others.push(...this.#others(old, young, page));
        const hasMoved = [...after.keys()].some((number) => !before.has(number));
        for (const number of hasMoved ? before.keys() : []) {
          if (!after.has(number) && !groups.has(number)) changes.left.push(urls[number]!);
        }
        continue;
      }
      // If both snapshots spell the URL of the page differently, the old spelling is reported as removed and the new one
      // as added.
      if (young !== undefined) {
        const { url, line } = young;
        const sitemaps = this.#differences.namesOf(after.keys());
        const moved = omitUndefined({ movedFrom: old?.url });
        changes.added.set(url, { kind: "added", url, page: readPageLine(line), sitemaps, ...moved });
      }
      if (old !== undefined) {
        const { url, line } = old;
        const [number] = before.keys();
        const moved = omitUndefined({ movedTo: young?.url });
        changes.removed.set(url, {
          kind: "removed",
          url,
          sitemaps: this.#differences.namesOf(before.keys()),
          ...moved,
        });
        changes.lines.set(url, { line, group: groups.get(number!) });
      }
    }
    await pairMoves(changes, this.#options.redirectOf);
    this.#last = { piece, changes };
    return changes;
  }

  *#others(old: PageRow, young: PageRow, { before, after }: PageSides): Generator<OtherChange> {
    const { url } = young;
    const [olds, youngs] = [
      this.#differences.namesOf(before.keys()),
      this.#differences.namesOf(after.keys()),
    ];
    const from = olds.filter((name) => !youngs.includes(name));
    const to = youngs.filter((name) => !olds.includes(name));
    const [number] = before.keys();
    const { since } = this.#differences.groups.get(number!) ?? {};
    if (since !== undefined && this.#options.isSync) {
      yield { kind: "returned", url, sitemaps: youngs, pendingSince: since };
    }
    if (from.length > 0 && to.length > 0) yield { kind: "relisted", url, from, to };
    if (old.line === young.line) return;
    const [oldFields, fields] = [fieldsOfLine(old.line), fieldsOfLine(young.line)];
    const changed = PAGE_FIELDS.filter((name) => oldFields.get(name) !== fields.get(name));
    const isDateOnly = changed.length === 1 && changed[0] === "lastModified";
    yield {
      kind: "changed",
      url,
      fields: changed,
      before: readPageLine(old.line),
      after: readPageLine(young.line),
      sitemaps: youngs,
      ...(isDateOnly && this.#isWeak(fields.get("lastModified"), after) && { weak: true }),
    };
  }

  /** Whether the sitemap that declares this date has unreliable dates. */
  #isWeak(date: string | undefined, after: PageSides["after"]): boolean {
    const [number] = [...after].find(([, line]) => fieldsOfLine(line).get("lastModified") === date)!;
    const restamped = this.#differences.restamped.get(number) ?? 0;
    return this.#options.isWeak?.(this.#differences.urls[number]!, restamped) === true;
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

/** A page as it is reported: its URL and its line. */
interface PageRow {
  readonly url: string;
  readonly line: string;
}

/**
 * The row of a page that these sitemaps list. Undefined if none lists it.
 *
 * @param spelling the URL to use instead of the spelling of the sitemaps
 */
function rowOf(side: ReadonlyMap<number, string>, spelling?: string): PageRow | undefined {
  if (side.size === 0) return undefined;
  const line = mergeLines([...side.values()]);
  const own = urlOfLine(line);
  const url = spelling ?? own;
  return { url, line: url === own ? line : url + line.slice(own.length) };
}
