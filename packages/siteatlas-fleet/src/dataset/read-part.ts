/** Reads a part file row by row. Each row is an object whose keys are the names of the columns. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import type { ObjectStore } from "../store/object-store.ts";

export type PartRow = Readonly<Record<string, unknown>>;

/** Number of rows in memory at a time. A row group of the file has up to 50,000 rows. */
const ROWS_AT_ONCE = 10_000;

/**
 * Node's function for ZSTD. Workers on Node 22.15 and later compress part files with it. It is undefined on Node 20,
 * which therefore cannot read these files.
 */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array };

export async function* readPart(store: ObjectStore, key: string, folder: string): AsyncGenerator<PartRow> {
  const path = join(folder, `part-${process.hrtime.bigint()}.parquet`);
  await store.get(key, path);
  try {
    const file = await asyncBufferFromFile(path);
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
  } finally {
    await rm(path, { force: true });
  }
}
