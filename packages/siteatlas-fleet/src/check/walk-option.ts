/** The rule for options of siteatlas. Apart from the other rules, because it loads the whole library. */
import { type WalkOptions, walkSitemaps } from "siteatlas";
import type { Fault, Rule } from "./rules.ts";

/**
 * A rule for a value that is passed on to this option of siteatlas. siteatlas checks the value itself when
 * `walkSitemaps` is called. No request is sent, because the walk is never iterated.
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
