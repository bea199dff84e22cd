/** Reads a part file row by row, as plain objects with the names of its columns. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import type { ObjectStore } from "../store/object-store.ts";

export type PartRow = Readonly<Record<string, unknown>>;

/** Limits memory, because a row group has up to 50,000 rows. */
const ROWS_AT_ONCE = 10_000;

/** Undefined on Node 20, which cannot read the files of workers on Node 22.15 and later: these compress with ZSTD. */
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
