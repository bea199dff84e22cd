/**
 * Bundles the command line: a process that loads two hundred small files takes twice as long to its first line.
 * The library stays as the compiler leaves it, file by file.
 *
 *     node scripts/build-cli.mjs [folder]   packages/siteatlas/dist/cli, unless told
 *
 * What one command alone needs is a chunk of its own, loaded when it is asked for. Packages are bundled in, with
 * their licences in THIRD-PARTY-NOTICES.txt. Nothing is minified, and there are source maps: stack traces are to be read.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const home = join(root, "packages/siteatlas");

/** What the bundled packages `require` of Node. */
const REQUIRE =
  'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n';

/**
 * `#platform` and its like, by the package's own table, to the sources instead of the build.
 *
 * @type {import("esbuild").Plugin}
 */
const packageImports = {
  name: "package-imports",
  setup({ onResolve }) {
    const { imports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    onResolve({ filter: /^#/ }, ({ path }) => {
      const target = imports[path]?.node;
      if (target === undefined) return { errors: [{ text: `package.json has no ${path}` }] };
      return { path: join(home, target.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts")) };
    });
  },
};

/**
 * @param {string} folder emptied first; the package's manifest is expected two folders above
 * @returns {Promise<import("esbuild").Metafile>}
 */
export async function buildCli(folder) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(home, "src/cli/main.ts")],
    outdir: folder,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
    format: "esm",
    platform: "node",
    target: "node20.18",
    // Of a package in CommonJS, a chunk has no named exports.
    mainFields: ["module", "main"],
    plugins: [packageImports],
    sourcemap: "linked",
    sourcesContent: false,
    legalComments: "none",
    logLevel: "error",
    metafile: true,
    write: false,
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of outputFiles) {
    writeFileSync(path, /\btypeof require\b/.test(text) ? REQUIRE + text : text);
  }
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), notices(metafile));
  return metafile;
}

/** The packages whose code is in the bundle. @param {import("esbuild").Metafile} metafile */
function notices(metafile) {
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap(
      (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
    ),
  );
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${licenceText(join(root, folder))}\n`;
  });
  const head = "The command line of siteatlas holds code of these packages, each under its own licence.\n";
  return [head, ...texts].join(`\n${"-".repeat(78)}\n\n`);
}

/** @param {string} folder */
function licenceText(folder) {
  const name = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (name === undefined) throw new Error(`No licence in ${folder}`);
  return readFileSync(join(folder, name), "utf8").trim();
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [, , folder = join(home, "dist/cli")] = process.argv;
  await buildCli(resolve(folder));
}
