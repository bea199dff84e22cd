/** The tables of docs/cli.md, generated from the flags of the command line and the fields of a page. */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

/** @typedef {typeof import("./cli-tables.ts")} Cli */

/**
 * @param {string} folder for temporary files
 * @returns {Promise<Readonly<Record<string, string>>>}
 */
export async function makeTables(folder) {
  const outfile = join(folder, "tables.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("cli-tables.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  /** @type {Cli} */
  const parts = await import(pathToFileURL(outfile).href);
  return { flags: flagTables(parts), fields: fieldTable(parts), formats: formatTable(parts) };
}

/** One table per group, in the order of the help texts. @param {Cli} cli */
function flagTables({ flags, flagTerm, environmentName, GROUPS, LIMIT_GROUPS, commands }) {
  const limitGroups = LIMIT_GROUPS.map(([group, title]) => [group, `Limits: ${title.toLowerCase()}`]);
  const parts = [...GROUPS, ...limitGroups].map(([group, title]) => {
    const names = /** @type {(keyof typeof flags)[]} */ (Object.keys(flags));
    const rows = names
      .filter((name) => flags[name].group === group)
      .map((name) => {
        const { text, converted, option = converted } = flags[name];
        const takers = commands.filter(({ settings }) => settings.some((setting) => setting === name));
        const who = takers.map((command) => command.name).join(" ");
        const library = option === undefined ? "" : `\`${option}\``;
        return `| \`${flagTerm(name)}\` | ${cell(text)} | \`${environmentName(name)}\` | ${library} | ${who} |`;
      });
    const head = "| flag | meaning | variable | library option | commands |\n|---|---|---|---|---|";
    return `### ${group === "Command" ? "Single commands" : title}\n\n${head}\n${rows.join("\n")}\n`;
  });
  return parts.join("\n");
}

/** @param {Cli} cli */
function fieldTable({ FIELDS }) {
  const rows = Object.entries(FIELDS).map(
    ([name, { type, text, typedOnly }]) =>
      `| \`${name}\` | ${type} | ${cell(text)}${typedOnly ? " (only in Parquet, unless requested)" : ""} |`,
  );
  return `| field | type | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** @param {Cli} cli */
function formatTable({ commandFormats }) {
  const rows = Object.entries(commandFormats).map(([command, { names, byDefault }]) => {
    const listed = names.map((/** @type {string} */ name) => `\`${name}\``).join(", ");
    return `| \`${command}\` | ${listed} | ${byDefault} |`;
  });
  return `| command | \`-f\` | without \`-f\` |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("*", "\\*");
}
