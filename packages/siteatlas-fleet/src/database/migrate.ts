/** Brings a database to the schema of this version: each migration once, in one transaction, one process at a time. */
import type { Pool } from "pg";
import { migrations } from "./sql.ts";

export interface MigrateOptions {
  /** Queues and partitions that sites are spread over. Fixed once and for all by the first call. @default 16 */
  readonly shards?: number;
}

/** Chosen once: nobody else locks this. */
const LOCK = 7_416_035_521;

/** Gives the names of the migrations that were run. */
export async function migrate(pool: Pool, { shards = 16 }: MigrateOptions = {}): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(
      "create table if not exists migration (number integer primary key, name text not null, run_at timestamptz not null default now())",
    );
    const { rows } = await client.query<{ number: number }>("select number from migration");
    const done = new Set(rows.map(({ number }) => number));
    const missing = migrations().filter(({ number }) => !done.has(number));
    for (const { number, name, text } of missing) {
      await client.query(text);
      await client.query("insert into migration (number, name) values ($1, $2)", [number, name]);
    }
    const isNew = await client.query("insert into fleet (shards) values ($1) on conflict do nothing", [
      shards,
    ]);
    if (isNew.rowCount === 1) await client.query("select create_shards($1)", [shards]);
    await client.query("commit");
    return missing.map(({ name }) => name);
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}
