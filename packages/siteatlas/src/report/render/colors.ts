/** The colors of a report. Sections have the colors 0 to 7 by size. All texts have a contrast of at least 4.5:1. */

/** One color per section. White text is legible on all of them. The last one is for all other sections. */
const SECTIONS = [
  "#2f62a3",
  "#b4560f",
  "#2b7a4b",
  "#9b3d72",
  "#6552ad",
  "#0f756d",
  "#86600a",
  "#5a6270",
] as const;
export const SECTION_COLORS: number = SECTIONS.length;

/** Mixes two colors. @param share the share of the first color */
function mix(a: string, b: string, share: number): string {
  const channel = (at: number): string => {
    const [x, y] = [a, b].map((color) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number];
    return Math.round(x * share + y * (1 - share))
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

interface Theme {
  readonly page: string;
  readonly card: string;
  readonly line: string;
  readonly text: string;
  readonly soft: string;
  readonly link: string;
  readonly error: string;
  readonly warning: string;
  readonly good: string;
  readonly empty: string;
  /** The strongest color of the heat maps. */
  readonly heat: string;
}

const LIGHT: Theme = {
  page: "#f5f7fa",
  card: "#ffffff",
  line: "#e1e6ee",
  text: "#17202e",
  soft: "#535f73",
  link: "#2457a0",
  error: "#b3261e",
  warning: "#8a5200",
  good: "#1d6f42",
  empty: "#eceff4",
  heat: "#2f62a3",
};

const DARK: Theme = {
  page: "#10151d",
  card: "#18202b",
  line: "#2b3647",
  text: "#e8edf5",
  soft: "#a3b0c4",
  link: "#8db9f2",
  error: "#ff8f86",
  warning: "#f0b35c",
  good: "#70cf9b",
  empty: "#232d3b",
  heat: "#7fb2f0",
};

/** Shares of the heat color, for the levels 1 to 5. */
const HEAT = [0.16, 0.36, 0.58, 0.8, 1] as const;
export const HEAT_LEVELS: number = HEAT.length;
/** Shares of the heat color behind numbers. The numbers stay legible. */
const MATRIX = [0.12, 0.24, 0.38] as const;
/** Shares of the section color in the tiles of the map. */
const TILES = [0.3, 0.24, 0.18] as const;
export const TILE_SHADES: number = TILES.length;

/** The CSS variables of a theme. */
function variables(theme: Theme, isDark: boolean): string {
  const { card, ...others } = theme;
  const rows = Object.entries({ card, ...others }).map(([name, value]) => `--${name}:${value}`);
  for (const [index, share] of HEAT.entries()) rows.push(`--h${index + 1}:${mix(theme.heat, card, share)}`);
  for (const [index, share] of MATRIX.entries()) rows.push(`--m${index + 1}:${mix(theme.heat, card, share)}`);
  for (const [index, color] of SECTIONS.entries()) {
    // A bar on a dark card is lighter, so that it can be seen.
    rows.push(`--c${index}:${isDark ? mix(color, "#ffffff", 0.72) : color}`, `--d${index}:${color}`);
    for (const [shade, share] of TILES.entries())
      rows.push(`--t${index}${shade}:${mix(color, card, isDark ? share + 0.2 : share)}`);
  }
  return rows.join(";");
}

/** Variables for light and dark pages. Print is always light. */
export function colorStyle(): string {
  const classes = SECTIONS.map(
    (_, index) =>
      `.c${index}{fill:var(--c${index})}.d${index}{fill:var(--d${index})}${TILES.map((_, shade) => `.t${index}${shade}{fill:var(--t${index}${shade})}`).join("")}`,
  );
  const heat = HEAT.map((_, index) => `.h${index + 1}{fill:var(--h${index + 1})}`);
  return [
    `:root{color-scheme:light dark;${variables(LIGHT, false)}}`,
    `@media screen and (prefers-color-scheme:dark){:root{${variables(DARK, true)}}}`,
    ...classes,
    ...heat,
  ].join("\n");
}
