/**
 * A terminal screen as an SVG picture, light or dark. Text stays text. Block characters (bars and sparklines) become
 * rectangles, because fonts disagree about their size and leave gaps between them.
 *
 * The picture carries its screen in `<metadata>`, with ␛ for the escape character, so that a later run can compare.
 */

/** Size of a terminal cell, and the margin around the screen, in pixels. */
const CELL = { width: 8.4, height: 18 };
const MARGIN = 20;
/** Above and below a block character, so that the bars of two lines do not touch. */
const GAP = 3;
const BASELINE = 13;

/**
 * @typedef {object} Theme
 * @property {string} background
 * @property {string} border
 * @property {string} text
 * @property {string} dim
 * @property {Readonly<Record<number, string>>} colors by SGR code
 */

/** Each color has a contrast of at least 4.5 to the background. @type {Readonly<Record<"light" | "dark", Theme>>} */
const THEMES = {
  light: {
    background: "#ffffff",
    border: "#d0d7de",
    text: "#1f2328",
    dim: "#59636e",
    colors: { 31: "#c21c2c", 32: "#116329", 33: "#855300", 34: "#0969da", 35: "#8250df", 36: "#0e7490" },
  },
  dark: {
    background: "#0d1117",
    border: "#30363d",
    text: "#e6edf3",
    dim: "#9198a1",
    colors: { 31: "#ff7b72", 32: "#56d364", 33: "#e3b341", 34: "#58a6ff", 35: "#bc8cff", 36: "#39c5cf" },
  },
};

/** @typedef {{ bold: boolean, dim: boolean, color: number | undefined }} Style */
/** @typedef {{ text: string, column: number, style: Style }} Run */

const LOWER_BLOCKS = "▁▂▃▄▅▆▇█";
const LEFT_BLOCKS = "▏▎▍▌▋▊▉";
const ESCAPE = /\u001b\[([\d;]*)m/g;

/** @param {string} screen */
export const withoutStyles = (screen) => screen.replace(ESCAPE, "");

/**
 * The escape sequences of each line.
 *
 * @param {string} screen
 */
export const stylesOf = (screen) =>
  screen
    .split("\n")
    .map((line) => (line.match(ESCAPE) ?? []).join(""))
    .join("\n");

/**
 * @param {string} screen lines with escape sequences for styles
 * @param {{ columns: number, theme: "light" | "dark", title: string }} options
 * @returns {string} SVG
 */
export function drawScreen(screen, { columns, theme: name, title }) {
  const theme = THEMES[name];
  const lines = screen.trimEnd().split("\n");
  const width = number(columns * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + 2 * MARGIN;
  const rows = readRuns(lines).flatMap((runs, row) => runs.flatMap((run) => drawRun(run, row, theme)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<metadata>${escapeXml(screen.trimEnd().replaceAll("\u001b", "␛"))}</metadata>
<style>text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre } .b { font-weight: 600 }</style>
<rect x="0.5" y="0.5" width="${number(Number(width) - 1)}" height="${height - 1}" rx="8" fill="${theme.background}" stroke="${theme.border}"/>
${rows.join("\n")}
</svg>
`;
}

/**
 * The screen that a picture was drawn from.
 *
 * @param {string} svg
 * @returns {string}
 */
export function readScreen(svg) {
  const [, text = ""] = /<metadata>([\s\S]*?)<\/metadata>/.exec(svg) ?? [];
  const plain = text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return plain === "" ? "" : `${plain.replaceAll("␛", "\u001b")}\n`;
}

/**
 * Splits lines where the style changes, around spaces, and around block characters. A style holds until it is
 * changed, across line ends.
 *
 * @param {readonly string[]} lines
 * @returns {Run[][]}
 */
function readRuns(lines) {
  /** @type {Style} */
  let style = { bold: false, dim: false, color: undefined };
  return lines.map((line) => {
    /** @type {Run[]} */
    const runs = [];
    let column = 0;
    for (const [at, part] of line.split(ESCAPE).entries()) {
      if (at % 2 === 1) style = applyCodes(style, part);
      else {
        for (const [text] of part.matchAll(/[▁-▏]| {2,}|(?:[^▁-▏ ]| (?! ))+/g)) {
          if (text.trim() !== "") runs.push({ text, column, style });
          column += text.length;
        }
      }
    }
    return runs;
  });
}

/** @param {Style} style @param {string} codes `1;34` @returns {Style} */
function applyCodes(style, codes) {
  let { bold, dim, color } = style;
  for (const code of codes.split(";").map(Number)) {
    if (code === 0) [bold, dim, color] = [false, false, undefined];
    else if (code === 1) bold = true;
    else if (code === 2) dim = true;
    else if (code === 22) [bold, dim] = [false, false];
    else if (code === 39) color = undefined;
    else if (code >= 31 && code <= 36) color = code;
    else if (code !== 49) throw new Error(`No color for the escape code ${code}`);
  }
  return { bold, dim, color };
}

/** @param {Run} run @param {number} row @param {Theme} theme @returns {string[]} */
function drawRun({ text, column, style }, row, theme) {
  const fill = style.color === undefined ? (style.dim ? theme.dim : theme.text) : theme.colors[style.color];
  const x = MARGIN + column * CELL.width;
  const y = MARGIN + row * CELL.height;
  const block = blockSize(text);
  if (block !== undefined) {
    const room = CELL.height - 2 * GAP;
    const [width, height] = [CELL.width * block.width, room * block.height];
    const top = y + GAP + room - height;
    return [
      `<rect x="${number(x)}" y="${number(top)}" width="${number(width)}" height="${number(height)}" fill="${fill}" shape-rendering="crispEdges"/>`,
    ];
  }
  const trimmed = text.trimEnd();
  const length = number(trimmed.length * CELL.width);
  const weight = style.bold ? ' class="b"' : "";
  return [
    `<text x="${number(x)}" y="${y + BASELINE}"${weight} fill="${fill}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escapeXml(trimmed)}</text>`,
  ];
}

/**
 * Which share of its cell a block character fills.
 *
 * @param {string} text
 */
function blockSize(text) {
  const lower = LOWER_BLOCKS.indexOf(text);
  if (text.length === 1 && lower >= 0) return { width: 1, height: (lower + 1) / 8 };
  const left = LEFT_BLOCKS.indexOf(text);
  if (text.length === 1 && left >= 0) return { width: (left + 1) / 8, height: 1 };
  return undefined;
}

/** @param {number} value */
const number = (value) => String(Math.round(value * 100) / 100);

/** @param {string} text */
const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
