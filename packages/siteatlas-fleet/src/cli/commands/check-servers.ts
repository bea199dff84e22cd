/** Checks whether PostgreSQL and Redis respond, for the endpoint `/readyz` of a worker or scheduler. */
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
    // The timeout is necessary: without a connection, a command to Redis waits until Redis is reachable again.
    await Promise.race([late, Promise.all([frontier.pool.query("select"), redis.get("siteatlas-fleet")])]);
  } finally {
    clearTimeout(timer);
  }
}
