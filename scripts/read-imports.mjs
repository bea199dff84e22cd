/**
 * Lists the imports of one TypeScript source: static and dynamic imports, re-exports and the
 * `import("…").Type` form, with what is needed to judge them (is it erased, on which line).
 *
 * It reads the syntax tree, so an import in a comment or a string is not seen. What a name resolves
 * to is not its business.
 */
import { isSyntaxNode, parseSource, syntaxNodes } from "./syntax-tree.mjs";

/**
 * @typedef {object} Import
 * @property {string | undefined} specifier undefined when the name is computed at run time
 * @property {boolean} typeOnly erased by the compiler: nothing is loaded at run time
 * @property {number} line from 1
 */

/** @typedef {import("./syntax-tree.mjs").SyntaxNode} SyntaxNode */

/**
 * @param {string} path only its extension matters
 * @param {string} source
 * @returns {Import[]} in the order of the source
 */
export function readImports(path, source) {
  const { program } = parseSource(path, source);
  /** @type {Import[]} */
  const imports = [];
  for (const node of syntaxNodes(program)) {
    const found = importOf(node);
    if (found) imports.push({ ...found, line: source.slice(0, node.start).split("\n").length });
  }
  return imports;
}

/**
 * `import { type T } from "x"` is not type-only: under verbatimModuleSyntax the module is still loaded.
 * @param {SyntaxNode} node
 * @returns {{ specifier: string | undefined, typeOnly: boolean } | undefined}
 */
function importOf(node) {
  switch (node.type) {
    case "ImportDeclaration":
      return { specifier: literal(node["source"]), typeOnly: node["importKind"] === "type" };
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      if (!node["source"]) return undefined;
      return { specifier: literal(node["source"]), typeOnly: node["exportKind"] === "type" };
    case "ImportExpression":
      return { specifier: literal(node["source"]), typeOnly: false };
    case "TSImportType":
      return { specifier: literal(node["source"] ?? node["argument"]), typeOnly: true };
    default:
      return undefined;
  }
}

/**
 * @param {unknown} node
 * @returns {string | undefined}
 */
function literal(node) {
  if (!isSyntaxNode(node)) return undefined;
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type === "TSLiteralType") return literal(node["literal"]);
  return undefined;
}
