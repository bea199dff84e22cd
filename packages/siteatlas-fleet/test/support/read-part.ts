import type { ObjectStore } from "siteatlas-fleet";
import { fetchParts, type PartRow } from "../../src/dataset/read-part.ts";

/** Yields all rows of one part file, whether they count or not. */
export async function* readPart(store: ObjectStore, key: string, folder: string): AsyncGenerator<PartRow> {
  for await (const { copy } of fetchParts(store, folder, [{ key }])) yield* (await copy).rows();
}
