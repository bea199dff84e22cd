/**
 * Runs the client suite, the acceptance site and the fixtures in Deno and Bun, on the package as its users
 * get it: `npm run test:runtimes`, or with a name for one of them. Needs a build and the npm registry, where
 * both runtimes come from, always the newest; nothing is left behind.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const library = join(root, "packages", "siteatlas");
const tests = join(library, "test", "runtimes");

/** Where npm puts the binary, and how a script is run with it. */
const known = {
  deno: {
    scope: "@deno",
    binary: "deno",
    args: ["run", "--allow-all", "--no-prompt", "--node-modules-dir=manual"],
  },
  bun: { scope: "@oven", binary: "bin/bun", args: ["run"] },
};
/** @typedef {keyof typeof known} Name */

const names = /** @type {Name[]} */ (process.argv.length > 2 ? process.argv.slice(2) : Object.keys(known));

/** @param {string} folder */
function install(folder) {
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(execFileSync("npm", pack, { cwd: library, encoding: "utf8" }));
  writeFileSync(join(folder, "package.json"), `{ "private": true, "type": "module" }\n`);
  // The binaries are packages of their own: no script has to run.
  const options = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
  const { status } = spawnSync("npm", ["install", ...options, join(folder, filename), ...names], {
    cwd: folder,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("Cannot install the runtimes");
}

/**
 * @param {string} folder
 * @param {Name} name
 */
function runtimeIn(folder, name) {
  const { scope, binary, args } = known[name];
  const scoped = join(folder, "node_modules", scope);
  for (const platform of readdirSync(scoped)) {
    const file = join(scoped, platform, binary);
    const { status, stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
    if (status === 0) return { name: `${name} ${/[\d.]+/.exec(stdout)?.[0]}`, command: [file, ...args] };
  }
  throw new Error(`Cannot run ${name}: no binary of ${readdirSync(scoped).join(", ")} starts here`);
}

const folder = mkdtempSync(join(tmpdir(), "siteatlas-runtimes-"));
try {
  install(folder);
  const agent = join(folder, "agent.mjs");
  copyFileSync(join(tests, "agent.mjs"), agent);
  const runtimes = names.map((name) => runtimeIn(folder, name));
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const { status } = spawnSync(
    process.execPath,
    [vitest, "run", "--config", join(tests, "vitest.config.ts")],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, SITEATLAS_RUNTIMES: JSON.stringify({ folder, agent, runtimes }) },
    },
  );
  for (const { name } of runtimes) console.log(`${status === 0 ? "Passed" : "FAILED"} in ${name}`);
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
