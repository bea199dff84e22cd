import { expect, it } from "vitest";
import { drawVerdict } from "../../../src/cli/render/draw-verdict.ts";

const url = `https://www.example.com/${"a-long-folder/".repeat(4)}page`;
const why =
  "line 4: Disallow: /a-long-folder/ (User-agent: Googlebot, Bingbot, siteatlas, Yandex, DuckDuckBot)";

it.each([80, 120])("fits a terminal with %i columns, and the columns stay aligned", (width) => {
  const text = drawVerdict({ isAllowed: false, url, why }, { width, color: false });
  const [first = "", ...rest] = text.trimEnd().split("\n");
  expect(first).toBe(`disallowed  ${url}`);
  expect(rest.every((line) => line.length <= width && /^ {12}\S/.test(line))).toBe(true);
  expect(rest.map((line) => line.trim()).join(" ")).toBe(why);
  expect(drawVerdict({ isAllowed: true, url, why: "no rule matches" }, { width, color: false })).toBe(
    `allowed     ${url}\n            no rule matches\n`,
  );
});
