/** The tables of docs/cli.md, made from those of the command line: its flags, and the fields of a page. */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const cli = fileURLToPath(new URL("../../packages/siteatlas/src/cli/", import.meta.url));

/** @typedef {import("../../packages/siteatlas/src/cli/flags.ts").Flag} Flag */
/** @typedef {import("../../packages/siteatlas/src/cli/commands.ts").CommandInfo} CommandInfo */
/** @typedef {import("../../packages/siteatlas/src/output/page-record.ts").Field} Field */

/**
 * @typedef {object} Cli
 * @property {Readonly<Record<string, Flag>>} flags
 * @property {(name: string) => string} flagTerm
 * @property {(name: string) => string} environmentName
 * @property {readonly (readonly [group: string, title: string])[]} GROUPS
 * @property {readonly CommandInfo[]} commands
 * @property {Readonly<Record<string, Field>>} FIELDS
 */

/**
 * @param {string} folder for what is made on the way
 * @returns {Promise<Readonly<Record<string, string>>>}
 */
export async function makeTables(folder) {
  const outfile = join(folder, "tables.mjs");
  await build({
    stdin: {
      contents: `
        export { environmentName, flags } from "./flags.ts";
        export { flagTerm, GROUPS } from "./help.ts";
        export { commands } from "./commands.ts";
        export { FIELDS } from "../output/page-record.ts";`,
      resolveDir: cli,
      loader: "ts",
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  /** @type {Cli} */
  const parts = await import(pathToFileURL(outfile).href);
  return { flags: flagTables(parts), fields: fieldTable(parts) };
}

/** One table for each group, in the order of the help texts. @param {Cli} cli */
function flagTables({ flags, flagTerm, environmentName, GROUPS, commands }) {
  const parts = GROUPS.map(([group, title]) => {
    const rows = Object.entries(flags)
      .filter(([, flag]) => flag.group === group)
      .map(([name, { text, option }]) => {
        const takers = commands.filter(({ settings }) => settings.some((setting) => setting === name));
        const who = takers.map((command) => command.name).join(" ");
        const library = option === undefined ? "" : `\`${option}\``;
        return `| \`${flagTerm(name)}\` | ${cell(text)} | \`${environmentName(name)}\` | ${library} | ${who} |`;
      });
    const head = "| flag | | variable | option of the library | commands |\n|---|---|---|---|---|";
    return `### ${group === "Command" ? "Of single commands" : title}\n\n${head}\n${rows.join("\n")}\n`;
  });
  return parts.join("\n");
}

/** @param {Cli} cli */
function fieldTable({ FIELDS }) {
  const rows = Object.entries(FIELDS).map(
    ([name, { type, text, typedOnly }]) =>
      `| \`${name}\` | ${type} | ${cell(text)}${typedOnly ? "; only in Parquet unless asked for" : ""} |`,
  );
  return `| field | type | |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("*", "\\*");
}
