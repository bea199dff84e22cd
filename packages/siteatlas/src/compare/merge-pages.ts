/**
 * Merges the sorted records of both inputs. Records with the same key are one page.
 *
 * The record of a page is its key, or `key \x01 URL` if the URL is not equal to the key. The separator sorts before all
 * characters of a URL, so that the records of one page are adjacent.
 */
import type { PageIn } from "./section-counts.ts";
import { MAX_RECORD } from "./sort/record-block.ts";
import { copyBytes, isEqual } from "./sort/record-sorter.ts";
import { type RunCursor, RunHeap } from "./sort/run-cursor.ts";

const SEPARATOR = 1;
/** Number of pages in a batch. */
const BATCH = 1000;

export function recordOf(key: string, url: string): string {
  return key === url ? key : `${key}\x01${url}`;
}

/** A page that one or both inputs have. */
export interface ComparedPage {
  readonly kind: "page";
  /** Which inputs have the page. */
  readonly in: PageIn;
  /** URL of the page. If both inputs have the page, the URL in `a`. */
  readonly url: string;
  /** URL of the page in `b`, if both inputs have the page with different URLs. */
  readonly urlInB?: string;
}

type Side = "a" | "b";

interface MergeOptions {
  /** Whether there are records with a separator. If not, nothing searches for it. */
  readonly hasSpellings: boolean;
  /** Called for each page with its key. */
  onPage(key: string, where: PageIn): void;
}

/** Yields all pages, sorted by key. */
export async function* mergePages(
  a: readonly RunCursor[],
  b: readonly RunCursor[],
  { hasSpellings, onPage }: MergeOptions,
): AsyncGenerator<readonly ComparedPage[]> {
  const sides = new Map<RunCursor, Side>();
  for (const cursor of a) sides.set(cursor, "a");
  for (const cursor of b) sides.set(cursor, "b");
  const heap = new RunHeap();
  await heap.start([...sides.keys()]);
  /** The key of the current page. */
  const key = Buffer.allocUnsafeSlow(MAX_RECORD);
  let keyLength = 0;
  let text = "";
  /** The URL in each input. It is the first one in alphabetical order, if an input has several. */
  let [urlA, urlB]: [string | undefined, string | undefined] = [undefined, undefined];
  let batch: ComparedPage[] = [];
  const finish = (): void => {
    if (keyLength === 0) return;
    const where = urlA === undefined ? "b" : urlB === undefined ? "a" : "both";
    onPage(text, where);
    const url = urlA ?? urlB!;
    const isRespelled = where === "both" && urlA !== urlB;
    batch.push(
      isRespelled ? { kind: "page", in: where, url, urlInB: urlB! } : { kind: "page", in: where, url },
    );
  };
  for (let top = heap.top; top !== undefined; top = heap.top) {
    const { bytes, start, end } = top;
    const separator = hasSpellings ? bytes.subarray(start, end).indexOf(SEPARATOR) : -1;
    const length = separator < 0 ? end - start : separator;
    if (length !== keyLength || !isEqual(key, 0, bytes, start, length)) {
      finish();
      if (batch.length >= BATCH) {
        yield batch;
        batch = [];
      }
      keyLength = length;
      copyBytes(bytes, start, start + length, key, 0);
      text = bytes.toString("latin1", start, start + length);
      urlA = undefined;
      urlB = undefined;
    }
    const isA = sides.get(top) === "a";
    if ((isA ? urlA : urlB) === undefined) {
      const url = separator < 0 ? text : bytes.toString("latin1", start + length + 1, end);
      if (isA) urlA = url;
      else urlB = url;
    }
    const busy = heap.next();
    if (busy !== undefined) await busy;
  }
  finish();
  yield batch;
}
