/** The options of the library that settings stand for. */
import type { WalkOptions } from "../walk/options.ts";
import { flags, SETTING_NAMES, type SettingName, type Settings } from "./flags.ts";

/** These are not handed on as they are: see below, and sitemap-filter.ts. */
const SPECIAL: ReadonlySet<SettingName> = new Set([
  "known",
  "header",
  "includeSitemap",
  "excludeSitemap",
  "snapshot",
]);

export function walkOptions(settings: Settings): WalkOptions {
  const options: Record<string, unknown> = {};
  const limits: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const { option } = flags[name];
    const value = settings[name];
    if (option === undefined || value === undefined || SPECIAL.has(name)) continue;
    if (option.startsWith("limits.")) limits[option.slice("limits.".length)] = value;
    else options[option] = value;
  }
  const { known, header } = settings;
  if (known === false) options["useKnownPaths"] = false;
  else if (known !== undefined) options["knownPaths"] = known;
  if (header !== undefined) options["headers"] = Object.fromEntries(header);
  // What each option is, its flag has checked when it was read.
  return { ...(options as WalkOptions), limits };
}
