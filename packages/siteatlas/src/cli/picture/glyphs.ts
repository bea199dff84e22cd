/** What pictures are drawn with: block and line characters, or ASCII where the terminal has no UTF-8. */

export interface Glyphs {
  /** From nothing to full, in eighths. */
  readonly bar: readonly string[];
  /** From nothing to most. */
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
  spark: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
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
  spark: ["_", ".", ":", "-", "=", "+", "*", "#"],
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

/** The locale names no UTF-8, or the terminal is the Linux console of a plain font. POSIX order of variables. */
export function isAsciiTerminal(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { LC_ALL, LC_CTYPE, LANG, TERM } = environment;
  if (TERM === "linux" || TERM === "dumb") return true;
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== "");
  // Without any locale (containers, Windows) terminals are UTF-8 nowadays.
  return locale !== undefined && !/utf-?8/i.test(locale);
}

/** As long as the share of the width, in the finest steps there are; something is never nothing. */
export function bar(share: number, width: number, { bar: steps }: Glyphs): string {
  const finest = steps.length - 1;
  const length = Math.max(share > 0 ? 1 : 0, Math.round(share * width * finest));
  return steps[finest]!.repeat(Math.floor(length / finest)) + steps[length % finest]!;
}

/** One character for each value. What is there is never drawn like what is not. */
export function sparkline(values: readonly number[], { spark }: Glyphs): string {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const top = spark.length - 1;
  return values
    .map((value) => spark[value === 0 ? 0 : Math.max(1, Math.round((value / most) * top))]!)
    .join("");
}
