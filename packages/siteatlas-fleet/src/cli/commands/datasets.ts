/** Commands about the datasets: `compact`, `manifest`, `tables`, `export`, `repair`. */
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { jsonLine, terminalText } from "siteatlas/escape";
import { compact } from "../../dataset/compact.ts";
import { type ManifestFilter, manifest, readDataset } from "../../dataset/manifest.ts";
import { writeOpenTables } from "../../dataset/open-tables.ts";
import type { PartRow } from "../../dataset/read-part.ts";
import { type Repaired, repair } from "../../dataset/repair.ts";
import { sweep } from "../../dataset/sweep.ts";
import type { Dataset } from "../../model/visit.ts";
import type { ObjectStore } from "../../store/object-store.ts";
import type { Connections } from "../connections.ts";
import type { CommandOptions } from "../flags.ts";
import { count, log, number, print, printJson } from "../messages.ts";
import { writeNewFile } from "../new-file.ts";
import { UsageError } from "../usage-error.ts";

export async function runCompact(
  connections: Connections,
  { grace: graceMs, yesDelete: mayDelete }: CommandOptions<"compact">,
): Promise<void> {
  const { pool } = connections.busyFrontier();
  const store = await connections.store();
  const folder = await connections.folder();
  for await (const { dataset, parts, rowsBefore, rowsAfter, missing } of compact({ pool, store, folder })) {
    log(
      `${dataset}: merged ${count(parts, "file")}, kept ${number(rowsAfter)} of ${count(rowsBefore, "row")}`,
    );
    if (missing.files > 0) log(`${dataset}: ${missingText(missing)}`);
  }
  const { replaced, orphans } = await sweep({ pool, store, graceMs, mayDelete });
  log(`deleted ${count(replaced, "replaced file")} and ${count(orphans, "unused file")}`);
}

/** Removes files from the database that are missing in the store. Their sites are visited again. */
export async function runRepair(
  connections: Connections,
  { claim = false }: CommandOptions<"repair">,
): Promise<void> {
  // The queries read whole tables, so they get no timeout.
  const pool = connections.pool({ statement_timeout: 0, query_timeout: 0 });
  log(missingText(await repair({ pool, store: await connections.store(), claim })));
}

function missingText({ files, sites }: Repaired): string {
  if (files === 0) return "no file is missing";
  return `${count(files, "missing file")} forgotten, ${count(sites, "site")} due now to be read again`;
}

export async function runManifest(
  connections: Connections,
  { json, dataset, day, host }: CommandOptions<"manifest">,
): Promise<void> {
  const store = await connections.store();
  for await (const part of manifest(connections.pool(), { dataset, day, host })) {
    const address = store.address(part.key);
    if (json) printJson({ ...part, address });
    // The address begins with the value of --store, which may contain any character. It is escaped only for a terminal,
    // because programs need the exact address.
    else print(process.stdout.isTTY ? terminalText(address) : address);
  }
}

export async function runTables(
  connections: Connections,
  { day, host }: CommandOptions<"tables">,
  folder: string,
): Promise<void> {
  const counts = await writeOpenTables(connections.pool(), await connections.store(), folder, {
    ...{ day, host },
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    throw new UsageError(`${folder} already exists`, "Delete the folder, or pass another name");
  });
  const files = Object.entries(counts).map(([dataset, files]) => `${dataset} ${count(files, "file")}`);
  log(`wrote ${folder}: ${files.join(", ")}. To use it, run duckdb -init ${join(folder, "tables.sql")}`);
}

export async function runExport(
  connections: Connections,
  { output, dataset, day, host }: CommandOptions<"export">,
): Promise<void> {
  const store = await connections.store();
  const rows = lines(readExisting(connections, store, { dataset, day, host }));
  if (output === undefined) await pipeline(rows, process.stdout, { end: false });
  else await writeNewFile(output, rows);
}

/** Yields the rows of all files in the store. @throws {IncompleteError} after the last row, if files are missing */
async function* readExisting(
  connections: Connections,
  store: ObjectStore,
  filter: ManifestFilter & { readonly dataset: Dataset },
): AsyncGenerator<PartRow> {
  let missing = 0;
  yield* readDataset(connections.pool(), store, await connections.folder(), {
    ...filter,
    onMissing: () => missing++,
  });
  if (missing > 0) throw new IncompleteError(missing);
}

/** Files of the store are missing, so an export is not complete. */
class IncompleteError extends Error {
  override readonly name = "IncompleteError";
  readonly hint = "To have their sites read again, run siteatlas-fleet repair";

  constructor(missing: number) {
    super(`The export is incomplete: the store does not have ${count(missing, "file")} of this dataset`);
  }
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
