/** `siteatlas-fleet tenant`: on whose behalf sites are visited, and what that may cost. */
import type { Frontier } from "../../database/frontier.ts";

/** `none` takes a limit away. */
export interface TenantOptions {
  readonly sites?: number | "none";
  readonly requests?: number | "none";
  readonly bytes?: number | "none";
}

const COLUMNS = { sites: "max_sites", requests: "requests_per_day", bytes: "bytes_per_day" } as const;

/** What is not given stays as it is. */
export async function setTenant({ pool }: Frontier, name: string, options: TenantOptions): Promise<void> {
  await pool.query("insert into tenant (name) values ($1) on conflict do nothing", [name]);
  for (const [option, column] of Object.entries(COLUMNS) as [keyof TenantOptions, string][]) {
    const value = options[option];
    if (value === undefined) continue;
    await pool.query(`update tenant set ${column} = $2 where name = $1`, [
      name,
      value === "none" ? null : value,
    ]);
  }
}
