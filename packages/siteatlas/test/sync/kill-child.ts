/** Syncs a site once in a child process that may be killed, and prints the changes. */
import { syncSite } from "../../src/sync/sync-site.ts";

const [url = "", snapshot = ""] = process.argv.slice(2);
const told: string[] = [];
// Reads and writes everything, so that there is more time to be killed.
const options = { snapshot, useTrust: false, useValidators: false, limits: { backoffMs: 1 } };
for await (const change of syncSite(url, options)) {
  if ("url" in change) told.push(`${change.kind} ${change.url}`);
}
console.log(JSON.stringify(told.sort()));
