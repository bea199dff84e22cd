/** The visitor for what a walking process was told; public for modules that put something before it (`visitor`). */
import { createNodeClient } from "siteatlas";
import type { VisitLeg } from "../leg.ts";
import type { WalkerSettings } from "../settings.ts";
import { openStore } from "../store/object-store.ts";
import { createVisitor } from "../visit/visit-leg.ts";

export async function openVisitor(settings: WalkerSettings): Promise<VisitLeg> {
  const { allow, proxy, store, ...rules } = settings;
  const client = createNodeClient({ allow, proxy });
  return createVisitor({ ...rules, client, store: await openStore(store) });
}
