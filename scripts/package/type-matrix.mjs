/**
 * Compiles programs of users against the packed types, with the oldest and the newest TypeScript that is supported
 * and some between, in each way to resolve modules. `skipLibCheck` is off, so that our own declarations and those of
 * our dependencies are checked.
 *
 * The workspace has TypeScript 7. The other versions are installed beside the consumer, from the cache of npm if it has
 * them: in the lockfile, they would make every `npm ci` 80 MB larger.
 */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { consumers } from "./type-consumers.mjs";

const run = promisify(execFile);

/** Exact versions, so that a new one does not break a build. The key is the folder. */
const OTHER_VERSIONS = { "typescript-5.4": "5.4.5", "typescript-5.9": "5.9.3", "typescript-6.0": "6.0.3" };
const OLDEST = "typescript-5.4";

/** `node16` is the oldest that reads `exports`. */
const RESOLUTIONS = {
  node16: { module: "Node16", moduleResolution: "Node16" },
  nodenext: { module: "NodeNext", moduleResolution: "NodeNext" },
  bundler: { module: "ESNext", moduleResolution: "Bundler" },
};

const STRICT = {
  target: "ES2022",
  lib: ["ES2023"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
};

/**
 * @typedef {object} Compilation one run of the compiler
 * @property {string} label
 * @property {string} tsc
 * @property {string} config
 */

/**
 * @param {string} folder in which siteatlas is installed
 * @param {string} root of the workspace
 * @param {{ readonly endsOnly: boolean }} options `endsOnly`: only the oldest version and that of the workspace, for CI
 * @returns {Promise<string[]>} problems
 */
export async function checkTypeMatrix(folder, root, { endsOnly }) {
  const start = performance.now();
  const compilers = join(folder, "compilers");
  mkdirSync(compilers);
  writeFileSync(join(compilers, "package.json"), `{ "private": true }\n`);
  const others = Object.entries(OTHER_VERSIONS).filter(([name]) => !endsOnly || name === OLDEST);
  const names = others.map(([name, version]) => `${name}@npm:typescript@${version}`);
  const flags = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...flags, ...names], { cwd: compilers });
  const versions = {
    "TypeScript 7": join(root, "node_modules", "typescript", "bin", "tsc"),
    ...Object.fromEntries(
      others.map(([name]) => [name, join(compilers, "node_modules", name, "bin", "tsc")]),
    ),
  };
  for (const [name, { text }] of Object.entries(consumers)) writeFileSync(join(folder, `${name}.ts`), text);
  const waiting = Object.entries(versions).flatMap(([version, tsc]) =>
    compilationsOf(version, tsc, folder, root),
  );
  const count = waiting.length;
  /** @type {string[]} */
  const problems = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { label, tsc, config } = next;
      await run(process.execPath, [tsc, "-p", config], { cwd: folder }).catch(({ stdout, stderr }) => {
        problems.push(`The types do not serve a strict consumer (${label}):\n${stdout}${stderr}`);
      });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log(`Types: ${count} compilations in ${Math.round((performance.now() - start) / 1000)} s`);
  return problems;
}

/**
 * Programs that need the types of Node, in each resolution. Those without any types in one, because the same files
 * are resolved.
 *
 * @param {string} version
 * @param {string} tsc
 * @param {string} folder
 * @param {string} root
 * @returns {Compilation[]}
 */
function compilationsOf(version, tsc, folder, root) {
  const all = Object.entries(consumers);
  const filesWith = (/** @type {boolean} */ hasTypes) =>
    all.filter(([, { types }]) => types.length > 0 === hasTypes).map(([name]) => `${name}.ts`);
  const programs = [
    ...Object.entries(RESOLUTIONS).map(([name, modules]) => ({
      name,
      modules,
      types: ["node"],
      files: filesWith(true),
    })),
    { name: "no types", modules: RESOLUTIONS.bundler, types: [], files: filesWith(false) },
  ];
  return programs.map(({ name, modules, types, files }) => {
    const label = `${version}, ${name}`;
    const config = join(folder, `tsconfig.${label.replaceAll(/\W+/g, "-")}.json`);
    const typeRoots = [join(root, "node_modules", "@types")];
    const compilerOptions = { ...STRICT, ...modules, types, typeRoots };
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    return { label, tsc, config };
  });
}
