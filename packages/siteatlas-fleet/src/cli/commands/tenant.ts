/** `siteatlas-fleet tenant`: creates a tenant and sets its limits. */
import type { Frontier } from "../../database/frontier.ts";
import type { CommandOptions } from "../flags.ts";

type Limits = CommandOptions<"tenant">;

const COLUMNS = { sites: "max_sites", requests: "requests_per_day", bytes: "bytes_per_day" } as const;

/** Creates or updates a tenant. A limit that is not given stays as it is. `Infinity` removes a limit. */
export async function setTenant({ pool }: Frontier, name: string, options: Limits): Promise<void> {
  await pool.query("insert into tenant (name) values ($1) on conflict do nothing", [name]);
  for (const [option, column] of Object.entries(COLUMNS) as [keyof Limits, string][]) {
    const value = options[option];
    if (value === undefined) continue;
    const limit = value === Number.POSITIVE_INFINITY ? null : value;
    await pool.query(`update tenant set ${column} = $2 where name = $1`, [name, limit]);
  }
}
