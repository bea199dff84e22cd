/** `siteatlas-fleet tenant`: on whose behalf sites are visited, and what that may cost. */
import type { Frontier } from "../../database/frontier.ts";

export interface TenantOptions {
  readonly sites?: number;
  readonly requests?: number;
  readonly bytes?: number;
}

/** What is not given stays as it is. */
export async function setTenant({ pool }: Frontier, name: string, options: TenantOptions): Promise<void> {
  const { sites = null, requests = null, bytes = null } = options;
  await pool.query(
    `insert into tenant as t (name, max_sites, requests_per_day, bytes_per_day) values ($1, $2, $3, $4)
     on conflict (name) do update set
       max_sites = coalesce(excluded.max_sites, t.max_sites),
       requests_per_day = coalesce(excluded.requests_per_day, t.requests_per_day),
       bytes_per_day = coalesce(excluded.bytes_per_day, t.bytes_per_day)`,
    [name, sites, requests, bytes],
  );
}
