/**
 * `node write-targets.mjs FOLDER`: writes the targets to FOLDER/targets, their seeds to FOLDER/seeds and the names of
 * both to FOLDER/names.txt, for other fuzzing infrastructure (.clusterfuzzlite/build.sh).
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleTargets, writeSeeds } from "./bundle-targets.mjs";
import { TARGETS } from "./target-table.mjs";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError("Pass the folder to write to");
mkdirSync(folder, { recursive: true });
await bundleTargets(join(folder, "targets"));
await writeSeeds(join(folder, "seeds"));
// A target that returns no promise runs faster with --sync.
const lines = TARGETS.map(({ name, isSync }) => (isSync ? `${name} --sync\n` : `${name}\n`));
writeFileSync(join(folder, "names.txt"), lines.join(""));
