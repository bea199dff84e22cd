/** `siteatlas-fleet status`: prints the state of the fleet, once or every second. */
import { setTimeout as wait } from "node:timers/promises";
import type { Connections } from "../connections.ts";
import type { CommandOptions } from "../flags.ts";
import { print, printJson } from "../messages.ts";
import { drawStatus, ratesOf } from "./draw-status.ts";
import { readStatus } from "./read-status.ts";

export async function runStatus(
  connections: Connections,
  { json, watch }: CommandOptions<"status">,
): Promise<void> {
  const frontier = connections.frontier();
  const redis = await connections.redis();
  let last = await readStatus(frontier, redis);
  if (json) return printJson(last);
  print(drawStatus(last));
  for (let at = performance.now(); watch; ) {
    await wait(1000);
    const next = await readStatus(frontier, redis);
    const now = performance.now();
    const text = drawStatus(next, ratesOf(last, next, (now - at) / 1000));
    // Overwrite the old text line by line. The screen would flicker if it were cleared first.
    process.stdout.write(
      process.stdout.isTTY ? `\x1b[H${text.replaceAll("\n", "\x1b[K\n")}\x1b[J` : `${text}\n`,
    );
    [last, at] = [next, now];
  }
}
