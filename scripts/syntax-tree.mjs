/** The syntax tree of one source file, for the checks that read code. */
import { parseSync } from "oxc-parser";

/** @typedef {{ type: string, start: number, end: number, [key: string]: unknown }} SyntaxNode */

/**
 * @param {string} path only its extension matters
 * @param {string} source
 */
export function parseSource(path, source) {
  const { program, comments, errors } = parseSync(path, source);
  const error = errors.find(({ severity }) => severity === "Error");
  if (error) throw new SyntaxError(`Cannot parse ${path}: ${error.message}`);
  return { program, comments };
}

/**
 * @param {unknown} value
 * @returns {Generator<SyntaxNode>} itself and all nodes below it, in the order of the source
 */
export function* syntaxNodes(value) {
  if (typeof value !== "object" || value === null) return;
  if (isSyntaxNode(value)) yield value;
  for (const child of Object.values(value)) yield* syntaxNodes(child);
}

/**
 * @param {unknown} value
 * @returns {value is SyntaxNode}
 */
export function isSyntaxNode(value) {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
