/**
 * Installs Jazzer.js for `npm run fuzz:guided`, outside the project. Its binary needs glibc 2.38. On a Linux machine
 * with an older glibc, such as Debian 12, it runs in a Debian 13 chroot, which debootstrap creates. This needs root.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const NEEDED_GLIBC = "2.38";
const SUITE = "trixie";
const NODE_MAJOR = 22;
const LOCKED = fileURLToPath(new URL("engine/", import.meta.url));

/**
 * @typedef {object} Engine
 * @property {string} folder where the targets and their inputs belong
 * @property {(path: string) => string} seenAs the path of a file in `folder`, as the fuzzer sees it
 * @property {readonly string[]} command starts the command line of Jazzer.js
 */

/**
 * @param {string | undefined} wanted the folder of the chroot, or of the engine if no chroot is needed
 * @param {string | undefined} mirror of Debian
 * @returns {Engine}
 */
export function prepareEngine(wanted, mirror) {
  const isChroot = needsChroot();
  const name = isChroot ? "siteatlas-fuzz-debian13" : "siteatlas-fuzz";
  const root = resolve(wanted ?? join(tmpdir(), `${name}-${process.getuid?.() ?? "user"}`));
  if (existsSync(root)) checkOwner(root);
  else if (isChroot) createChroot(root, mirror);
  else mkdirSync(root, { recursive: true, mode: 0o700 });
  const folder = join(root, "fuzz");
  installEngine(join(folder, "engine"));
  const cli = "engine/node_modules/@jazzer.js/core/dist/cli.js";
  if (!isChroot) {
    return { folder, seenAs: (path) => join(folder, path), command: [process.execPath, join(folder, cli)] };
  }
  const node = installNode(join(folder, "node"));
  const seenAs = (/** @type {string} */ path) => join("/fuzz", path);
  return { folder, seenAs, command: ["chroot", root, seenAs(node), seenAs(cli)] };
}

/** @returns {boolean} */
function needsChroot() {
  if (process.platform !== "linux") return false;
  const { glibcVersionRuntime: version } = reportHeader();
  if (version === undefined)
    throw new Error(`Jazzer.js needs glibc ${NEEDED_GLIBC}. This Node uses another C library.`);
  return version.localeCompare(NEEDED_GLIBC, "en", { numeric: true }) < 0;
}

/** @returns {{ readonly glibcVersionRuntime?: string }} */
function reportHeader() {
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return report.header;
}

/** Refuses a folder of another user: its programs would run as root. @param {string} root */
function checkOwner(root) {
  const { uid, mode } = lstatSync(root);
  const isDirectory = lstatSync(root).isDirectory();
  if (!isDirectory || uid !== (process.getuid?.() ?? uid) || (mode & 0o022) !== 0) {
    throw new Error(
      `${root} belongs to another user, or others may write to it. Choose another folder with --root.`,
    );
  }
}

/** @param {string} root @param {string | undefined} mirror */
function createChroot(root, mirror) {
  const missing = [
    ...(process.getuid?.() === 0 ? [] : ["only root can create it: run the command as root"]),
    ...(isInstalled("debootstrap") ? [] : ["debootstrap is missing: apt-get install debootstrap"]),
  ];
  if (missing.length > 0) {
    const version = reportHeader().glibcVersionRuntime;
    const reasons = missing.map((line) => `\n- ${line}`).join("");
    throw new Error(
      `Jazzer.js needs glibc ${NEEDED_GLIBC}, and this machine has ${version}. It can run in a Debian 13 chroot, but${reasons}`,
    );
  }
  console.log(`Creating a Debian 13 chroot in ${root}`);
  mkdirSync(dirname(root), { recursive: true });
  // The folder gets its name when it is complete.
  const partial = mkdtempSync(join(dirname(root), `${basename(root)}-partial-`));
  const packages = "--include=libstdc++6,libatomic1";
  run("debootstrap", [
    "--variant=minbase",
    packages,
    SUITE,
    partial,
    ...(mirror === undefined ? [] : [mirror]),
  ]);
  chmodSync(partial, 0o700);
  renameSync(partial, root);
}

/** @param {string} program */
function isInstalled(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** Installs the locked version of Jazzer.js. Its packages have no install scripts. @param {string} folder */
function installEngine(folder) {
  const done = join(folder, "node_modules", ".package-lock.json");
  const isFresh = existsSync(done) && existsSync(join(folder, "package-lock.json"));
  cpSync(LOCKED, folder, { recursive: true });
  if (isFresh) return;
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
}

/** Installs Node for the chroot. @param {string} folder @returns {string} its path in the folder of the engine */
function installNode(folder) {
  const binaryPackage = `node-${process.platform}-${process.arch}`;
  const binary = join("node_modules", binaryPackage, "bin", "node");
  if (!existsSync(join(folder, binary))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), `{ "private": true }\n`);
    const install = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];
    run("npm", [...install, `${binaryPackage}@${NODE_MAJOR}`], folder);
  }
  return join("node", binary);
}

/** @param {string} program @param {readonly string[]} args @param {string} [cwd] */
function run(program, args, cwd) {
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
