/** Draws an answer of `robots --can-fetch` on a terminal: the rule is below the URL, because both may be long. */
import { wrapWords } from "../terminal/format-text.ts";
import { paintFor } from "../terminal/style.ts";
import type { DrawOptions } from "./draw-options.ts";

const INDENT = " ".repeat("disallowed  ".length);

export interface ShownVerdict {
  readonly isAllowed: boolean;
  readonly url: string;
  /** Text with the rule that decided, or `no rule matches`. */
  readonly why: string;
}

export function drawVerdict(
  { isAllowed, url, why }: ShownVerdict,
  { width, color }: Pick<DrawOptions, "width" | "color">,
): string {
  const answer = (isAllowed ? "allowed" : "disallowed").padEnd(INDENT.length);
  const lines = wrapWords(why, width - INDENT.length).map((line) => `${INDENT}${line}\n`);
  return `${paintFor(color)(isAllowed ? "green" : "red", answer)}${url}\n${lines.join("")}`;
}
