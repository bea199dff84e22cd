/** Syncs a site once, in a process of its own that may be killed. Says what it told. */
import { syncSite } from "../../src/sync/sync-site.ts";

const [url = "", snapshot = ""] = process.argv.slice(2);
const told: string[] = [];
// Everything is read and written anew: there is more to be killed in.
const options = { snapshot, useTrust: false, useValidators: false, limits: { backoffMs: 1 } };
for await (const change of syncSite(url, options)) {
  if (change.kind !== "summary") told.push(`${change.kind} ${change.url}`);
}
console.log(JSON.stringify(told.sort()));
