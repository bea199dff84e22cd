/**
 * Writes the manual page of the command line, from the tables of its commands and flags.
 *
 *     node scripts/build-man-page.mjs [file]   default: packages/siteatlas/dist/siteatlas.1
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const home = fileURLToPath(new URL("../packages/siteatlas", import.meta.url));

const { outputFiles } = buildSync({
  entryPoints: [join(home, "src/cli/man-page.ts")],
  bundle: true,
  format: "esm",
  platform: "node",
  write: false,
  logLevel: "error",
});
const { manPage } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`);
const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
const [, , file = join(home, "dist/siteatlas.1")] = process.argv;
writeFileSync(file, manPage(version));
