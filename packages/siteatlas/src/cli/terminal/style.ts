/**
 * Decides whether text has colors, and adds them. `--color` overrides FORCE_COLOR, NO_COLOR (https://no-color.org) and
 * TERM=dumb.
 */
import { styleText } from "node:util";
import type { Settings } from "../config/flags.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "cyan";

export type Paint = (style: Style, text: string) => string;

export function paintFor(color: boolean): Paint {
  // Without this option, newer versions of Node check again whether stdout supports colors.
  const options = { validateStream: false };
  const style = styleText as (style: Style, text: string, options: object) => string;
  return color ? (name, text) => style(name, text, options) : (_, text) => text;
}

export interface ColorSource {
  readonly color: Settings["color"];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

export function wantsColor({ color = "auto", environment, isTerminal }: ColorSource): boolean {
  if (color !== "auto") return color === "always";
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: terminal } = environment;
  if (force !== undefined) return !/^(?:0|false)$/i.test(force);
  if (no !== undefined && no !== "") return false;
  return isTerminal && terminal !== "dumb";
}
