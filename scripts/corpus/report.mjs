/** The result of a comparison as lines of text. */

/** @typedef {import("./compare.mjs").Comparison} Comparison */

/** Shapes of dates that are printed. */
const MAX_SHAPES = 20;

/** @param {Pick<Comparison, "documents" | "tables" | "issues" | "dates">} comparison @returns {string[]} */
export function reportLines({ documents, tables, issues, dates }) {
  const all = dates.parsed + dates.unparsed;
  return [
    `${documents} documents`,
    ...Object.entries(tables).flatMap(([name, { equal, different, classes, unexplained, details }]) => [
      "",
      `${name}: ${equal} equal, ${different} different, ${unexplained} unexplained`,
      ...rows(classes),
      ...details.map((detail) => `  unexplained: ${detail}`),
    ]),
    "",
    "Documents per issue code",
    ...rows(issues),
    "",
    `Dates: ${dates.parsed} of ${all} parse (${((100 * dates.parsed) / Math.max(all, 1)).toFixed(2)} %). The others:`,
    ...rows(dates.rest).slice(0, MAX_SHAPES),
  ];
}

/** The largest first. @param {Readonly<Record<string, number>>} counts */
function rows(counts) {
  return Object.entries(counts)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([name, number]) => `${String(number).padStart(8)}  ${name}`);
}
