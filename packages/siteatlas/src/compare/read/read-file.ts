/** Reads the URLs of a file or a folder. */
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { readSnapshot } from "../../sync/snapshot/read-snapshot.ts";
import { PREAMBLE_LENGTH } from "../../sync/snapshot/snapshot-header.ts";
import type { FactCounts } from "../source-facts.ts";
import { folderPages } from "./build-folder.ts";
import { isSnapshotStart } from "./open-text.ts";
import { type ReadOptions, readText } from "./read-text.ts";

type Batches = AsyncGenerator<readonly string[]>;

/** Size of a chunk of a file, in bytes. */
const CHUNK = 256 * 1024;

/**
 * Yields the URLs in batches.
 *
 * @throws the error of the file system, or a `SnapshotError`
 */
export async function* readFile(path: string, facts: FactCounts, options: ReadOptions): Batches {
  if (options.type === undefined && (await isSnapshotFile(path))) {
    facts.type = "snapshot";
    yield* snapshotPages(path);
    return;
  }
  const stream = createReadStream(path, { highWaterMark: CHUNK });
  try {
    yield* readText(stream, facts, options);
  } finally {
    stream.destroy();
  }
}

/** Yields the URLs of a static site in batches. @throws the error of the file system */
export async function* readFolder(path: string, facts: FactCounts, { origin }: ReadOptions): Batches {
  facts.type = "folder";
  if (origin === undefined) facts.problem = "no-origin";
  else yield* folderPages(path, origin);
}

/** Whether the file is a snapshot. @throws the error of the file system */
async function isSnapshotFile(path: string): Promise<boolean> {
  // A pipe can be read only once.
  if (!(await stat(path)).isFile()) return false;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PREAMBLE_LENGTH), 0, PREAMBLE_LENGTH, 0);
    return isSnapshotStart(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Yields the pages that the sitemaps listed. Pages whose removal is pending are not listed any more. */
async function* snapshotPages(path: string): Batches {
  const snapshot = await readSnapshot(path);
  try {
    let urls: string[] = [];
    for await (const { url, pendingSince } of snapshot.pages()) {
      if (pendingSince === undefined) urls.push(url);
      if (urls.length < 1000) continue;
      yield urls;
      urls = [];
    }
    yield urls;
  } finally {
    await snapshot.close();
  }
}
