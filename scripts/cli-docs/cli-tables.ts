/** The tables of the command line that docs/cli.md shows: tables.mjs bundles this file. */
export { commands } from "../../packages/siteatlas/src/cli/config/command-table.ts";
export { environmentName, flags } from "../../packages/siteatlas/src/cli/config/flags.ts";
export { commandFormats } from "../../packages/siteatlas/src/cli/config/output-formats.ts";
export { flagTerm, GROUPS, LIMIT_GROUPS } from "../../packages/siteatlas/src/cli/help.ts";
export { FIELDS } from "../../packages/siteatlas/src/output/page-fields.ts";
