/** What is generated from the table of limits: model/generated/limits.ts, and the tables of docs/limits.md. */

/** @typedef {import("../../packages/siteatlas/src/model/limits.ts").Limit} Limit */
/** @typedef {Readonly<Record<string, Limit>>} LimitTable */

/** What a limit of the walk is counted for, for readers who see its doc comment alone. */
const SCOPES = {
  site: "Limit per site: ",
  index: "Limit per index: ",
  document: "Limit per sitemap: ",
  request: "Limit per request: ",
  value: "",
};

/**
 * @param {LimitTable} table
 * @returns {string} TypeScript
 */
export function limitOptions(table) {
  const rows = Object.entries(table);
  const ofParser = rows.filter(([, { scope }]) => scope === "value");
  const ofWalk = rows.filter(([, { scope }]) => scope !== "value");
  const members = (/** @type {typeof rows} */ some) =>
    some
      .map(([name, limit]) => {
        const comment = `${commentOf(limit)} @default ${grouped(limit.default, "_")}`;
        return `  /** ${comment} */\n  readonly ${name}?: number | undefined;`;
      })
      .join("\n");
  return `// Generated from model/limits.ts by \`npm run generate\`. Do not edit.

/** Limits of one document. What exceeds them is dropped or cut, and reported. See docs/limits.md. */
export interface ParseLimits {
${members(ofParser)}
}

/** Limits of one walk. \`0\` allows nothing, \`Infinity\` removes a limit. See docs/limits.md. */
export interface WalkLimits extends ParseLimits {
${members(ofWalk)}
}

/** All limits of a type, each with its value. */
export type FilledLimits<L extends ParseLimits> = { readonly [K in keyof L]-?: number };

export const PARSE_LIMITS: FilledLimits<ParseLimits> = {
${ofParser.map(([name, { default: value }]) => `  ${name}: ${grouped(value, "_")},`).join("\n")}
};
`;
}

/**
 * Puts each table between its two marks: `<!-- limits: site -->` and `<!-- end -->`.
 * @param {string} page docs/limits.md
 * @param {LimitTable} table
 * @returns {string}
 */
export function limitPage(page, table) {
  return page.replace(
    /(<!-- limits: (\w+) -->\n).*?(?=<!-- end -->)/gs,
    (_, mark, scope) => `${mark}${limitRows(table, scope)}`,
  );
}

/**
 * @param {LimitTable} table
 * @param {string} scope
 * @returns {string} Markdown
 */
function limitRows(table, scope) {
  const rows = Object.entries(table)
    .filter(([, limit]) => limit.scope === scope)
    .map(([name, limit]) => {
      const cells = [`\`${name}\``, `\`${flagName(limit.flag)}\``, defaultCell(limit), description(limit)];
      return `| ${[...cells, limit.code ? `\`${limit.code}\`` : "", limit.stops].join(" | ")} |\n`;
    });
  const head =
    "| limit | flag | default | what is limited | code | what it stops |\n|---|---|---|---|---|---|\n";
  return head + rows.join("");
}

/** @param {Limit} limit */
function commentOf(limit) {
  const scope = SCOPES[limit.scope];
  const text = description(limit);
  return scope === "" ? text : `${scope}${limit.what}${text.slice(limit.what.length)}`;
}

/** @param {Limit} limit */
function description({ what, note }) {
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
  return note === undefined ? sentence : `${sentence} ${note}`;
}

/** @param {string} flag */
function flagName(flag) {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** @param {Limit} limit */
function defaultCell({ default: value, unit }) {
  if (unit === "ms" && value !== null) return `${grouped(value, ",")} ms`;
  if (value === null || unit === "count") return grouped(value, ",");
  for (const [size, name] of /** @type {const} */ ([
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
  ])) {
    if (value % size === 0) return `${value / size} ${name}`;
  }
  return `${grouped(value, ",")} ${unit}`;
}

/**
 * @param {number | null} value
 * @param {string} separator
 */
function grouped(value, separator) {
  if (value === null) return "Infinity";
  // As Biome and the docs write numbers: 5000, 50_000.
  return value < 10_000 ? `${value}` : `${value}`.replace(/\B(?=(?:\d{3})+$)/g, separator);
}
