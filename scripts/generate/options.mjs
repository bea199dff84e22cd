/** docs/options.md: each option of the library with its flag and its environment variable, from the table of flags. */

/**
 * @typedef {object} Flag
 * @property {string} [option] the option that receives the value
 * @property {string} [converted] the option that receives the converted value
 * @property {"only" | "too"} [negated]
 * @property {string} [value]
 * @property {string} text
 */

/**
 * @typedef {object} FlagTables
 * @property {Readonly<Record<string, Flag>>} flags
 * @property {(name: string) => string} flagName
 * @property {(name: string) => string} environmentName
 */

/** Options that only code can set: functions, objects and a date of an earlier run. */
export const ONLY_IN_CODE = [
  "recurseCallback",
  "client",
  "signal",
  "onEvent",
  "onRequest",
  "onPause",
  "continueFrom",
];

/** @param {FlagTables} tables @returns {string} Markdown */
export function optionPage(tables) {
  const rows = Object.keys(tables.flags)
    .map((name) => ({ name, ...tables.flags[name] }))
    .map(({ name, option, converted }) => ({ name, option: option ?? converted }));
  const options = rows.filter(({ option }) => option !== undefined && !option.startsWith("limits."));
  const limits = rows.filter(({ option }) => option?.startsWith("limits."));
  const others = rows.filter(({ option }) => option === undefined);
  return `<!-- Generated from the table of flags by \`npm run generate\`. Do not edit. -->

# Options, flags and variables

An option of the library, a flag and an environment variable often have different names. Names in a settings file are those of the flags, in camel case: \`--max-pages\` is \`maxPages\`. [The command line](cli.md#flags) explains the flags, and [Limits](limits.md) the limits and their defaults.

Times in options are numbers of milliseconds, and sizes are numbers of bytes. On the command line they have units: \`--delay 500ms\`, \`--max-bytes 10MB\`. \`none\` on the command line is \`Infinity\` in code. \`--no-known\` is \`useKnownPaths: false\`.

## Options

${table(options, tables)}
Only in code: ${ONLY_IN_CODE.map((name) => `\`${name}\``).join(", ")}.

## Limits

${table(limits, tables)}
## Flags without an option

These flags choose what the command line does with the result: ${others.map(({ name }) => `\`--${tables.flagName(name)}\``).join(", ")}.
`;
}

/**
 * @param {readonly { readonly name: string; readonly option: string | undefined }[]} rows
 * @param {FlagTables} tables
 */
function table(rows, { flags, flagName, environmentName }) {
  const lines = rows.map(({ name, option }) => {
    const { negated } = flags[name] ?? { negated: undefined };
    const plain = `\`--${flagName(name)}\``;
    const no = `\`--no-${flagName(name)}\``;
    const flag = negated === "only" ? no : negated === "too" ? `${plain}, ${no}` : plain;
    return `| \`${option}\` | ${flag} | \`${environmentName(name)}\` |`;
  });
  return `| option | flag | variable |\n|---|---|---|\n${lines.join("\n")}\n`;
}
