/**
 * Updates the database schema to this version of siteatlas-fleet, in one transaction. A lock prevents two processes
 * from migrating at the same time.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Pool } from "pg";
import { checkArgument, checkOptions, type OptionRules } from "../check/check-options.ts";
import { wholeNumber } from "../check/rules.ts";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";
import { POOL } from "./frontier.ts";
import { SQL_FOLDER } from "./sql.ts";
import { inTransaction } from "./transaction.ts";

export interface MigrateOptions {
  /**
   * Number of shards. Each shard has a queue and a partition of the tables. Only the first call sets the number.
   * @default 16
   */
  readonly shards?: number | undefined;
}

const MIGRATE_OPTIONS: OptionRules<MigrateOptions> = { shards: wholeNumber(1) };

/** Runs the migrations that this database does not have yet. Returns their names. */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<string[]> {
  checkArgument("migrate", "pool", POOL, pool);
  checkOptions("migrate", MIGRATE_OPTIONS, options);
  const { shards = 16 } = options;
  const folder = new URL("migrations/", SQL_FOLDER);
  // The names start with numbers, so sorting by name gives the order of the migrations.
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return inTransaction(pool, async (client) => {
    await client.query("select pg_advisory_xact_lock($1)", [ADVISORY_LOCKS.migration]);
    await client.query(
      "create table if not exists migration (number integer primary key, name text not null, run_at timestamptz not null default now())",
    );
    const { rows } = await client.query<{ number: number }>("select number from migration");
    const done = new Set(rows.map(({ number }) => number));
    const last = Number.parseInt(names.sort().at(-1)!, 10);
    const later = rows.find(({ number }) => number > last);
    if (later !== undefined) {
      throw new Error(
        `A later version of siteatlas-fleet has updated this database (migration ${later.number}): install that version`,
      );
    }
    const missing = names.filter((name) => !done.has(Number.parseInt(name, 10)));
    for (const name of missing) {
      await client.query(readFileSync(new URL(name, folder), "utf8"));
      const note = "insert into migration (number, name) values ($1, $2)";
      await client.query(note, [Number.parseInt(name, 10), name]);
    }
    const insert = "insert into fleet (shards) values ($1) on conflict do nothing";
    const { rowCount } = await client.query(insert, [shards]);
    if (rowCount === 1) await client.query("select create_shards($1), tune_shards($1)", [shards]);
    return missing;
  });
}
