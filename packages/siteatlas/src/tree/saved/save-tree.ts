/** Writes a tree to a file, one line at a time. tree-file.ts describes the format. */
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { checkArgument, checkOptions, type OptionRules } from "../../check/check-options.ts";
import { FILE_PATH, SIGNAL } from "../../check/rules.ts";
import { filePath } from "../../files/file-path.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { Sitemap } from "../../model/model.ts";
import { NODE } from "../argument-rules.ts";
import { page as pageCheck } from "./page-schema.ts";
import { stepsOf } from "./shared-parts.ts";
import { sitemapFacts } from "./sitemap-schema.ts";
import { checkTreeAt, TreeError } from "./tree-error.ts";
import { type FileEnd, HEADER, MAX_LINE_BYTES } from "./tree-file.ts";

/** Number of characters that are compressed at a time. Small strings are cheap to garbage-collect. */
const CHUNK = 64 * 1024;

/** Options of `saveTree`. */
export interface SaveTreeOptions {
  /** Aborts the writing. `saveTree` then rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

const SAVE_TREE_OPTIONS: OptionRules<SaveTreeOptions> = { signal: SIGNAL };

/**
 * Saves a tree to a file. The memory that `saveTree` needs does not grow with the number of pages. The file is
 * compressed with gzip. It is written to a temporary name and renamed when complete. `loadTree` reads it.
 *
 * An existing file is replaced, and the new file has the same mode. If the path is a symbolic link, its target is
 * replaced.
 *
 * @throws {TreeError} if a sitemap contains itself, or a page is not valid
 * @throws the error of the file system if the file cannot be written
 * @throws {TypeError} for an invalid tree or path, an unknown option or an invalid value
 *
 * @example
 * const tree = await sitemapTreeForHomepage("https://example.com/");
 * await saveTree(tree, "example.tree.gz");
 */
export async function saveTree(
  tree: Sitemap,
  path: string | URL,
  options: SaveTreeOptions = {},
): Promise<void> {
  checkArgument("saveTree", "tree", NODE, tree);
  checkArgument("saveTree", "path", FILE_PATH, path);
  checkOptions("saveTree", SAVE_TREE_OPTIONS, options);
  const { signal } = options;
  signal?.throwIfAborted();
  await replaceFile(filePath(path), async (file) => {
    const gzip = createGzip({ chunkSize: CHUNK });
    const write = async (packed: AsyncIterable<Buffer>): Promise<void> => {
      // Use `appendFile`: it writes all bytes or throws. `write` may write only a part of the bytes.
      for await (const bytes of packed) await file.appendFile(bytes);
    };
    await pipeline(chunksOf(linesOf(tree)), gzip, write, signal === undefined ? {} : { signal }).catch(
      (error: unknown) => {
        throw signal?.aborted ? signal.reason : error;
      },
    );
  });
}

function* linesOf(tree: Sitemap): Generator<string> {
  const end: { sitemaps: number; pages: number } = { sitemaps: 0, pages: 0 };
  yield HEADER;
  for (const step of stepsOf(tree)) {
    if (step.kind === "shared") yield JSON.stringify(step.node);
    if (step.kind !== "node") continue;
    const { subSitemaps, pages, ...facts } = step.sitemap;
    // Check all values before they are written, so that `loadTree` can always read the file.
    const sitemap = checkTreeAt(() => `The sitemap ${facts.url}: sitemap`, sitemapFacts, facts);
    end.sitemaps++;
    yield JSON.stringify({ sitemap, subSitemaps: subSitemaps.length, pages: step.pages ?? pages.length });
    if (step.pages !== undefined) continue;
    end.pages += pages.length;
    for (const page of pages)
      yield JSON.stringify(checkTreeAt(() => `The page ${page.url}: page`, pageCheck, page));
  }
  yield JSON.stringify({ end } satisfies FileEnd);
}

/** Joins lines to chunks of about `CHUNK` characters. */
function* chunksOf(lines: Iterable<string>): Generator<Buffer> {
  let text = "";
  for (const line of lines) {
    if (line.length * 3 > MAX_LINE_BYTES && Buffer.byteLength(line) > MAX_LINE_BYTES) {
      throw new TreeError(
        "too-large",
        `a line has more than ${MAX_LINE_BYTES} bytes. It starts with ${line.slice(0, 200)}`,
      );
    }
    text += `${line}\n`;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}
