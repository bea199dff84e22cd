/**
 * The table of the hostile suite: one line per case, as text and as Markdown. A value with a limit is printed
 * as `measured/bound`; bytes are in K and M of 1,024. */

/** @typedef {import("./client.ts").CaseInfo} CaseInfo */
/** @typedef {import("./client.ts").CaseResult} CaseResult */
/** @typedef {keyof CaseResult["figures"]} FigureName */

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {boolean} isGood
 * @property {readonly string[]} figures
 * @property {string} server
 * @property {string} expected
 * @property {string} outcome
 */

const whole = (/** @type {number} */ value) => value.toFixed(0);
const fine = (/** @type {number} */ value) =>
  value < 10 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);

function bytes(/** @type {number} */ value) {
  if (value < 1024) return whole(value);
  return value < 1024 * 1024 ? `${fine(value / 1024)}K` : `${fine(value / 1024 / 1024)}M`;
}

/** @type {readonly (readonly [name: FigureName, head: string, width: number, show: (value: number) => string])[]} */
const FIGURES = [
  ["ms", "time ms", 11, whole],
  ["cpuMs", "CPU ms", 9, whole],
  ["partMs", "part ms", 7, fine],
  ["partMiB", "part MiB", 8, fine],
  ["wireBytes", "wire", 9, bytes],
  ["decodedBytes", "decoded", 9, bytes],
  ["inflatedBytes", "inflated", 9, bytes],
  ["heldBytes", "held", 9, bytes],
  ["rssMiB", "RSS MiB", 7, fine],
  ["blockedMs", "blocked ms", 10, whole],
  ["requests", "requests", 9, whole],
  ["connections", "conn.", 5, whole],
];
const ID_WIDTH = 12;

/** @param {CaseInfo} hostile @param {CaseResult} result @returns {Row} */
export function describeRow({ id, server, expected, bounds }, { failures, outcome, note, figures }) {
  return {
    id,
    isGood: failures.length === 0,
    figures: FIGURES.map(([name, , , show]) => {
      const bound = bounds[name];
      return bound === undefined ? show(figures[name]) : `${show(figures[name])}/${show(bound)}`;
    }),
    server,
    expected,
    outcome: note === "" ? outcome : `${outcome} (${note})`,
  };
}

export function tableHead() {
  const names = FIGURES.map(([, head, width]) => head.padStart(width));
  return `${"case".padEnd(ID_WIDTH)}      ${names.join(" ")}  what the server does | expected | outcome`;
}

/** @param {Row} row */
export function tableRow({ id, isGood, figures, server, expected, outcome }) {
  const cells = figures.map((text, at) => text.padStart(FIGURES[at]?.[2] ?? 0));
  return `${id.padEnd(ID_WIDTH)} ${isGood ? "ok  " : "FAIL"} ${cells.join(" ")}  ${server} | ${expected} | ${outcome}`;
}

/** @param {readonly Row[]} rows @param {string} closing */
export function markdownTable(rows, closing) {
  const cell = (/** @type {string} */ text) =>
    text.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("<", "&lt;");
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map(cell).join(" | ")} |`;
  const heads = FIGURES.map(([, head]) => head);
  return [
    "Figures are `measured/bound` where there is a bound; bytes are in K and M of 1,024.",
    "",
    line(["case", "", "what the server does", "expected", "outcome", ...heads]),
    `|---|---|---|---|---|${"--:|".repeat(heads.length)}`,
    ...rows.map(({ id, isGood, figures, server, expected, outcome }) =>
      line([id, isGood ? "ok" : "FAIL", server, expected, outcome, ...figures]),
    ),
    "",
    closing,
    "",
  ].join("\n");
}
