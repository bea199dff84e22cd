/**
 * Checks the packages as their users get them: packs each, installs the tarball into an empty folder,
 * loads its entry points, compiles strict consumers against its types with several versions of TypeScript, and looks
 * through its files. `--type-ends`: only the oldest and the newest of these versions, for CI.
 * Needs a build; the sources are not consulted.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { checkTypeMatrix } from "./package/type-matrix.mjs";
import { packagedFiles, packagedPages } from "./package-docs.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({ options: { "type-ends": { type: "boolean", default: false } } });

/** What the package must export, by entry point: the names that design and README promise. */
const promised = {
  siteatlas: [
    "parseSitemap",
    "parseEntries",
    "parseRobotsTxt",
    "parseDate",
    "sitemapTreeForHomepage",
    "walkSitemaps",
    "streamPages",
    "allPages",
    "allSitemaps",
    "treeFromJson",
    "saveTree",
    "loadTree",
    "createNodeClient",
    "fetchClient",
  ],
  "siteatlas/parse": ["parseSitemap", "parseEntries", "parseRobotsTxt", "parseDate"],
  "siteatlas/output": ["toRecord", "kindOf", "languageOf", "pageColumns", "ParquetTable"],
  "siteatlas/escape": [
    "terminalText",
    "logLine",
    "logUrl",
    "csvCell",
    "htmlText",
    "htmlAttribute",
    "htmlHref",
    "jsonLine",
    "jsonForScript",
    "safeFileName",
    "redactUrl",
    "redactText",
    "redactHeaders",
  ],
};

/** The same for the fleet. */
const promisedByFleet = {
  "siteatlas-fleet": [
    "migrate",
    "createPool",
    "Frontier",
    "Feeder",
    "FleetWorker",
    "ProcessWalkers",
    "openStore",
  ],
};

/** Writes a table of `siteatlas/output`. Prints the error if it fails. */
const writeParquet = `import { ParquetTable } from "siteatlas/output";
  const table = new ParquetTable({ write() {} }, [{ name: "id", type: "integer", value: (id) => id }]);
  table.add(1);
  await table.end().catch((error) => console.log(error.message));`;

/**
 * @param {string} folder
 * @param {readonly string[]} names packages of the workspace; the last is the one that counts
 * @returns {string} path of the installed package
 */
function packAndInstall(folder, ...names) {
  const tarballs = names.map((name) => {
    const pack = ["pack", "--json", "--workspace", name, "--pack-destination", folder];
    const [tarball] = Object.values(JSON.parse(npm(pack, root)));
    console.log(`Packed ${tarball.filename}: ${tarball.size} bytes`);
    return `./${tarball.filename}`;
  });
  writeFileSync(join(folder, "package.json"), `{ "private": true, "type": "module" }\n`);
  npm(["install", "--prefer-offline", "--ignore-scripts", ...tarballs], folder);
  return join(folder, "node_modules", names.at(-1) ?? "");
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {string} what it printed
 */
function npm(args, cwd) {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/**
 * @param {string} installed
 * @returns {string[]}
 */
function checkFiles(installed) {
  /** @type {string[]} */
  const problems = [];
  const machinePaths = [root, tmpdir(), homedir()].map((path) => `${path.replace(/\/$/, "")}/`);
  for (const path of readdirSync(installed, { recursive: true, encoding: "utf8" })) {
    if (statSync(join(installed, path)).isDirectory()) continue;
    if (
      !/^(deploy|dist|docs|examples|schemas|src|sql)[\\/]|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(
        path,
      )
    ) {
      problems.push(`${path} does not belong into the package`);
    }
    if (/\.test\.|\.tsbuildinfo$|(^|[\\/])(test|fixtures)[\\/]/.test(path)) {
      problems.push(`${path} is of use to developers alone`);
    }
    const text = readFileSync(join(installed, path), "utf8");
    for (const machinePath of machinePaths) {
      // Not as the middle of a longer path, such as "../root/".
      const pieces = text.split(machinePath).slice(0, -1);
      if (pieces.some((before) => !/[\w.]$/.test(before))) {
        problems.push(`${path} names ${machinePath}, a folder of this machine`);
      }
    }
  }
  const isLibrary = installed.endsWith("siteatlas");
  const pages = isLibrary ? [...packagedPages().map((name) => `docs/${name}`), ...packagedFiles()] : [];
  for (const path of ["README.md", "LICENSE", ...pages]) {
    if (!existsSync(join(installed, path))) problems.push(`${path} is missing`);
  }
  const { exports, imports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  for (const target of targetsOf([exports, imports])) {
    if (!existsSync(join(installed, target))) problems.push(`package.json names ${target}, which is missing`);
  }
  return problems;
}

/**
 * @param {unknown} value
 * @returns {string[]} the files that `exports` or `imports` lead to
 */
function targetsOf(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(targetsOf) : [];
}

/**
 * @param {string} folder
 * @param {Readonly<Record<string, readonly string[]>>} entries
 * @returns {string[]}
 */
function checkEntryPoints(folder, entries) {
  return Object.entries(entries).flatMap(([entry, names]) => {
    const script = `import * as all from "${entry}";
      const missing = ${JSON.stringify(names)}.filter((name) => typeof all[name] !== "function");
      if (missing.length > 0) throw new Error("missing: " + missing.join(", "));`;
    const { status, stderr } = run(process.execPath, ["--input-type=module", "--eval", script], folder);
    return status === 0 ? [] : [`${entry} does not load as promised:\n${stderr}`];
  });
}

/**
 * The command line with nothing but the package's own dependencies beside it.
 *
 * @param {string} folder
 * @returns {string[]}
 */
function checkCommand(folder) {
  writeFileSync(join(folder, "pages.txt"), "https://example.com/a\n");
  return checkRuns(folder, "siteatlas", [
    ["--version"],
    ["--help"],
    ["parse", "pages.txt"],
    ["parse", "pages.txt", "-o", "pages.parquet"],
  ]);
}

/**
 * @param {string} folder
 * @param {string} command
 * @param {readonly (readonly string[])[]} runs
 * @returns {string[]}
 */
function checkRuns(folder, command, runs) {
  return runs.flatMap((args) => {
    const { status, stderr } = run(join(folder, "node_modules", ".bin", command), args, folder);
    return status === 0 ? [] : [`${command} ${args.join(" ")} ended with ${status}:\n${stderr}`];
  });
}

/**
 * Parquet needs an optional peer: without it, the error names it; with that of the workspace, it works. Comes last: all
 * the rest does without it.
 *
 * @param {string} folder
 * @param {string} installed
 * @returns {string[]}
 */
function checkPeers(folder, installed) {
  const { peerDependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const write = () => run(process.execPath, ["--input-type=module", "--eval", writeParquet], folder);
  const without = write();
  if (!without.stdout.includes("npm install hyparquet-writer")) {
    return [`Parquet without hyparquet-writer gives no advice:\n${without.stdout}${without.stderr}`];
  }
  for (const name of Object.keys(peerDependencies)) {
    const place = join(folder, "node_modules", name);
    if (existsSync(place)) return [`${name} is installed along, though it is optional`];
    cpSync(join(root, "node_modules", name), place, { recursive: true });
  }
  const { stdout, stderr } = write();
  return stdout === "" && stderr === "" ? [] : [`Parquet cannot be written:\n${stdout}${stderr}`];
}

/**
 * @param {string} installed
 * @returns {Promise<string[]>}
 */
async function checkManifest(installed) {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  return spawnSync(command, args, { cwd, encoding: "utf8" });
}

async function checkLibrary() {
  const installed = packAndInstall(folder, "siteatlas");
  return [
    ...checkFiles(installed),
    ...checkEntryPoints(folder, promised),
    ...checkCommand(folder),
    ...(await checkTypeMatrix(folder, root, { endsOnly: options["type-ends"] })),
    ...(await checkManifest(installed)),
    ...checkPeers(folder, installed),
  ];
}

async function checkFleet() {
  const own = join(folder, "fleet");
  mkdirSync(own);
  const installed = packAndInstall(own, "siteatlas", "siteatlas-fleet");
  return [
    ...checkFiles(installed),
    ...checkEntryPoints(own, promisedByFleet),
    ...checkRuns(own, "siteatlas-fleet", [["--version"], ["--help"], ["work", "--help"]]),
    ...(await checkManifest(installed)),
  ];
}

const folder = mkdtempSync(join(tmpdir(), "siteatlas-package-"));
try {
  const problems = [...(await checkLibrary()), ...(await checkFleet())];
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? "Packages: no problem" : `Packages: ${problems.length} problem(s)`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
