import type { Pool, PoolClient } from "pg";

/** Runs statements in one transaction. Rolls back if `run` throws or returns false. */
export async function inTransaction<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A lost connection emits an error event, which would end the process without a listener. The next statement also
  // reports the loss.
  client.on("error", ignore);
  try {
    await client.query("begin");
    const result = await run(client);
    await client.query(result === false ? "rollback" : "commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.off("error", ignore);
    client.release();
  }
}

function ignore(): void {}
