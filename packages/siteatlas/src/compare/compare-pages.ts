/** `comparePages`: which pages only one of two inputs has, and which pages both have. */
import type { WalkStart } from "../discover/site-start.ts";
import { filePath } from "../files/file-path.ts";
import { isFailure } from "../walk/events/failed-sitemap.ts";
import { walkSitemaps } from "../walk/walk-sitemaps.ts";
import { Comparison, type ComparisonSummary, type PageIntake } from "./comparison.ts";
import type { ComparedPage } from "./merge-pages.ts";
import {
  type CheckedSource,
  type CompareOptions,
  type CompareSource,
  checkComparison,
  readOptions,
} from "./options.ts";
import { readFile, readFolder } from "./read/read-file.ts";
import { readText } from "./read/read-text.ts";
import { UrlTexts } from "./read/url-texts.ts";

/**
 * Compares the pages of two inputs. Each is a site, a snapshot, a list of URLs, a crawl export, a server log or the
 * folder of a static site. Yields each page once, sorted by URL, with the inputs that have it. The last item is the
 * summary. Memory does not grow with the inputs: URLs are sorted in temporary files.
 *
 * An input that is not readable text is reported in the summary. A missing file throws the error of the file system,
 * and a damaged snapshot a `SnapshotError`.
 *
 * @example
 * for await (const item of comparePages("https://example.com/", { file: "crawl.csv" })) {
 *   if (item.kind === "page" && item.in === "b") console.log("not in a sitemap:", item.url);
 * }
 */
export function comparePages(
  a: CompareSource,
  b: CompareSource,
  options: CompareOptions = {},
): AsyncGenerator<ComparedPage | ComparisonSummary> {
  const [first, second] = checkComparison(a, b, options);
  return compare(first, second, options);
}

async function* compare(
  a: CheckedSource,
  b: CheckedSource,
  options: CompareOptions,
): AsyncGenerator<ComparedPage | ComparisonSummary> {
  const { ignore, filter, temporaryFolder, signal } = options;
  signal?.throwIfAborted();
  const comparison = await Comparison.open({
    ignore,
    filter,
    temporaryFolder: temporaryFolder === undefined ? undefined : filePath(temporaryFolder),
  });
  try {
    await readSource(a, comparison.a, options);
    await readSource(b, comparison.b, options);
    for await (const pages of comparison.pages()) {
      signal?.throwIfAborted();
      yield* pages;
    }
    yield comparison.summary();
  } finally {
    await comparison.close();
  }
}

async function readSource(source: CheckedSource, intake: PageIntake, options: CompareOptions): Promise<void> {
  const { facts } = intake;
  const { signal } = options;
  switch (source.kind) {
    case "site":
      return readSite(source.start, intake, options);
    case "urls":
      facts.type = "urls";
      return intake.addAll(readUrls(source.urls, new UrlTexts(options.origin, facts)), signal);
    case "file":
      return intake.addAll(readFile(filePath(source.file), facts, readOptions(source, options)), signal);
    case "folder":
      return intake.addAll(readFolder(filePath(source.folder), facts, readOptions({}, options)), signal);
    case "bytes":
      return intake.addAll(readText(source.bytes, facts, readOptions(source, options)), signal);
  }
}

async function* readUrls(
  urls: Iterable<string> | AsyncIterable<string>,
  reader: UrlTexts,
): AsyncGenerator<readonly string[]> {
  for await (const text of urls) {
    if (typeof text !== "string") throw new TypeError("comparePages: each URL must be a string");
    const url = reader.read(text);
    if (url !== undefined) yield [url];
  }
}

async function readSite(
  start: WalkStart,
  intake: PageIntake,
  { walk = {}, signal = walk.signal }: CompareOptions,
): Promise<void> {
  intake.facts.type = "site";
  for await (const event of walkSitemaps(start, { ...walk, signal })) {
    if (event.kind === "sitemap") {
      const { partial, outcome } = event.sitemap;
      if (partial || outcome === "stopped" || isFailure(event.sitemap)) intake.facts.isPartial = true;
    }
    const busy = event.kind === "page" ? intake.add(event.page.url) : undefined;
    if (busy !== undefined) await busy;
  }
}
