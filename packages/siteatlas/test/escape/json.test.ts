/**
 * sec-O05, sec-O01, sec-O08: one record per line, valid JSON for every reader. sec-O03: also inside a script.
 */
import fc from "fast-check";
import { parseDocument } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { jsonForScript, jsonLine } from "../../src/escape/json.ts";
import { hostileText, NEVER_SHOWN, settings, wellFormed } from "./hostile-text.ts";

const hostileValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    hostileText,
    fc.double(),
    fc.constantFrom(
      null,
      true,
      undefined,
      -0,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(hostileText, tie("value"), { maxKeys: 4 }),
  ),
})).value;

describe("jsonLine", () => {
  test.each([
    [Number.NaN, "null"],
    [Number.NEGATIVE_INFINITY, "null"],
    [-0, "0"],
    [undefined, "null"],
    [() => 1, "null"],
    [{ a: undefined, b: Number.NaN }, '{"b":null}'],
    [new Date(Number.NaN), "null"],
    ["\ud800", '"\ufffd"'],
    [{ "\udc00": "a\ud800b" }, '{"\ufffd":"a\ufffdb"}'],
    ["\\ud800", '"\\\\ud800"'],
    ["\\\ud800", '"\\\\\ufffd"'],
    ["😀", '"😀"'],
  ])("sec-O08: %j", (value, expected) => {
    expect(jsonLine(value)).toBe(expected);
  });

  test.each([
    ["a\u2028b\u2029c\u0085d\ne\r", '"a\\u2028b\\u2029c\\u0085d\\ne\\r"'],
    ["\u001b[2J\u009b\u007f\u202e\u200b", '"\\u001b[2J\\u009b\\u007f\\u202e\\u200b"'],
    ["\u{e0041}", '"\\udb40\\udc41"'],
  ])("sec-O01, sec-O05: %j", (value, expected) => {
    expect(jsonLine(value)).toBe(expected);
  });

  test("is one line that reads back as the same value", () => {
    fc.assert(
      fc.property(hostileValue, (value) => {
        const line = jsonLine(value);
        expect(line).not.toMatch(NEVER_SHOWN);
        expect(JSON.parse(line)).toEqual(JSON.parse(wellFormedJson(value)));
        expect(jsonLine(JSON.parse(line))).toBe(line);
      }),
      settings,
    );
  });

  test("rejects values without a JSON form", () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => jsonLine(circle)).toThrow(TypeError);
    expect(() => jsonLine(1n)).toThrow(TypeError);
  });
});

describe("jsonForScript", () => {
  test("sec-O03: no text ends the script", () => {
    expect(jsonForScript("</script><!--&")).toBe('"\\u003c/script\\u003e\\u003c!--\\u0026"');
    fc.assert(
      fc.property(hostileValue, (value) => {
        const json = jsonForScript(value);
        expect(json).not.toMatch(/[<>&]/);
        expect(JSON.parse(json)).toEqual(JSON.parse(jsonLine(value)));
        const { children } = parseDocument(`<script type="application/json">${json}</script>`);
        expect(children.map(({ type }) => type)).toEqual(["script"]);
      }),
      settings,
    );
  });
});

/** `JSON.stringify` after replacing the lone surrogates in texts and names. */
function wellFormedJson(value: unknown): string {
  return JSON.stringify(replaceTexts(value)) ?? "null";
}

function replaceTexts(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(replaceTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [wellFormed(key), replaceTexts(item)]),
  );
}
