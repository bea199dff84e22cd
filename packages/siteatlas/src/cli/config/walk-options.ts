/** Converts settings of the command line to options of the library. */
import type { WalkOptions } from "../../walk/options.ts";
import { type Flag, flags, SETTING_NAMES, type Settings } from "./flags.ts";
import { networkOptions } from "./network-settings.ts";

/** Returns the options of a walk. @throws {UsageError} for a file that cannot be read */
export function walkOptions(settings: Settings): WalkOptions {
  const options: Record<string, unknown> = {};
  const limits: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const { option }: Flag = flags[name];
    const value = settings[name];
    if (option === undefined || value === undefined) continue;
    if (option.startsWith("limits.")) limits[option.slice("limits.".length)] = value;
    else options[option] = value;
  }
  const { known, header } = settings;
  if (known === false) options["useKnownPaths"] = false;
  else if (known !== undefined) options["knownPaths"] = known;
  if (header !== undefined) options["headers"] = Object.fromEntries(header);
  // This cast is safe: the type of the flag table ensures that each option gets a value of its type.
  return { ...(options as WalkOptions), ...networkOptions(settings), limits };
}
