/**
 * The text of one file that a person reads, in pieces, each with its line.
 *
 * Of code: comments, and strings of three words or more (messages, help texts). SQL is not prose.
 * Of Markdown: paragraphs, list items, headings and table cells, without blocks of code.
 * Of shell scripts: comments.
 *
 * Code between backticks counts as one word.
 */
import { parseSource, syntaxNodes } from "./syntax-tree.mjs";

/**
 * @typedef {object} Piece
 * @property {"text" | "cell" | "header"} kind a cell or a header belongs to a table
 * @property {number} line from 1
 * @property {string} text
 */

/**
 * @param {string} path its extension says what it is
 * @param {string} source
 * @returns {Piece[]} in the order of the file
 */
export function readProse(path, source) {
  if (path.endsWith(".md")) return readMarkdown(source);
  if (/\.m?[jt]s$/.test(path)) return readCode(path, source);
  return readShell(source);
}

/** @param {string} text */
function withoutCode(text) {
  return text.replace(/`[^`]*`/g, "CODE");
}

// ---------------------------------------------------------------- code

/** @param {string} path @param {string} source @returns {Piece[]} */
function readCode(path, source) {
  const { program, comments } = parseSource(path, source);
  const lineOf = (/** @type {number} */ at) => source.slice(0, at).split("\n").length;
  /** @type {{ start: number, end: number, text: string, isString?: true }[]} */
  const found = [];
  for (const { type, value, start, end } of comments) {
    const last = found.at(-1);
    // Lines of `//` that follow each other are one text.
    if (type === "Line" && last && /^\n[ \t]*$/.test(source.slice(last.end, start)))
      found[found.length - 1] = { start: last.start, end, text: `${last.text}\n${value}` };
    else found.push({ start, end, text: value });
  }
  for (const node of syntaxNodes(program)) {
    const text = stringOf(node);
    if (text !== undefined && isProse(text))
      found.push({ start: node.start, end: node.end, text, isString: true });
  }
  return found
    .toSorted((a, b) => a.start - b.start)
    .flatMap(({ start, text, isString }) =>
      isString ? joinLines(text.split("\n"), lineOf(start), () => true) : splitComment(text, lineOf(start)),
    );
}

/** @param {import("./syntax-tree.mjs").SyntaxNode} node @returns {string | undefined} */
function stringOf(node) {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  const quasis = /** @type {{ value: { cooked: string } }[]} */ (node["quasis"]);
  return quasis.map(({ value }) => value.cooked).join("VALUE");
}

/** @param {string} text of a string */
function isProse(text) {
  if (/^\s*(select|insert|update|delete|with|create|alter|truncate|drop)\b/i.test(text)) return false;
  return text.trim().split(/\s+/).length >= 3;
}

/**
 * Its paragraphs, list items and tags, each a piece. Lines that are indented by four spaces are no paragraph.
 *
 * @param {string} text
 * @param {number} first the line where it starts
 * @returns {Piece[]}
 */
function splitComment(text, first) {
  const lines = text.split("\n").map((line) => line.replace(/^\s*\*? ?/, ""));
  return joinLines(lines, first, (line) => /^\s*(@\w|[-*] |\d+\. )|^ {4}/.test(line)).map((piece) => ({
    ...piece,
    text: piece.text.replace(/^@\w+( \{[^}]*\})?\s*/, ""),
  }));
}

/**
 * @param {readonly string[]} lines
 * @param {number} first
 * @param {(line: string) => boolean} isStart whether a line starts a new piece
 * @returns {Piece[]}
 */
function joinLines(lines, first, isStart) {
  /** @type {Piece[]} */
  const pieces = [];
  let isOpen = false;
  for (const [at, line] of lines.entries()) {
    const text = withoutCode(line).trim();
    const last = pieces.at(-1);
    if (text !== "" && last && isOpen && !isStart(line)) last.text += ` ${text}`;
    else if (text !== "") pieces.push({ kind: "text", line: first + at, text });
    isOpen = text !== "";
  }
  return pieces;
}

// ---------------------------------------------------------------- Markdown and shell

/** @param {string} source @returns {Piece[]} */
function readMarkdown(source) {
  const lines = source.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, "")).split("\n");
  const prose = lines.map((line) => (line.startsWith("|") ? "" : line.replace(/\]\([^)]*\)/g, "]")));
  const cells = lines.flatMap((line, at) => {
    if (!line.startsWith("|") || isRule(line)) return [];
    const kind = isRule(lines[at + 1]) ? "header" : "cell";
    const texts = line.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/);
    return texts.map((text) => ({
      kind: /** @type {"header" | "cell"} */ (kind),
      line: at + 1,
      text: withoutCode(text).trim(),
    }));
  });
  const texts = joinLines(prose, 1, (line) => /^\s*([-*] |\d+\. |#)/.test(line));
  return [...texts, ...cells].toSorted((a, b) => a.line - b.line);
}

/** Whether it is the line below the headers of a table. @param {string | undefined} line */
function isRule(line) {
  return line !== undefined && /^\|[|:\s-]*-[|:\s-]*$/.test(line);
}

/** @param {string} source @returns {Piece[]} */
function readShell(source) {
  const lines = source.split("\n").map((line) => /^\s*#(?!!)(.*)/.exec(line)?.[1] ?? "");
  return joinLines(lines, 1, () => false);
}
