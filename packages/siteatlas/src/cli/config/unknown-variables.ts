/**
 * Finds environment variables that look like settings but are unknown, such as a misspelled name. Without a message,
 * the user would not notice that the variable has no effect.
 */

import { nearestName } from "../../check/suggest-name.ts";
import { environmentName, SETTING_NAMES } from "./flags.ts";

const PREFIX = "SITEATLAS_";

/**
 * Variables that `--on-change` sets for the command it runs. That command may be siteatlas, so they are not misspelled
 * settings.
 */
export const CHANGE_VARIABLES = [
  "SITEATLAS_SITE",
  "SITEATLAS_ADDED",
  "SITEATLAS_CHANGED",
  "SITEATLAS_REMOVED",
] as const;

/**
 * The secret that signs webhook deliveries. It is not a setting, so it has no flag: all users of a machine can see the
 * arguments of a process.
 */
export const SECRET_VARIABLE = "SITEATLAS_WEBHOOK_SECRET";

interface UnknownVariable {
  readonly name: string;
  /** The setting with the most similar name. */
  readonly nearest: string | undefined;
}

export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): UnknownVariable[] {
  const known = ["SITEATLAS_CONFIG", SECRET_VARIABLE, ...SETTING_NAMES.map(environmentName)];
  const valid = new Set<string>([...known, ...CHANGE_VARIABLES]);
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !valid.has(name) && !name.startsWith("SITEATLAS_FLEET_"))
    .map((name) => ({ name, nearest: nearestVariable(name, known) }));
}

/**
 * Finds the setting with the most similar name. Names are compared without their prefix, which would make all of them
 * similar.
 */
function nearestVariable(name: string, known: readonly string[]): string | undefined {
  const nearest = nearestName(
    name.slice(PREFIX.length),
    known.map((one) => one.slice(PREFIX.length)),
  );
  return nearest && `${PREFIX}${nearest}`;
}
