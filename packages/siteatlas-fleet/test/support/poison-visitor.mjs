/**
 * A visitor that crashes the process for some hosts, as a bug in a parser could. All other sites are visited normally.
 *
 * Walker processes inherit no variables, so the hosts are in the query of its URL: `?HOST=POISON&…&folder=PATH`.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openVisitor } from "siteatlas-fleet";

const wanted = new URL(import.meta.url).searchParams;

/** @type {Readonly<Record<string, (host: string) => unknown>>} */
const poisons = {
  "out-of-memory": () => {
    const held = [];
    for (;;) held.push(new Array(1_000_000).fill(held.length));
  },
  "endless loop": () => {
    for (;;);
  },
  abort: () => process.abort(),
  // Crashes at the first visit, finishes the second one, crashes at the third one.
  "every other visit": (host) => {
    const file = join(wanted.get("folder") ?? "", host);
    if (existsSync(file)) return rmSync(file);
    writeFileSync(file, "");
    process.abort();
  },
};

/**
 * @param {import("siteatlas-fleet").WalkerSettings} settings
 * @param {import("siteatlas-fleet").VisitStore} store
 */
export default async function poisonVisitor(settings, store) {
  const visit = await openVisitor(settings, store);
  /** @type {import("siteatlas-fleet").VisitLeg} */
  return async (request, context) => {
    const poison = poisons[wanted.get(request.host) ?? ""];
    if (poison === undefined) return visit(request, context);
    // By then other sites are being visited in the same process.
    await new Promise((resolve) => setTimeout(resolve, 300));
    poison(request.host);
    return visit(request, context);
  };
}
