/**
 * `npm run fleet:dev`: starts everything that a fleet needs on this machine: Redis, PostgreSQL and 50 generated sites.
 * It prints environment variables and commands to try. Ctrl-C ends and removes everything.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../packages/siteatlas-fleet/test/support/private-server.mjs";
import { startFarm } from "../packages/siteatlas-fleet/test/support/site-farm.mjs";
import { startPostgres } from "../packages/siteatlas-fleet/test/support/start-postgres.mjs";
import { startRedis } from "../packages/siteatlas-fleet/test/support/start-redis.mjs";

const SITES = 50;

// Installed before the servers start, so that an early Ctrl-C also cleans up (private-server.mjs).
const interrupted = new Promise((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, resolve);
});
const [redis, postgres, farm] = await Promise.all([
  startRedis(),
  startPostgres(),
  startFarm({ sites: SITES, giant: 200 }),
]);
const folder = makeDirectory("fleet-dev");
const list = join(folder, "sites.txt");
writeFileSync(list, farm.sites.map(({ homepage }) => `${homepage}\n`).join(""));
const pages = farm.sites.reduce((sum, { expectedPages }) => sum + expectedPages, 0);

console.log(`
export SITEATLAS_FLEET_DATABASE=${postgres.url}
export SITEATLAS_FLEET_REDIS=${redis.url}
export SITEATLAS_FLEET_STORE=${join(folder, "store")}
export SITEATLAS_FLEET_CONTACT=https://example.com/bot

siteatlas-fleet init
siteatlas-fleet add ${list}
siteatlas-fleet feed &
siteatlas-fleet work --allow 127.0.0.0/8
siteatlas-fleet status
siteatlas-fleet export

${farm.sites.length} sites with ${pages} pages, starting at ${farm.sites[0]?.homepage}. Ctrl-C ends and removes everything.
`);

await interrupted;
await Promise.all([redis.stop(), postgres.stop(), farm.close()]);
