/**
 * Checks that imports go one way. Fails on:
 *
 * - an import of a higher layer, or between the folders of one layer
 * - an import of a higher room: `parse/`, `fetch/`, `cli/` and siteatlas-fleet have sub-folders with an order
 * - an import cycle between files
 * - a folder with more than 16 files
 * - anything in escape/, parse/ and decode/ that a browser could not load
 * - a dependency that the package does not declare
 *
 * Type-only imports count like all others: they tie the understanding of one file to the other.
 * ARCHITECTURE.md explains the layers; the tables below are what is checked.
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
 * @property {readonly (readonly string[])[]} [rooms] files, or folders with a final slash, from the lowest to the
 *   highest; those in one line may not import each other. Files of the unit that are in no room are above all rooms.
 * @property {readonly string[]} [folders] folders from the lowest to the highest, among files that both use them and
 *   are used by them: only the imports between these folders have an order
 */

/** @type {readonly Unit[]} */
const library = [
  {
    name: "model",
    level: 0,
    paths: ["model/"],
    beside: ["escape", "check"],
    portable: true,
  },
  { name: "check", level: 0, paths: ["check/"], beside: ["escape"], portable: true },
  { name: "escape", level: 0, paths: ["escape/"], portable: true },
  { name: "files", level: 0, paths: ["files/"] },
  { name: "decode", level: 1, paths: ["decode/"], portable: true },
  {
    name: "parse",
    level: 1,
    paths: ["parse/"],
    beside: ["decode"],
    portable: true,
    rooms: [["parse/fast/"], ["parse/xml/"], ["parse/values/"], ["parse/formats/", "parse/robots/"]],
  },
  {
    name: "fetch",
    level: 2,
    paths: ["fetch/"],
    rooms: [
      ["fetch/guard/", "fetch/running-clock.ts"],
      ["fetch/failure-cause.ts", "fetch/client-faults.ts"],
      ["fetch/tls-faults.ts"],
      [
        "fetch/basic-auth.ts",
        "fetch/classify-error.ts",
        "fetch/content-coding.ts",
        "fetch/timeout-signal.ts",
      ],
      ["fetch/client/"],
    ],
  },
  {
    name: "discover",
    level: 3,
    paths: ["discover/", "walk/", "tree/", "page-list/"],
    rooms: [["discover/", "page-list/"], ["walk/"], ["tree/"]],
    folders: ["walk/children/", "walk/events/", "walk/requests/", "walk/document/"],
  },
  { name: "sync", level: 4, paths: ["sync/"] },
  { name: "output", level: 4, paths: ["output/"], optional: ["hyparquet-writer"] },
  {
    name: "compare",
    level: 4,
    paths: ["compare/"],
    beside: ["sync"],
    rooms: [["compare/source-facts.ts"], ["compare/sort/", "compare/read/"]],
  },
  { name: "lint", level: 4, paths: ["lint/"] },
  {
    name: "page-check",
    level: 4,
    paths: ["page-check/"],
    beside: ["lint"],
    rooms: [
      ["page-check/checked-page.ts"],
      ["page-check/page-rule.ts"],
      ["page-check/rules/", "page-check/state/"],
    ],
  },
  { name: "report", level: 4, paths: ["report/"], beside: ["output"] },
  {
    name: "cli",
    level: 5,
    paths: ["cli/"],
    bundled: true,
    rooms: [
      ["cli/process/"],
      ["cli/config/"],
      ["cli/terminal/"],
      ["cli/messages/"],
      ["cli/command.ts", "cli/render/"],
      ["cli/walk/"],
      ["cli/output/"],
      ["cli/browser/", "cli/changes/", "cli/compare/", "cli/findings/"],
      ["cli/commands/"],
    ],
  },
  { name: "public", level: 6, paths: ["index.ts"] },
];

/** @type {readonly Unit[]} */
const fleet = [
  {
    name: "fleet",
    level: 0,
    paths: [
      "check/",
      "model/",
      "version.ts",
      "database/",
      "store/",
      "dataset/",
      "queue/",
      "visit/",
      "processes/",
      "worker/",
      "monitoring/",
      "cli/",
      "index.ts",
    ],
    rooms: [
      ["check/"],
      ["model/", "version.ts"],
      ["database/", "store/"],
      ["dataset/", "queue/"],
      ["visit/"],
      ["processes/"],
      ["worker/"],
      ["monitoring/"],
      ["cli/"],
      ["cli/commands/"],
      ["cli/command-table.ts"],
      ["cli/program.ts"],
      ["cli/main.ts"],
    ],
    optional: ["@aws-sdk/client-s3", "@opentelemetry/api"],
  },
];

/** The layers of each package. A package that is not here has none. */
const layersOf = new Map([
  ["siteatlas", library],
  ["siteatlas-fleet", fleet],
]);

/** More files than a reader takes in at a glance. */
const MAX_FILES = 16;

/** The one portable file that may use Node; package conditions keep it out of browsers. */
const nodeOnly = new Set(["decode/platform-node.ts"]);

/** Files that load what only the user can name: a settings file, a visitor. */
const computedImports = new Set(["cli/config/settings-file.ts", "processes/visit-process.ts"]);

/**
 * @typedef {object} Package
 * @property {string} folder relative to the root, with forward slashes
 * @property {string} name
 * @property {ReadonlySet<string>} dependencies
 * @property {ReadonlySet<string>} devDependencies
 * @property {ReadonlySet<string>} optionalPeers
 * @property {ReadonlyMap<string, readonly string[]>} aliases `#name` → files in src, one per condition
 * @property {readonly string[]} files in src, relative to it
 * @property {readonly Unit[] | undefined} units
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
      units: layersOf.get(manifest.name),
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
  const graph = new Map();
  const { units } = pkg;
  for (const file of pkg.files) {
    const path = `${pkg.folder}/src/${file}`;
    if (units && !unitOf(units, file)) problems.push(`${path} belongs to no layer: add it to the table`);
    /** @type {string[]} */
    const imported = [];
    graph.set(file, imported);
    for (const { specifier, line } of readImports(file, readFileSync(join(root, path), "utf8"))) {
      const problem = (/** @type {string} */ text) => problems.push(`${path}:${line} ${text}`);
      if (specifier === undefined && computedImports.has(file)) continue;
      if (specifier === undefined) {
        problem("imports a computed name, which cannot be checked");
      } else if (specifier.startsWith(".") || specifier.startsWith("#")) {
        const targets = targetsOf(pkg, file, specifier);
        if (targets.length === 0) problem(`imports ${specifier}, which is not in the package's src`);
        for (const target of targets) {
          const reason = units && whyNot(units, file, target);
          if (reason) problem(`imports ${specifier}: ${reason}`);
          imported.push(target);
        }
      } else {
        const reason = whyNotBare(pkg, file, specifier);
        if (reason) problem(`imports ${specifier}: ${reason}`);
      }
    }
  }
  for (const cycle of findCycles(graph)) problems.push(`${pkg.folder}/src has a cycle: ${cycle.join(" → ")}`);
  return [...problems, ...crowdedFolders(pkg)];
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
 * @param {Package} pkg
 * @returns {string[]}
 */
function crowdedFolders({ folder, files }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const file of files) {
    const path = posix.join(folder, "src", posix.dirname(file));
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([path, count]) => `${path} holds ${count} files: at most ${MAX_FILES}, make a sub-folder`);
}

/**
 * @param {string} file
 * @param {string} path a file, or a folder with a final slash
 */
function isIn(file, path) {
  return path.endsWith("/") ? file.startsWith(path) : file === path;
}

/**
 * @param {readonly Unit[]} units
 * @param {string} file
 * @returns {Unit | undefined}
 */
function unitOf(units, file) {
  return units.find(({ paths }) => paths.some((path) => isIn(file, path)));
}

/**
 * Why one file of a package with layers may not import another.
 * @param {readonly Unit[]} units
 * @param {string} file
 * @param {string} target
 * @returns {string | undefined}
 */
function whyNot(units, file, target) {
  const from = unitOf(units, file);
  const to = unitOf(units, target);
  if (!from || !to || to.level < from.level) return undefined;
  if (from === to)
    return whyNotFolder(from.folders ?? [], file, target) ?? whyNotRoom(from.rooms ?? [], file, target);
  if (to.level > from.level) {
    return `${from.name} (L${from.level}) may not import the higher ${to.name} (L${to.level})`;
  }
  if (from.beside?.includes(to.name)) return undefined;
  return `${from.name} may not import ${to.name} beside it (L${to.level})`;
}

/**
 * @param {readonly string[]} folders
 * @param {string} file
 * @param {string} target
 * @returns {string | undefined}
 */
function whyNotFolder(folders, file, target) {
  const from = folders.findIndex((folder) => isIn(file, folder));
  const to = folders.findIndex((folder) => isIn(target, folder));
  return from >= 0 && to > from ? `${folders[from]} may not import ${folders[to]} above it` : undefined;
}

/**
 * @param {readonly (readonly string[])[]} rooms
 * @param {string} file
 * @param {string} target
 * @returns {string | undefined}
 */
function whyNotRoom(rooms, file, target) {
  const from = roomOf(rooms, file);
  const to = roomOf(rooms, target);
  if (from.name === to.name || to.height < from.height || from.height === rooms.length) return undefined;
  if (to.height > from.height) return `${from.name} may not import ${to.name} above it`;
  return `${from.name} may not import ${to.name} beside it`;
}

/**
 * @param {readonly (readonly string[])[]} rooms
 * @param {string} file
 * @returns {{ name: string, height: number }}
 */
function roomOf(rooms, file) {
  const fitting = rooms.flatMap((paths, height) =>
    paths.filter((path) => isIn(file, path)).map((name) => ({ name, height })),
  );
  // `cli/program.ts` before `cli/`
  const [nearest] = fitting.sort((a, b) => b.name.length - a.name.length);
  return nearest ?? { name: file, height: rooms.length };
}

/**
 * Why a file may not import a built-in or a package.
 * @param {Package} pkg
 * @param {string} file
 * @param {string} specifier
 * @returns {string | undefined}
 */
function whyNotBare(pkg, file, specifier) {
  const unit = pkg.units && unitOf(pkg.units, file);
  if (isBuiltin(specifier)) {
    if (!unit?.portable || nodeOnly.has(file)) return undefined;
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
