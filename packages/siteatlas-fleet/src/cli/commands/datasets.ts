/** Commands about the datasets: `compact`, `manifest`, `export`. */
import { pipeline } from "node:stream/promises";
import { jsonLine, terminalText } from "siteatlas/escape";
import { compact } from "../../dataset/compact.ts";
import { manifest, readDataset } from "../../dataset/manifest.ts";
import type { PartRow } from "../../dataset/read-part.ts";
import { sweep } from "../../dataset/sweep.ts";
import type { Connections } from "../connections.ts";
import type { CommandOptions } from "../flags.ts";
import { count, log, number, print, printJson } from "../messages.ts";
import { writeNewFile } from "../new-file.ts";

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
    if (json) printJson({ ...part, address });
    // Programs need the exact path, so it is escaped only for a terminal. It begins with --store, which may contain any
    // character.
    else print(process.stdout.isTTY ? terminalText(address) : address);
  }
}

export async function runExport(
  connections: Connections,
  { output, dataset, day }: CommandOptions<"export">,
): Promise<void> {
  const store = await connections.store();
  const filter = { dataset, day };
  const rows = readDataset(connections.pool(), store, await connections.folder(), filter);
  if (output === undefined) await pipeline(lines(rows), process.stdout, { end: false });
  else await writeNewFile(output, lines(rows));
}

async function* lines(rows: AsyncIterable<PartRow>): AsyncGenerator<string> {
  for await (const row of rows) {
    yield `${jsonLine(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, numberOf(value)])))}\n`;
  }
}

/** Turns a bigint, the type of Parquet integers, into a number, because JSON cannot contain bigints. */
function numberOf(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
