/**
 * A visitor for workers that are tested with poison: sites of these hosts do to the process what a fault in a parser
 * could do. All others are visited as usual.
 */
import { openVisitor } from "siteatlas-fleet";

/** @type {Readonly<Record<string, () => unknown>>} */
const poisons = {
  "out-of-memory": () => {
    const held = [];
    for (;;) held.push(new Array(1_000_000).fill(held.length));
  },
  "endless loop": () => {
    for (;;);
  },
  abort: () => process.abort(),
};

/** Which host does what: `HOST=POISON,…`. */
const wanted = Object.fromEntries((process.env["POISON"] ?? "").split(",").map((pair) => pair.split("=")));

/** @param {import("siteatlas-fleet").WalkerSettings} settings */
export default async function poisonVisitor(settings) {
  const visit = await openVisitor(settings);
  /** @type {import("siteatlas-fleet").VisitLeg} */
  return async (request, context) => {
    const poison = poisons[wanted[request.host] ?? ""];
    if (poison === undefined) return visit(request, context);
    // Neighbours are under way by then.
    await new Promise((resolve) => setTimeout(resolve, 300));
    poison();
    throw new Error("It did no harm");
  };
}
