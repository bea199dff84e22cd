/**
 * Bundles the command line: loading two hundred small files would double the time to the first line. The library
 * is not bundled.
 *
 *     node scripts/build-cli.mjs [folder]   default: packages/siteatlas/dist/cli
 *
 * Code that only one command needs is a chunk of its own, loaded on demand. Packages are included, with their
 * licenses in THIRD-PARTY-NOTICES.txt. The code is not minified and has source maps, for readable stack traces.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const home = join(root, "packages/siteatlas");

/** Bundled CommonJS packages `require` modules of Node. */
const REQUIRE =
  'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n';

/**
 * Resolves `#platform` and others by the package's own table, to the sources instead of the build.
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
 * The parts of undici that make connections. The index of undici also loads fetch, WebSocket, caches and mocks, which
 * takes longer than all the rest of the command line. Only the bundle uses these private paths: it contains the version
 * of undici that it was built with. The library imports the public index.
 */
const UNDICI_PARTS = {
  Client: "undici/lib/dispatcher/client.js",
  Pool: "undici/lib/dispatcher/pool.js",
  buildConnector: "undici/lib/core/connect.js",
  errors: "undici/lib/core/errors.js",
};

/** @type {import("esbuild").Plugin} */
const undiciParts = {
  name: "undici-parts",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: "undici-parts" }));
    onLoad({ filter: /./, namespace: "undici-parts" }, () => ({
      contents: Object.entries(UNDICI_PARTS)
        .map(([name, path]) => `export { default as ${name} } from "${path}";`)
        .join("\n"),
      resolveDir: home,
    }));
  },
};

/**
 * @param {string} folder is emptied first; package.json has to be two folders above
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
    // A CommonJS package in a chunk has no named exports.
    mainFields: ["module", "main"],
    plugins: [packageImports, undiciParts],
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

/** The licenses of all bundled packages. @param {import("esbuild").Metafile} metafile */
function notices(metafile) {
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap(
      (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
    ),
  );
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${licenseText(join(root, folder))}\n`;
  });
  const head = "The command line of siteatlas contains code of these packages, each under its own license.\n";
  return [head, ...texts].join(`\n${"-".repeat(78)}\n\n`);
}

/** @param {string} folder */
function licenseText(folder) {
  const name = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (name === undefined) throw new Error(`No license in ${folder}`);
  return readFileSync(join(folder, name), "utf8").trim();
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [, , folder = join(home, "dist/cli")] = process.argv;
  await buildCli(resolve(folder));
}
