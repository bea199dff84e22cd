/** The rule for options of siteatlas. It is not in rules.ts, because this file loads the whole library. */
import { type WalkOptions, walkSitemaps } from "siteatlas";
import type { Fault, Rule } from "./rules.ts";

/**
 * A rule for a value that the fleet passes on to the option `name` of siteatlas. It calls `walkSitemaps`, which throws
 * if the value is invalid. No request is sent, because the walk is never iterated.
 */
export function walkOption<Name extends keyof WalkOptions>(
  name: Name,
): Rule<Exclude<WalkOptions[Name], undefined>> {
  return {
    find: (value) => {
      try {
        walkSitemaps("https://example.com/", { [name]: value });
        return undefined;
      } catch (error) {
        const { message } = error as Error;
        const [, rest] = message.split(/^walkSitemaps: (?=(?:unknown )?option )/);
        const describe: Fault["describe"] = (label) =>
          rest === undefined ? `${label}: ${message}` : rest.replace(`option ${name}`, label);
        return { describe, isRange: error instanceof RangeError };
      }
    },
  };
}
