/** Reads part files row by row. Each row is an object whose keys are the names of the columns. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import type { ObjectStore } from "../store/object-store.ts";

export type PartRow = Readonly<Record<string, unknown>>;

/** Number of rows in memory at a time. A row group of the file has up to 50,000 rows. */
const ROWS_AT_ONCE = 10_000;
/** Number of files that are fetched before their rows are needed. */
const FILES_AHEAD = 4;

/**
 * Node's function for ZSTD. Workers on Node 22.15 and later compress part files with it. It is undefined on Node 20,
 * which therefore cannot read these files.
 */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array };

/** A local copy of a part file. */
export class PartCopy {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the names of the columns. */
  async columns(): Promise<string[]> {
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(this.#path));
    // The first element is the root of the schema.
    return metadata.schema.slice(1).map(({ name }) => name);
  }

  async *rows(): AsyncGenerator<PartRow> {
    const file = await asyncBufferFromFile(this.#path);
    const metadata = await parquetMetadataAsync(file);
    const rowCount = Number(metadata.num_rows);
    for (let rowStart = 0; rowStart < rowCount; rowStart += ROWS_AT_ONCE) {
      const rows = await parquetReadObjects({
        file,
        metadata,
        rowStart,
        rowEnd: Math.min(rowCount, rowStart + ROWS_AT_ONCE),
        ...(zstdDecompressSync !== undefined && {
          compressors: { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) },
        }),
      });
      yield* rows;
    }
  }

  async discard(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

let lastNumber = 0;

async function fetchPart(store: ObjectStore, key: string, folder: string): Promise<PartCopy> {
  const path = join(folder, `part-${process.pid}-${++lastNumber}.parquet`);
  await store.get(key, path);
  return new PartCopy(path);
}

interface Fetching<Part> {
  readonly part: Part;
  readonly copy: Promise<PartCopy>;
}

/**
 * Yields part files in order with their local copies, and fetches the next ones meanwhile. A copy is deleted when the
 * next file is taken. A file that the store does not have is yielded with a promise that rejects.
 */
export async function* fetchParts<Part extends { readonly key: string }>(
  store: ObjectStore,
  folder: string,
  parts: AsyncIterable<Part> | Iterable<Part>,
): AsyncGenerator<Fetching<Part>> {
  const ahead: Fetching<Part>[] = [];
  async function* first(): AsyncGenerator<Fetching<Part>> {
    const next = ahead[0]!;
    yield next;
    ahead.shift();
    await discard(next);
  }
  try {
    for await (const part of parts) {
      const copy = fetchPart(store, part.key, folder);
      // The caller awaits the copy later. Until then, a failure must not end the process.
      copy.catch(() => {});
      ahead.push({ part, copy });
      if (ahead.length >= FILES_AHEAD) yield* first();
    }
    while (ahead.length > 0) yield* first();
  } finally {
    await Promise.all(ahead.map(discard));
  }
}

async function discard({ copy }: Fetching<unknown>): Promise<void> {
  await copy.then(
    (file) => file.discard(),
    () => {},
  );
}
