/**
 * Bodies for IndexNow (https://www.indexnow.org/documentation) from what siteatlas tells, one on each line: all
 * URLs that were added, changed or removed, by host, at most 10,000 at a time. A first sync has no changes: its pages
 * are left out, unless INDEXNOW_ALL is set.
 *
 *     siteatlas sync example.com | INDEXNOW_KEY=… node indexnow.mjs |
 *       while read -r body; do
 *         curl --fail --json "$body" https://api.indexnow.org/indexnow
 *       done
 */
import { createInterface } from "node:readline";

const MAX_URLS = 10_000;
const { INDEXNOW_KEY: key = "", INDEXNOW_ALL: all } = process.env;
if (key === "") throw new Error("INDEXNOW_KEY is not set");

const byHost = new Map();
let isSkipped = false;
for await (const line of createInterface({ input: process.stdin })) {
  const change = JSON.parse(line);
  if (change.kind === "start") isSkipped = change.isFirst && !all;
  if (isSkipped) continue;
  // A date that is not reliable is no reason to call a search engine.
  if (!["added", "changed", "removed"].includes(change.kind) || change.weak) continue;
  const { host } = new URL(change.url);
  const urls = byHost.get(host) ?? [];
  byHost.set(host, urls);
  if (urls.push(change.url) === MAX_URLS) print(host);
}
for (const host of byHost.keys()) print(host);

function print(host) {
  const urlList = byHost.get(host);
  if (urlList.length > 0) console.log(JSON.stringify({ host, key, urlList }));
  byHost.set(host, []);
}
