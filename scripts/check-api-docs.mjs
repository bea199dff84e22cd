/**
 * Checks what users read in their editor. Fails on:
 *
 * - an exported symbol without a doc comment
 * - a property or method of a public type without one, and of the types that it refers to
 * - an option (a property of an `…Options` or `…Limits` type) without `@default`
 * - an option that does not accept `undefined`: under `exactOptionalPropertyTypes`, callers could not pass on an option
 *   of their own that may be missing
 * - a type in a public signature that no entry point exports: callers could not name it
 *
 * It reads the syntax trees of the sources, from the entry points on.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isSyntaxNode, parseSource, syntaxNodes } from "./syntax-tree.mjs";

/** @typedef {import("./syntax-tree.mjs").SyntaxNode} SyntaxNode */

/**
 * @typedef {object} Declaration
 * @property {string} path
 * @property {SyntaxNode} node
 * @property {number} start where its doc comment ends, apart from white space
 */

/**
 * @typedef {object} Source one file
 * @property {string} text
 * @property {ReadonlyMap<number, string>} docs doc comments by the position of what follows them
 * @property {Map<string, Declaration[]>} declared several for the overloads of a function
 * @property {Map<string, { path: string, name: string }>} imported names of other files, by local name
 * @property {Map<string, string>} exported local names, by exported name
 */

/** Types that stand for objects of the platform (`ResponseLike`): their members are documented there. */
const PLATFORM = /Like$/;
const OPTIONS = /(?:Options|Limits)$/;

/**
 * @param {readonly string[]} entries paths of the files whose exports are public
 * @returns {string[]} problems, with their places
 */
export function checkApiDocs(entries) {
  return new ApiDocs().check(entries);
}

class ApiDocs {
  /** @type {Map<string, Source>} */
  #sources = new Map();
  /** @type {Set<SyntaxNode>} */
  #checked = new Set();
  /** @type {string[]} */
  #problems = [];

  /** @param {readonly string[]} entries */
  check(entries) {
    for (const path of entries) {
      for (const name of this.#source(path).exported.keys()) {
        const found = this.#resolve(path, name, true);
        if (found.length === 0) this.#problems.push(`${path}: ${name} is exported but not found`);
        this.#checkDeclarations(name, found);
      }
    }
    const names = entries.flatMap((path) =>
      [...this.#source(path).exported.keys()].flatMap((name) => this.#resolve(path, name, true)),
    );
    const exported = new Set(names.map(({ node }) => node));
    for (const path of entries) this.#checkNames(path, exported);
    return [...new Set(this.#problems)].sort();
  }

  /**
   * Whether every type that signatures of an entry point refer to has a public name. A base interface needs none.
   *
   * @param {string} entry
   * @param {ReadonlySet<SyntaxNode>} exported what any entry point exports
   */
  #checkNames(entry, exported) {
    const names = [...this.#source(entry).exported.keys()];
    const queue = names.map((name) => ({ name, declarations: this.#resolve(entry, name, true) }));
    const seen = new Set(exported);
    for (const { name, declarations } of queue) {
      for (const { path, node } of declarations) {
        const parts = node.type === "ClassDeclaration" ? publicMembers(node, true) : signature(node);
        for (const inner of parts.flatMap((part) => [...syntaxNodes(part)])) {
          const reference = referenceOf(inner);
          const found = reference === undefined ? [] : this.#resolve(path, reference, false);
          const first = found[0];
          if (reference === undefined || first === undefined || seen.has(first.node)) continue;
          for (const declaration of found) seen.add(declaration.node);
          if (inner.type !== "TSInterfaceHeritage") {
            this.#report(first.path, first.node.start, `${reference}, a type of ${name}, is not exported`);
          }
          queue.push({ name: reference, declarations: found });
        }
      }
    }
  }

  /** @param {string} name @param {readonly Declaration[]} declarations */
  #checkDeclarations(name, declarations) {
    const first = declarations[0];
    if (first === undefined || this.#checked.has(first.node) || PLATFORM.test(name)) return;
    for (const { node } of declarations) this.#checked.add(node);
    if (!declarations.some(({ path, start }) => this.#source(path).docs.has(start))) {
      this.#report(first.path, first.node.start, `${name} has no doc comment`);
    }
    for (const declaration of declarations) this.#checkParts(name, declaration);
  }

  /** Members of the declaration, and the types that it refers to. @param {string} name @param {Declaration} declaration */
  #checkParts(name, { path, node }) {
    const isClass = node.type === "ClassDeclaration";
    // Of a function or a class only the types of its signature are public, not what its code uses.
    for (const part of isClass ? publicMembers(node) : signature(node)) {
      for (const inner of syntaxNodes(part)) {
        if (isMember(inner)) this.#checkMember(name, path, inner);
        const reference = referenceOf(inner);
        if (reference !== undefined)
          this.#checkDeclarations(reference, this.#resolve(path, reference, false));
      }
    }
  }

  /** @param {string} owner @param {string} path @param {SyntaxNode} member */
  #checkMember(owner, path, member) {
    const name = nameOf(member["key"]);
    // `kind` tells the types of a union apart: its type says everything.
    if (name === undefined || name === "kind") return;
    const doc = this.#source(path).docs.get(member.start);
    const label = `${owner}.${name}`;
    if (doc === undefined) this.#report(path, member.start, `${label} has no doc comment`);
    if (!OPTIONS.test(owner) || member["optional"] !== true) return;
    if (doc !== undefined && !doc.includes("@default"))
      this.#report(path, member.start, `${label} has no @default`);
    if (!acceptsUndefined(member)) this.#report(path, member.start, `${label} does not accept undefined`);
  }

  /**
   * @param {string} path @param {string} name @param {boolean} isExport whether it is the name outside of the file
   * @returns {Declaration[]}
   */
  #resolve(path, name, isExport) {
    const source = this.#source(path);
    const local = isExport ? source.exported.get(name) : name;
    if (local === undefined) return [];
    const declared = source.declared.get(local);
    if (declared !== undefined) return declared;
    const imported = source.imported.get(local);
    return imported === undefined ? [] : this.#resolve(imported.path, imported.name, true);
  }

  /** @param {string} path */
  #source(path) {
    const known = this.#sources.get(path);
    if (known !== undefined) return known;
    const source = readSource(path);
    this.#sources.set(path, source);
    return source;
  }

  /** @param {string} path @param {number} at @param {string} problem */
  #report(path, at, problem) {
    const line = this.#source(path).text.slice(0, at).split("\n").length;
    this.#problems.push(`${path}:${line}: ${problem}`);
  }
}

/** @param {string} path @returns {Source} */
function readSource(path) {
  const text = readFileSync(path, "utf8");
  const { program, comments } = parseSource(path, text);
  /** @type {Source} */
  const source = {
    text,
    docs: docsOf(text, comments),
    declared: new Map(),
    imported: new Map(),
    exported: new Map(),
  };
  for (const statement of /** @type {SyntaxNode[]} */ (/** @type {unknown} */ (program.body))) {
    readStatement(source, path, statement);
  }
  return source;
}

/**
 * @param {string} text
 * @param {readonly { type: string, value: string, end: number }[]} comments
 */
function docsOf(text, comments) {
  /** @type {Map<number, string>} */
  const docs = new Map();
  for (const { type, value, end } of comments) {
    if (type !== "Block" || !value.startsWith("*")) continue;
    const space = /^\s*/.exec(text.slice(end, end + 1000));
    docs.set(end + (space?.[0].length ?? 0), value);
  }
  return docs;
}

/** @param {Source} source @param {string} path @param {SyntaxNode} statement */
function readStatement(source, path, statement) {
  const from = statement["source"];
  const target = isSyntaxNode(from) && typeof from["value"] === "string" ? from["value"] : undefined;
  const specifiers = /** @type {SyntaxNode[]} */ (statement["specifiers"] ?? []);
  const file = target?.startsWith(".") ? join(dirname(path), target) : undefined;
  if (statement.type === "ImportDeclaration") {
    if (file === undefined) return;
    for (const specifier of specifiers) {
      const local = nameOf(specifier["local"]);
      const name = nameOf(specifier["imported"]);
      if (local !== undefined && name !== undefined) source.imported.set(local, { path: file, name });
    }
    return;
  }
  if (statement.type !== "ExportNamedDeclaration") {
    for (const name of declare(source, path, statement, statement.start)) void name;
    return;
  }
  for (const specifier of specifiers) {
    const local = nameOf(specifier["local"]);
    const name = nameOf(specifier["exported"]);
    if (local === undefined || name === undefined) continue;
    source.exported.set(name, local);
    if (file !== undefined) source.imported.set(local, { path: file, name: local });
  }
  const declaration = statement["declaration"];
  if (!isSyntaxNode(declaration)) return;
  for (const name of declare(source, path, declaration, statement.start)) source.exported.set(name, name);
}

/** @param {Source} source @param {string} path @param {SyntaxNode} node @param {number} start */
function declare(source, path, node, start) {
  const declarators = /** @type {SyntaxNode[]} */ (
    node.type === "VariableDeclaration" ? node["declarations"] : [node]
  );
  const names = [];
  for (const declarator of declarators) {
    const name = nameOf(declarator["id"]);
    if (name === undefined) continue;
    names.push(name);
    source.declared.set(name, [...(source.declared.get(name) ?? []), { path, node: declarator, start }]);
  }
  return names;
}

/** @param {unknown} node @returns {string | undefined} */
function nameOf(node) {
  if (!isSyntaxNode(node) || node.type === "PrivateIdentifier") return undefined;
  return typeof node["name"] === "string" ? node["name"] : undefined;
}

/** What is visible of a declaration from outside. @param {SyntaxNode} node @returns {unknown[]} */
function signature(node) {
  if (node.type === "VariableDeclarator") return [/** @type {SyntaxNode} */ (node["id"])["typeAnnotation"]];
  if (node.type === "FunctionDeclaration" || node.type === "TSDeclareFunction") {
    return [node["params"], node["returnType"]];
  }
  return [node["body"], node["extends"], node["typeAnnotation"]];
}

/** Members of a class, without their code. @param {SyntaxNode} node @param {boolean} withConstructor @returns {unknown[]} */
function publicMembers(node, withConstructor = false) {
  const body = /** @type {SyntaxNode} */ (node["body"]);
  const members = /** @type {SyntaxNode[]} */ (body["body"]);
  return members
    .filter((member) => member["accessibility"] !== "private" && nameOf(member["key"]) !== undefined)
    .filter((member) => member["computed"] !== true && (withConstructor || member["kind"] !== "constructor"))
    .flatMap((member) => {
      const code = member["value"];
      const isMethod = member.type === "MethodDefinition" && isSyntaxNode(code);
      const shown = { ...member, value: undefined };
      return isMethod ? [shown, code["params"], code["returnType"]] : [shown];
    });
}

const MEMBERS = new Set([
  "TSPropertySignature",
  "TSMethodSignature",
  "MethodDefinition",
  "PropertyDefinition",
]);

/** @param {SyntaxNode} node */
function isMember(node) {
  return MEMBERS.has(node.type);
}

/** @param {SyntaxNode} node @returns {string | undefined} */
function referenceOf(node) {
  if (node.type === "TSTypeReference") return nameOf(node["typeName"]);
  return node.type === "TSInterfaceHeritage" ? nameOf(node["expression"]) : undefined;
}

/** @param {SyntaxNode} member */
function acceptsUndefined(member) {
  const annotation = /** @type {SyntaxNode | null} */ (member["typeAnnotation"]);
  const type = annotation?.["typeAnnotation"];
  if (!isSyntaxNode(type) || type.type !== "TSUnionType") return false;
  const types = /** @type {SyntaxNode[]} */ (type["types"]);
  return types.some((part) => part.type === "TSUndefinedKeyword");
}

function main() {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const sources = ["siteatlas/src", "siteatlas/src/parse", "siteatlas/src/escape", "siteatlas/src/output"];
  const entries = sources.map((folder) => join(root, "packages", folder, "index.ts"));
  const problems = checkApiDocs(entries).map((problem) => relative(root, problem));
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? "API docs: no problem" : `API docs: ${problems.length} problem(s)`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
