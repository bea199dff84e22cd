/**
 * Reads a file of `saveTree`. The file is untrusted: every line is checked, and lines have a maximum length. Pages are
 * packed as they are read. tree-file.ts describes the format.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { checkArgument, checkOptions, type OptionRules } from "../../check/check-options.ts";
import { FILE_PATH, number, SIGNAL } from "../../check/rules.ts";
import { logLine } from "../../escape/log-line.ts";
import { filePath } from "../../files/file-path.ts";
import type { IndexWebsiteSitemap, Sitemap } from "../../model/model.ts";
import { TREE_ROOT_OPTIONS, type TreeRootOptions, type WebsiteRootOptions } from "./assemble-tree.ts";
import { readLines } from "./read-lines.ts";
import { TreeError } from "./tree-error.ts";
import { TreeLineReader } from "./tree-line-reader.ts";

/** Size of the output buffer for decompression, in bytes. */
const CHUNK = 64 * 1024;

/** Options of `loadTree`. */
export interface LoadTreeOptions extends TreeRootOptions {
  /**
   * Maximum size of the decompressed file in bytes. This also limits the memory: the tree needs at most about this
   * size, and usually a tenth of it. `Infinity` removes the limit.
   *
   * @default the smaller of 4 GiB (about 20 million pages) and 32 MiB + 64 × the size of the file
   */
  readonly maxBytes?: number | undefined;
  /** Aborts the reading. `loadTree` then rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

const LOAD_TREE_OPTIONS: OptionRules<LoadTreeOptions> = {
  ...TREE_ROOT_OPTIONS,
  maxBytes: number(0),
  signal: SIGNAL,
};

const DEFAULT_MAX_BYTES = 4 * 1024 ** 3;
/** Maximum compression ratio. Trees of real sites reach more than 10 but less than 60. A gzip bomb reaches 1,000. */
const MAX_RATIO = 64;
const FREE_BYTES = 32 * 1024 * 1024;

/**
 * Loads a tree that `saveTree` wrote. Pages are packed while they are read, so that the tree takes 20 to 40 bytes per
 * page.
 *
 * @throws {TreeError} if the file is not a complete and correct tree. `code` says why.
 * @throws the error of the file system if the file cannot be read
 * @throws {TypeError | RangeError} for an invalid path, an unknown option or an invalid value
 *
 * @example
 * const tree = await loadTree("example.tree.gz");
 * for (const page of allPages(tree)) console.log(page.url);
 */
export async function loadTree(
  path: string | URL,
  options?: LoadTreeOptions & WebsiteRootOptions,
): Promise<IndexWebsiteSitemap>;
export async function loadTree(path: string | URL, options: LoadTreeOptions): Promise<Sitemap>;
export async function loadTree(path: string | URL, options: LoadTreeOptions = {}): Promise<Sitemap> {
  checkArgument("loadTree", "path", FILE_PATH, path);
  checkOptions("loadTree", LOAD_TREE_OPTIONS, options);
  const { maxBytes, signal } = options;
  signal?.throwIfAborted();
  const name = filePath(path);
  const kind = await stat(name);
  // Reject a named pipe: opening it would wait for a writer. For a folder, the file system reports an error later.
  if (!kind.isFile() && !kind.isDirectory()) {
    const file = logLine(name, { maxLength: 200 });
    throw new TreeError("not-a-tree", `Cannot load ${file}: it is not a regular file`);
  }
  const reader = new TreeLineReader(options);
  let line = 0;
  const source = createReadStream(name, { signal });
  const gunzip = createGunzip({ chunkSize: CHUNK });
  // Do not use `pipeline`: it would report an AbortError instead of the error of the loop below.
  source.on("error", (error) => gunzip.destroy(error)).pipe(gunzip);
  try {
    const allowed = (): number =>
      maxBytes ?? Math.min(DEFAULT_MAX_BYTES, FREE_BYTES + MAX_RATIO * source.bytesRead);
    for await (const lines of readLines(gunzip, allowed)) {
      for (const text of lines) {
        line++;
        reader.readLine(text);
      }
    }
    return reader.finish();
  } catch (error) {
    throw signal?.aborted ? signal.reason : explain(error, name, line);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** Maps error codes of zlib to codes of `TreeError`. */
const ZLIB_ERRORS = new Map<unknown, "truncated" | "damaged">([
  ["Z_BUF_ERROR", "truncated"],
  ["Z_DATA_ERROR", "damaged"],
]);

/** Matches error messages of zlib for a file that is not gzip. */
const OTHER_FILE = /incorrect header check|unknown compression method/;

function explain(error: unknown, path: string, line: number): unknown {
  const file = logLine(path, { maxLength: 200 });
  if (error instanceof TreeError) {
    const place = error.code === "invalid" ? `, line ${line}` : "";
    return new TreeError(error.code, `Cannot load ${file}${place}: ${error.message}`);
  }
  const { code: name, message } = error as NodeJS.ErrnoException;
  const code = ZLIB_ERRORS.get(name);
  if (code === undefined) return error;
  if (line === 0 && OTHER_FILE.test(message)) {
    return new TreeError("not-a-tree", `Cannot load ${file}: it is not a file of saveTree`);
  }
  const what = code === "truncated" ? "it ends early" : "it is damaged: a checksum does not match";
  return new TreeError(code, `Cannot load ${file}: ${what}`);
}
