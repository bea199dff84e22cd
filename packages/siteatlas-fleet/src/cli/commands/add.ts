/** `siteatlas-fleet add`: hosts from files or standard input into the frontier. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Frontier } from "../../database/frontier.ts";
import { readSite, type SiteName } from "../../host.ts";
import { UsageError } from "../connections.ts";

export interface AddOptions {
  readonly tenant: string;
  readonly spread: number;
}

export interface Added {
  readonly read: number;
  readonly added: number;
  /** Lines that are no host, the first of them. */
  readonly refused: number;
  readonly examples: readonly string[];
}

const BATCH = 20_000;
const MAX_EXAMPLES = 5;
/** A longer line is no host: whoever sends one is not to fill our memory. */
const MAX_LINE = 2000;

export async function add(frontier: Frontier, files: readonly string[], options: AddOptions): Promise<Added> {
  const shards = await frontier.shards();
  const room = await roomOf(frontier, options.tenant);
  const examples: string[] = [];
  let [read, added, refused] = [0, 0, 0];
  let batch: SiteName[] = [];
  const flush = async (): Promise<void> => {
    if (added + batch.length > room) {
      throw new UsageError(`Tenant ${options.tenant} may have ${Math.max(0, room - added)} sites more`);
    }
    added += await frontier.addSites(batch, { tenant: options.tenant, spreadSeconds: options.spread });
    batch = [];
  };
  for (const file of files) {
    const input = file === "-" ? process.stdin : createReadStream(file);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const text = line.replace(/#.*/, "").trim();
      if (text === "") continue;
      read++;
      const site = text.length > MAX_LINE ? undefined : readSite(text, shards);
      if (site !== undefined) batch.push(site);
      else {
        refused++;
        if (examples.length < MAX_EXAMPLES) examples.push(text.slice(0, 80));
      }
      if (batch.length >= BATCH) await flush();
    }
  }
  await flush();
  return { read, added, refused, examples };
}

/** How many more sites a tenant may have: one that floods the fleet is stopped here. */
async function roomOf({ pool }: Frontier, tenant: string): Promise<number> {
  const { rows } = await pool.query<{ max_sites: number | null }>(
    "select max_sites from tenant where name = $1 and name <> '*'",
    [tenant],
  );
  if (rows[0] === undefined) {
    throw new UsageError(`There is no tenant ${JSON.stringify(tenant)}: see siteatlas-fleet tenant`);
  }
  if (rows[0].max_sites === null) return Number.POSITIVE_INFINITY;
  const { rows: counted } = await pool.query<{ count: number }>(
    "select count(*) from site where tenant = $1 and state = 'active'",
    [tenant],
  );
  return rows[0].max_sites - counted[0]!.count;
}
