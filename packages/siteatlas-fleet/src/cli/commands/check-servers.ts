/** Whether the servers of a process respond, for its endpoint `/readyz`. */
import type { Frontier } from "../../database/frontier.ts";
import type { RedisClient } from "../../queue/queues.ts";

const TIMEOUT_MS = 5000;

/** @throws {Error} if PostgreSQL or Redis does not respond within 5 seconds */
export async function checkServers(frontier: Frontier, redis: RedisClient): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The servers do not respond")), TIMEOUT_MS);
  });
  try {
    // Without a connection, a command to Redis waits until there is one.
    await Promise.race([late, Promise.all([frontier.pool.query("select"), redis.get("siteatlas-fleet")])]);
  } finally {
    clearTimeout(timer);
  }
}
