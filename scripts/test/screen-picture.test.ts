import { expect, test } from "vitest";
import { drawScreen, readScreen, stylesOf, withoutStyles } from "../cli-docs/screen-picture.mjs";

const OPTIONS = { columns: 20, theme: "light", title: "A & B" } as const;
const ESC = "\u001b";

test("text keeps its column, color and weight", () => {
  const svg = drawScreen(`  a  ${ESC}[1m${ESC}[31mred & bold${ESC}[39m${ESC}[22m\n`, OPTIONS);
  expect(svg).toMatch(/<text x="36.8" y="33" fill="#1f2328" [^>]*>a<\/text>/);
  expect(svg).toMatch(/<text x="62" y="33" class="b" fill="#c21c2c" [^>]*>red &amp; bold<\/text>/);
  expect(svg).toContain("<title>A &amp; B</title>");
});

test("a style holds on the next line until it is changed", () => {
  const svg = drawScreen(`${ESC}[34ma\nb${ESC}[0m c\n`, OPTIONS);
  expect(svg).toMatch(/fill="#0969da" [^>]*>b</);
  expect(svg).toMatch(/fill="#1f2328" [^>]*> ?c</);
});

test("bars and sparklines are rectangles whose sizes are eighths", () => {
  const sizes = (screen: string): number[][] =>
    [...drawScreen(screen, OPTIONS).matchAll(/<rect [^>]*width="([\d.]+)" height="([\d.]+)" fill="#1f/g)].map(
      ([, width, height]) => [Number(width), Number(height)],
    );
  const [full, ...lower] = sizes("█▇▄▁");
  expect(lower.map(([width, height]) => [width, height! / full![1]!])).toEqual([
    [full![0], 7 / 8],
    [full![0], 4 / 8],
    [full![0], 1 / 8],
  ]);
  expect(sizes("▉▌▏").map(([width]) => width! / full![0]!)).toEqual(
    [7, 4, 1].map((part) => expect.closeTo(part / 8, 2)),
  );
});

test("both themes draw the same screen, which can be read back", () => {
  const screen = `$ a < b & c\n${ESC}[2m x${ESC}[0m █▂\n`;
  for (const theme of ["light", "dark"] as const) {
    expect(readScreen(drawScreen(screen, { ...OPTIONS, theme }))).toBe(screen);
  }
  expect(readScreen("")).toBe("");
});

test("styles and text can be compared on their own", () => {
  const screen = `a${ESC}[1mb${ESC}[22m\n${ESC}[31mc`;
  expect(withoutStyles(screen)).toBe("ab\nc");
  expect(stylesOf(screen)).toBe(`${ESC}[1m${ESC}[22m\n${ESC}[31m`);
});

test("a style without a color in the themes is an error", () => {
  expect(() => drawScreen(`${ESC}[95ma`, OPTIONS)).toThrow("95");
});
