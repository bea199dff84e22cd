/**
 * Creates the built-in visitor, which runs the legs of visits. It is public, so that a module passed as the setting
 * `visitor` can wrap it.
 */
import { createNodeClient } from "siteatlas";
import { checkOptions } from "../check/check-options.ts";
import type { VisitLeg } from "../model/visit.ts";
import { WALKER_SETTINGS, type WalkerSettings } from "../model/visit-settings.ts";
import type { VisitStore } from "../store/object-store.ts";
import { openStore } from "../store/open-store.ts";
import { createVisitor } from "../visit/visit-site.ts";
import { NameLookup } from "./name-lookup.ts";

/**
 * @param store the store for part files. In a walker process, this store sends all calls to the worker. Without this
 * argument, the store of the settings is opened.
 * @param names looks up host names. Without this argument, as the setting `dns` says.
 */
export async function openVisitor(
  settings: WalkerSettings,
  store?: VisitStore,
  names?: NameLookup,
): Promise<VisitLeg> {
  checkOptions("openVisitor", WALKER_SETTINGS, settings);
  const { allow, proxy, store: url, stuckMs: _, visitor: __, dns, ...rules } = settings;
  const { lookup } = names ?? new NameLookup({ servers: dns });
  const client = createNodeClient({ allow, proxy, lookup });
  return createVisitor({ ...rules, client, store: store ?? (await openStore(url)) });
}
