/**
 * Checks that imports go one way: fails on an import of a higher layer, on an import between the folders
 * of one layer, on a cycle of files, and on anything in sinks/, parse/ and decode/ that no browser could load.
 * ARCHITECTURE.md explains the layers; the table below is what counts.
 *
 * Type-only imports count for the layers, because they tie the understanding of one file to the other,
 * but not for cycles, because nothing is loaded. Packages other than siteatlas have no layers: they are
 * checked for cycles, for imports that leave their folder and for dependencies they do not declare.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { readImports } from "./read-imports.mjs";

/**
 * @typedef {object} Unit a part of the library whose files may import each other
 * @property {string} name
 * @property {number} level units of a lower level may be imported
 * @property {readonly string[]} paths files, or folders with a final slash, in packages/siteatlas/src
 * @property {readonly string[]} [beside] units of the same level that may be imported
 * @property {true} [portable] runs in browsers: no Node built-in and no dependency
 * @property {readonly string[]} [optional] peers of the package that may be missing: only those who load this need them
 * @property {true} [bundled] brings its packages along: they are dependencies of the build alone
 */

/** @type {readonly Unit[]} */
const units = [
  {
    name: "model",
    level: 0,
    paths: ["model.ts", "issues.ts", "issue-texts.ts", "issue-log.ts", "date-text.ts", "limits.ts"],
    beside: ["sinks"],
    portable: true,
  },
  { name: "sinks", level: 0, paths: ["sinks/"], portable: true },
  { name: "decode", level: 1, paths: ["decode/"], portable: true },
  { name: "parse", level: 1, paths: ["parse/"], beside: ["decode"], portable: true },
  { name: "fetch", level: 2, paths: ["fetch/"] },
  {
    name: "discover",
    level: 3,
    paths: ["discover/", "walk/", "tree/", "page-list/", "walk.ts", "tree.ts", "page-list.ts"],
  },
  { name: "sync", level: 4, paths: ["sync/"] },
  { name: "output", level: 4, paths: ["output/"], optional: ["hyparquet-writer"] },
  { name: "lint", level: 4, paths: ["lint/"] },
  { name: "report", level: 4, paths: ["report/"] },
  { name: "cli", level: 5, paths: ["cli/"], bundled: true },
  { name: "public", level: 6, paths: ["index.ts"] },
];

/** The one portable file that may use Node; package conditions keep it out of browsers. */
const nodeOnly = new Set(["decode/platform-node.ts"]);

/** Files that load what only the user can name: a settings file, a visitor. */
const computedImports = new Set(["cli/settings-file.ts", "walkers/walker-process.ts"]);

/**
 * @typedef {object} Package
 * @property {string} folder relative to the root, with forward slashes
 * @property {string} name
 * @property {ReadonlySet<string>} dependencies
 * @property {ReadonlySet<string>} devDependencies
 * @property {ReadonlySet<string>} optionalPeers
 * @property {ReadonlyMap<string, readonly string[]>} aliases `#name` → files in src, one per condition
 * @property {readonly string[]} files in src, relative to it
 */

/**
 * @param {string} root the folder that holds packages/
 * @returns {string[]} one sentence per problem; none when all is well
 */
export function checkLayers(root) {
  return readPackages(root).flatMap((pkg) => checkPackage(root, pkg));
}

/**
 * @param {string} root
 * @returns {Package[]}
 */
function readPackages(root) {
  const folders = readdirSync(join(root, "packages")).filter((name) =>
    existsSync(join(root, "packages", name, "src")),
  );
  return folders.map((name) => {
    const folder = `packages/${name}`;
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const files = readdirSync(join(root, folder, "src"), { recursive: true, encoding: "utf8" })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => path.endsWith(".ts"))
      .sort();
    return {
      folder,
      name: manifest.name,
      dependencies: new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })),
      devDependencies: new Set(Object.keys(manifest.devDependencies ?? {})),
      optionalPeers: new Set(
        Object.keys(manifest.peerDependenciesMeta ?? {}).filter(
          (peer) => manifest.peerDependenciesMeta[peer].optional,
        ),
      ),
      aliases: new Map(
        Object.entries(manifest.imports ?? {}).map(([alias, target]) => [alias, sourcesOf(target)]),
      ),
      files,
    };
  });
}

/**
 * The sources behind an entry of package.json's `imports`, whatever the conditions.
 * @param {unknown} target
 * @returns {string[]}
 */
function sourcesOf(target) {
  if (typeof target === "string") return [target.replace(/^\.\/dist\//, "").replace(/\.js$/, ".ts")];
  if (typeof target !== "object" || target === null) return [];
  return Object.values(target).flatMap(sourcesOf);
}

/**
 * @param {string} root
 * @param {Package} pkg
 * @returns {string[]}
 */
function checkPackage(root, pkg) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Map<string, string[]>} */
  const loads = new Map();
  const layered = pkg.name === "siteatlas";
  for (const file of pkg.files) {
    const path = `${pkg.folder}/src/${file}`;
    if (layered && !unitOf(file)) problems.push(`${path} belongs to no layer: add it to the table`);
    /** @type {string[]} */
    const loaded = [];
    loads.set(file, loaded);
    for (const { specifier, typeOnly, line } of readImports(file, readFileSync(join(root, path), "utf8"))) {
      const problem = (/** @type {string} */ text) => problems.push(`${path}:${line} ${text}`);
      if (specifier === undefined && computedImports.has(file)) continue;
      if (specifier === undefined) {
        problem("imports a computed name, which cannot be checked");
      } else if (specifier.startsWith(".") || specifier.startsWith("#")) {
        const targets = targetsOf(pkg, file, specifier);
        if (targets.length === 0) problem(`imports ${specifier}, which is not in the package's src`);
        for (const target of targets) {
          const reason = layered ? whyNot(file, target) : undefined;
          if (reason) problem(`imports ${specifier}: ${reason}`);
          if (!typeOnly) loaded.push(target);
        }
      } else {
        const reason = whyNotBare(pkg, layered ? file : undefined, specifier);
        if (reason) problem(`imports ${specifier}: ${reason}`);
      }
    }
  }
  for (const cycle of findCycles(loads)) problems.push(`${pkg.folder}/src has a cycle: ${cycle.join(" → ")}`);
  return problems;
}

/**
 * @param {Package} pkg
 * @param {string} file
 * @param {string} specifier relative or `#alias`
 * @returns {readonly string[]} files of the package
 */
function targetsOf(pkg, file, specifier) {
  const targets = specifier.startsWith("#")
    ? (pkg.aliases.get(specifier) ?? [])
    : [posix.join(posix.dirname(file), specifier)];
  return targets.every((target) => pkg.files.includes(target)) ? targets : [];
}

/**
 * @param {string} file
 * @returns {Unit | undefined}
 */
function unitOf(file) {
  return units.find(({ paths }) =>
    paths.some((path) => (path.endsWith("/") ? file.startsWith(path) : file === path)),
  );
}

/**
 * Why one file of the library may not import another.
 * @param {string} file
 * @param {string} target
 * @returns {string | undefined}
 */
function whyNot(file, target) {
  const from = unitOf(file);
  const to = unitOf(target);
  if (!from || !to || from === to || to.level < from.level) return undefined;
  if (to.level > from.level) {
    return `${from.name} (L${from.level}) may not import the higher ${to.name} (L${to.level})`;
  }
  if (from.beside?.includes(to.name)) return undefined;
  return `${from.name} may not import ${to.name} beside it (L${to.level})`;
}

/**
 * Why a file may not import a built-in or a package.
 * @param {Package} pkg
 * @param {string | undefined} file in a package with layers
 * @param {string} specifier
 * @returns {string | undefined}
 */
function whyNotBare(pkg, file, specifier) {
  const unit = file === undefined ? undefined : unitOf(file);
  if (isBuiltin(specifier)) {
    if (!unit?.portable || (file !== undefined && nodeOnly.has(file))) return undefined;
    return `${unit.name} runs in browsers and may not use a Node built-in`;
  }
  if (unit?.portable) return `${unit.name} may not have a dependency`;
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (name === pkg.name) return "a package may not import itself by name, past the layers";
  if (unit?.bundled && pkg.devDependencies.has(name)) return undefined;
  if (unit && pkg.optionalPeers.has(name) && !unit.optional?.includes(name)) {
    return `${name} is an optional peer, which ${unit.name} may not need`;
  }
  return pkg.dependencies.has(name) ? undefined : `${name} is not a dependency of ${pkg.name}`;
}

/**
 * @param {ReadonlyMap<string, readonly string[]>} graph
 * @returns {string[][]} each closes with the file that it starts with
 */
function findCycles(graph) {
  /** @type {string[][]} */
  const cycles = [];
  const done = new Set();
  /** @type {string[]} */
  const trail = [];
  const visit = (/** @type {string} */ file) => {
    if (done.has(file)) return;
    const seenAt = trail.indexOf(file);
    if (seenAt !== -1) {
      cycles.push([...trail.slice(seenAt), file]);
      return;
    }
    trail.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    trail.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return cycles;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = checkLayers(fileURLToPath(new URL("..", import.meta.url)));
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? "Layers: no problem" : `Layers: ${problems.length} problem(s)`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
