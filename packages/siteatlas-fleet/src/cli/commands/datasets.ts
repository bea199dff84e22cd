/** Commands about the datasets: `compact`, `manifest`, `export`. */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { compact } from "../../dataset/compact.ts";
import { manifest, readDataset } from "../../dataset/manifest.ts";
import type { PartRow } from "../../dataset/read-part.ts";
import { sweep } from "../../dataset/sweep.ts";
import type { Connections } from "../connections.ts";
import type { CommandOptions } from "../flags.ts";
import { count, log, number, print } from "../messages.ts";

export async function runCompact(
  connections: Connections,
  { grace: graceMs }: CommandOptions<"compact">,
): Promise<void> {
  const { pool } = connections.busyFrontier();
  const store = await connections.store();
  const folder = await connections.folder();
  for await (const { dataset, parts, rowsBefore, rowsAfter } of compact({ pool, store, folder })) {
    log(
      `${dataset}: merged ${count(parts, "file")}, kept ${number(rowsAfter)} of ${count(rowsBefore, "row")}`,
    );
  }
  const { replaced, orphans } = await sweep({ pool, store, graceMs });
  log(`deleted ${count(replaced, "replaced file")} and ${count(orphans, "unused file")}`);
}

export async function runManifest(
  connections: Connections,
  { json, dataset, day }: CommandOptions<"manifest">,
): Promise<void> {
  const store = await connections.store();
  for await (const part of manifest(connections.pool(), { dataset, day })) {
    const address = store.address(part.key);
    print(json ? JSON.stringify({ ...part, address }) : address);
  }
}

export async function runExport(
  connections: Connections,
  { output, dataset, day }: CommandOptions<"export">,
): Promise<void> {
  const store = await connections.store();
  const filter = { dataset, day };
  const rows = readDataset(connections.pool(), store, await connections.folder(), filter);
  const out = output === undefined ? process.stdout : createWriteStream(output, { flags: "wx" });
  await pipeline(lines(rows), out, { end: output !== undefined });
}

async function* lines(rows: AsyncIterable<PartRow>): AsyncGenerator<string> {
  for await (const row of rows) {
    yield `${JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value))}\n`;
  }
}
