/**
 * `siteatlas-fleet add`: reads hosts from files or standard input, and adds them to the frontier, the table of all
 * sites.
 */
import { createReadStream, type ReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Frontier } from "../../database/frontier.ts";
import { readSite, type SiteName } from "../../model/site-name.ts";
import type { Connections } from "../connections.ts";
import { systemReason } from "../error-text.ts";
import type { CommandOptions } from "../flags.ts";
import { maskNoSite } from "../mask-site.ts";
import { count, log, number } from "../messages.ts";
import { readLines } from "../read-lines.ts";
import { UsageError } from "../usage-error.ts";

const BATCH = 20_000;
const MAX_EXAMPLES = 5;
/**
 * Maximum length of a line. A longer line is rejected without parsing it, because no host or homepage URL is that long.
 */
const MAX_LINE = 2000;

export async function addSites(
  connections: Connections,
  { tenant, spread }: CommandOptions<"add">,
  files: readonly string[],
): Promise<void> {
  const frontier = connections.busyFrontier();
  const shards = await frontier.shards();
  const room = await roomOf(frontier, tenant);
  const examples: string[] = [];
  let [read, added, refused] = [0, 0, 0];
  let batch: SiteName[] = [];
  const flush = async (): Promise<void> => {
    if (added + batch.length > room) {
      const left = count(Math.max(0, room - added), "more site");
      throw new UsageError(`Not all sites were added: tenant ${tenant} has room for ${left}`);
    }
    added += await frontier.addSites(batch, { tenant, spreadSeconds: spread / 1000 });
    batch = [];
  };
  for (const file of files) {
    const input = file === "-" ? process.stdin : await openFile(file);
    for await (const { text: line, isCut } of readLines(input.setEncoding("utf8"))) {
      const text = line.replace(/#.*/, "").trim();
      // If a line was cut before a `#`, its end is unknown, and may belong to the host. After a `#`, only a comment was
      // cut.
      const isTooLong = text.length > MAX_LINE || (isCut && !line.includes("#"));
      if (text === "" && !isTooLong) continue;
      read++;
      const site = isTooLong ? undefined : readSite(text, shards);
      if (site !== undefined) batch.push(site);
      else if (++refused <= MAX_EXAMPLES) examples.push(exampleOf(line, text, isCut));
      if (batch.length >= BATCH) await flush();
    }
  }
  await flush();
  const known = number(read - added - refused);
  log(
    `${number(added)} added, ${known} already known, ${count(refused, "line")} ${refused === 1 ? "is not a host" : "are not hosts"}`,
  );
  for (const example of examples) log(`  not a host: ${JSON.stringify(example)}`);
  if (read > 0 && refused === read) process.exitCode = 1;
}

/**
 * Returns a rejected line for a message, without its password. A password is recognized by the `@` after it. If the
 * line was cut, the missing end may contain the `@`.
 *
 * @param text the line without its comment. It may lack the `@`, because a `#` in a password looks like a comment
 */
function exampleOf(line: string, text: string, isCut: boolean): string {
  if (isCut && text.includes(":")) return maskNoSite(`${text}@…`);
  return maskNoSite(line.includes("@") ? line.trim() : text).slice(0, 80);
}

async function openFile(file: string): Promise<ReadStream> {
  try {
    if ((await stat(file)).isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    const stream = createReadStream(file);
    await new Promise((resolve, reject) => stream.once("open", resolve).once("error", reject));
    return stream;
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${systemReason(error)}`);
  }
}

/** Returns how many more sites the tenant may add. */
async function roomOf({ pool }: Frontier, tenant: string): Promise<number> {
  const { rows } = await pool.query<{ max_sites: number | null }>(
    "select max_sites from tenant where name = $1 and name <> '*'",
    [tenant],
  );
  if (rows[0] === undefined) {
    throw new UsageError(
      `The tenant ${tenant} does not exist`,
      `Create it: siteatlas-fleet tenant ${tenant}`,
    );
  }
  if (rows[0].max_sites === null) return Number.POSITIVE_INFINITY;
  const { rows: counted } = await pool.query<{ count: number }>(
    "select count(*) from site where tenant = $1 and state = 'active'",
    [tenant],
  );
  return rows[0].max_sites - counted[0]!.count;
}
