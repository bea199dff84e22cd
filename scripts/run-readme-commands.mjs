/**
 * Runs the commands of README.md with the built command line, and fails when one of them fails or prints nothing.
 * A command is a piece of inline code that starts with `siteatlas` and has an argument, or a line `npx siteatlas` of an
 * `sh` block. The acceptance site of the tests takes the place of example.com. Part of `npm run examples`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { installCommand, loadAcceptanceSite, runShell } from "./run-recipes.mjs";

const readme = fileURLToPath(new URL("../README.md", import.meta.url));

/**
 * @param {string} page
 * @returns {string[]}
 */
export function readCommands(page) {
  const inline = page.matchAll(/`(siteatlas [^`]+)`/g);
  const lines = page.matchAll(/^(npx siteatlas [^#\n]*)/gm);
  return [...lines, ...inline].map(([, command = ""]) => command.trim()).filter(hasInput);
}

/** `siteatlas ls` alone is the name of a command. @param {string} command */
const hasInput = (command) => /example\.com|hosts\.txt|\.xml/.test(command);

/**
 * `watch` runs until its reader has enough, or until the time limit if it prints nothing. The acceptance site is
 * broken on purpose, so `lint` must end with the exit code for findings.
 * @param {string} command
 */
function scriptFor(command) {
  if (command.startsWith("siteatlas watch")) return `timeout 45 ${command} | head -n 1`;
  if (command.startsWith("siteatlas lint")) return `${command} || test $? -eq 5`;
  return command;
}

/** @returns {Promise<boolean>} whether all of them work */
export async function runReadmeCommands() {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-readme-"));
  try {
    const openSite = await loadAcceptanceSite(folder);
    installCommand(join(folder, "bin"));
    const commands = readCommands(readFileSync(readme, "utf8"));
    let failed = commands.length === 0 ? 1 : 0;
    for (const command of commands) {
      const { site } = await openSite();
      const work = mkdtempSync(join(folder, "work-"));
      writeFileSync(join(work, "hosts.txt"), `${site.url}\n`);
      writeFileSync(
        join(work, "sitemap.xml.gz"),
        gzipSync(`<urlset><url><loc>${site.url}/a</loc></url></urlset>`),
      );
      writeFileSync(join(work, "crawl.csv"), `Address,Status\n${site.url}/crawled,200\n`);
      const script = scriptFor(command.replaceAll("example.com", site.url));
      const error = await runShell(script, work, folder, site.url).then(
        (output) => (output === "" && !command.includes(" -o ") ? "It printed nothing" : undefined),
        (/** @type {Error} */ { message }) => message,
      );
      await site.close();
      console.log(`${error === undefined ? "ok    " : "FAILED"} README.md: ${command}`);
      if (error !== undefined) {
        failed++;
        console.error(error);
      }
    }
    return failed === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = (await runReadmeCommands()) ? 0 : 1;
