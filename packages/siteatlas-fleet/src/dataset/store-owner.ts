/**
 * Makes sure that a store belongs to this fleet. The object `fleet.json` in the store has the id of its fleet. Without
 * this check, a sweep with another database would delete every file: to that database, all files look unused.
 *
 * `fleet.json` also has the number of sweeps. If the database counts fewer, it was restored from a backup, and the
 * store has changed since.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool, PoolClient } from "pg";
import { checkArgument } from "../check/check-options.ts";
import { POOL } from "../database/frontier.ts";
import { MissingObjectError } from "../store/object-key.ts";
import { type ObjectStore, STORE } from "../store/object-store.ts";
import { FOLDERS } from "./part-paths.ts";

interface StoreOwner {
  readonly fleet: string;
  readonly sweeps: number;
}

interface FleetRow extends StoreOwner {
  readonly isClaimed: boolean;
}

/** The fleet refuses to use this store. `hint` says what to do. */
export class StoreRefusedError extends Error {
  override readonly name = "StoreRefusedError";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

const KEY = "fleet.json";

/**
 * Makes the store the store of this fleet if it belongs to none. `isNew`: also if it is not the store that the fleet
 * had until now.
 *
 * @throws {StoreRefusedError} if the store belongs to another fleet, or is not the one that this fleet has used
 */
export async function claimStore(
  pool: Pool,
  store: ObjectStore,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<void> {
  checkArgument("claimStore", "pool", POOL, pool);
  checkArgument("claimStore", "store", STORE, store);
  const fleet = await readFleet(pool);
  let owner = await readOwner(store);
  if (owner === undefined) {
    if (!isNew) await refuseUnclaimed(pool, store, fleet);
    await writeOwner(store, fleet);
    // Another fleet may have claimed the store at the same moment. The last one to write has it.
    owner = await readOwner(store);
  }
  if (owner?.fleet !== fleet.fleet) {
    throw new StoreRefusedError(
      `The store belongs to another fleet (${owner?.fleet}). The fleet of this database is ${fleet.fleet}`,
      "Check --database and --store",
    );
  }
  await pool.query("update fleet set store_claimed_at = now() where store_claimed_at is null");
}

/**
 * Like `claimStore`. Also refuses a store that is ahead of the database.
 *
 * @throws {StoreRefusedError} if the database was restored from a backup and not repaired since
 */
export async function claimCurrentStore(pool: Pool, store: ObjectStore): Promise<void> {
  await claimStore(pool, store);
  const [fleet, owner] = [await readFleet(pool), await readOwner(store)];
  if (owner !== undefined && owner.sweeps > fleet.sweeps) {
    throw new StoreRefusedError(
      `The database is older than the store: it knows ${fleet.sweeps} sweeps of ${owner.sweeps}`,
      "Was the database restored from a backup? Then run siteatlas-fleet repair",
    );
  }
}

/**
 * Counts a sweep in the database and in the store, before the first deletion. The database comes first: if the process
 * dies in between, nothing is deleted yet, and the database is not behind the store.
 */
export async function countSweep(pool: Pool, store: ObjectStore): Promise<void> {
  await pool.query("update fleet set sweeps = sweeps + 1");
  await writeOwner(store, await readFleet(pool));
}

/** Sets the count of sweeps in the database to that of the store, if it is lower. */
export async function catchUp(client: PoolClient, store: ObjectStore): Promise<void> {
  const owner = await readOwner(store);
  await client.query("update fleet set sweeps = greatest(sweeps, $1)", [owner?.sweeps ?? 0]);
}

async function readFleet(pool: Pool): Promise<FleetRow> {
  const { rows } = await pool.query<FleetRow>(
    'select id as fleet, sweeps, store_claimed_at is not null as "isClaimed" from fleet',
  );
  if (rows[0] === undefined) throw new Error("This database has no fleet: run siteatlas-fleet init");
  return rows[0];
}

async function refuseUnclaimed(pool: Pool, store: ObjectStore, { isClaimed }: FleetRow): Promise<void> {
  const moved = "If it is the right store, or a new one, run siteatlas-fleet repair --claim";
  if (isClaimed) {
    throw new StoreRefusedError(
      `The store is not the one that this fleet used until now: it has no ${KEY}`,
      moved,
    );
  }
  // Before version 0.1 stores had no fleet.json. Such a store and its database know each other's files.
  if ((await isEmpty(store)) || (await knowsFiles(pool))) return;
  throw new StoreRefusedError("The database knows no file of this store, which is not empty", moved);
}

async function isEmpty(store: ObjectStore): Promise<boolean> {
  for (const folder of FOLDERS) for await (const _ of store.list(folder)) return false;
  return true;
}

/** Whether the database knows any file of the store. */
export async function knowsFiles(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ knows: boolean }>(
    "select exists (select from part) or exists (select from site where snapshot <> 'database') as knows",
  );
  return rows[0]!.knows;
}

async function readOwner(store: ObjectStore): Promise<StoreOwner | undefined> {
  return inTemporaryFolder(async (file) => {
    try {
      await store.get(KEY, file);
    } catch (error) {
      if (error instanceof MissingObjectError) return undefined;
      throw error;
    }
    const owner = parseOwner(await readFile(file, "utf8"));
    if (owner !== undefined) return owner;
    throw new StoreRefusedError(`Cannot read ${store.address(KEY)}`, "Restore it from a backup of the store");
  });
}

function parseOwner(text: string): StoreOwner | undefined {
  try {
    const { fleet, sweeps } = JSON.parse(text) as Partial<StoreOwner>;
    return typeof fleet === "string" && Number.isSafeInteger(sweeps) ? { fleet, sweeps: sweeps! } : undefined;
  } catch {
    return undefined;
  }
}

async function writeOwner(store: ObjectStore, { fleet, sweeps }: StoreOwner): Promise<void> {
  await inTemporaryFolder(async (file) => {
    await writeFile(file, `${JSON.stringify({ fleet, sweeps })}\n`);
    await store.put(KEY, file);
  });
}

async function inTemporaryFolder<T>(use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-fleet-"));
  try {
    return await use(join(folder, KEY));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
