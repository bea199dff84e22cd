/** The characters for pictures: blocks and lines, or only ASCII if the terminal does not support UTF-8. */

export interface Glyphs {
  /** Characters for the end of a bar, from empty to full, in steps of one eighth. */
  readonly bar: readonly string[];
  /** Characters of a sparkline, from empty to the largest value. */
  readonly spark: readonly string[];
  readonly error: string;
  readonly warning: string;
  readonly info: string;
  readonly dot: string;
  readonly times: string;
  readonly ellipsis: string;
  readonly branch: string;
  readonly lastBranch: string;
  readonly trunk: string;
  readonly shared: string;
}

const BLOCKS: Glyphs = {
  bar: ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"],
  spark: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
  error: "✖",
  warning: "▲",
  info: "ℹ",
  dot: "·",
  times: "×",
  ellipsis: "…",
  branch: "├─ ",
  lastBranch: "└─ ",
  trunk: "│  ",
  shared: "↩",
};

const ASCII: Glyphs = {
  bar: ["", "#"],
  spark: [" ", "_", ".", ":", "-", "=", "+", "*", "#"],
  error: "x",
  warning: "!",
  info: "i",
  dot: "-",
  times: "x",
  ellipsis: "~",
  branch: "|- ",
  lastBranch: "`- ",
  trunk: "|  ",
  shared: "^",
};

export function glyphsFor(ascii: boolean): Glyphs {
  return ascii ? ASCII : BLOCKS;
}

/**
 * Whether the terminal can show only ASCII. This is so on the Linux console (TERM=linux), on a dumb terminal, and if
 * the locale is not UTF-8. POSIX defines which environment variable names the locale.
 */
export function isAsciiTerminal(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { LC_ALL, LC_CTYPE, LANG, TERM } = environment;
  if (TERM === "linux" || TERM === "dumb") return true;
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== "");
  // Without a locale, as in containers and on Windows, assume UTF-8, which most terminals support.
  return locale !== undefined && !/utf-?8/i.test(locale);
}

/** Draws a bar. If the share is above 0, the bar is never empty. */
export function bar(share: number, width: number, { bar: steps }: Glyphs): string {
  const finest = steps.length - 1;
  const length = Math.max(share > 0 ? 1 : 0, Math.round(share * width * finest));
  return steps[finest]!.repeat(Math.floor(length / finest)) + steps[length % finest]!;
}

/** Draws a sparkline with one character per value, in steps of one eighth. Only 0 is blank. */
export function sparkline(values: readonly number[], { spark }: Glyphs): string {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const top = spark.length - 1;
  return values
    .map((value) => spark[value === 0 ? 0 : Math.max(1, Math.round((value / most) * top))]!)
    .join("");
}
