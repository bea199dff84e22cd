/**
 * Asks for each page that was added or changed, a few at a time, so that the cache before the site has it.
 *
 *     siteatlas sync example.com -f urls | node warm-cache.mjs
 */
import { createInterface } from "node:readline";

const AT_ONCE = 4;
const urls = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const statuses = new Map();

async function work() {
  for (let next = await urls.next(); !next.done; next = await urls.next()) {
    const status = await ask(next.value);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

async function ask(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
    // The cache keeps what was read to its end.
    await response.arrayBuffer();
    return response.status;
  } catch {
    return "failed";
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
for (const [status, count] of statuses) console.log(`${status}: ${count}`);
