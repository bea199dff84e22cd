/** `siteatlas-fleet init`: creates the tables or updates them. Refuses what it cannot do before it changes anything. */
import type { Pool } from "pg";
import { migrate } from "../../database/migrate.ts";
import type { Connections } from "../connections.ts";
import type { CommandOptions } from "../flags.ts";
import { log } from "../messages.ts";
import { UsageError } from "../usage-error.ts";

const MIN_POSTGRES = 15;
const MAX_SHARDS = 4096;

export async function runInit(connections: Connections, { shards }: CommandOptions<"init">): Promise<void> {
  if (shards !== undefined && shards > MAX_SHARDS) {
    throw new UsageError(`--shards must be at most ${MAX_SHARDS}, not ${shards}`);
  }
  const pool = connections.pool();
  await refuseOldServer(pool);
  await refuseOtherShards(pool, shards);
  const done = await migrate(pool, { ...(shards !== undefined && { shards }) });
  log(done.length === 0 ? "nothing to do" : `done: ${done.join(", ")}`);
}

async function refuseOldServer(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ number: string; name: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as name",
  );
  const [{ number, name }] = rows as [{ number: string; name: string }];
  if (Number(number) < MIN_POSTGRES * 10_000) {
    throw new UsageError(`PostgreSQL must have version ${MIN_POSTGRES} or later, not ${name}`);
  }
}

async function refuseOtherShards(pool: Pool, shards: number | undefined): Promise<void> {
  const { rows: tables } = await pool.query<{ exists: boolean }>(
    "select to_regclass('fleet') is not null as exists",
  );
  if (shards === undefined || !tables[0]!.exists) return;
  const { rows } = await pool.query<{ shards: number }>("select shards from fleet");
  if (rows[0] === undefined || rows[0].shards === shards) return;
  throw new UsageError(
    `--shards: the fleet has ${rows[0].shards} shards, and their number cannot be changed`,
    "Run init without --shards, or create another fleet in an empty database",
  );
}
