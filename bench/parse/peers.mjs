/**
 * Finds the parsers to compare with. saxes and htmlparser2 are development dependencies of the project; the
 * others are installed into .cache/bench on the first run, at the versions of peers.json.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const cacheFolder = join(root, ".cache", "bench");
const manifest = readFileSync(new URL("peers.json", import.meta.url), "utf8");

/** Installs what is missing or of another version. */
export function installPeers() {
  const { dependencies } = JSON.parse(manifest);
  const isThere = Object.entries(dependencies).every(([name, version]) => peerVersion(name) === version);
  if (isThere) return;
  console.log(`Installing ${Object.keys(dependencies).join(", ")} into .cache/bench`);
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(join(cacheFolder, "package.json"), manifest);
  const args = [
    "install",
    "--prefix",
    cacheFolder,
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--no-package-lock",
  ];
  const { status } = spawnSync("npm", args, { cwd: cacheFolder, stdio: "inherit" });
  if (status !== 0) throw new Error("Cannot install the parsers to compare with");
}

const peerManifest = (name) => join(cacheFolder, "node_modules", name, "package.json");

export const peerVersion = (name) => versionIn(peerManifest(name));

/** Of a development dependency of the project. */
export const projectVersion = (name) => versionIn(join(root, "node_modules", name, "package.json"));

function versionIn(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : undefined;
}

/** A `require` that resolves from inside a peer. */
export function peerRequire(name) {
  return createRequire(peerManifest(name));
}
