/**
 * The functions of siteatlas/escape on texts of 2 MB, and of 10 MB with FUZZ_FACTOR=5: none throws, and each takes linear time. A quadratic loop would
 * take hours, and an expression that repeats a group overflows the stack of V8.
 */
import { describe, expect, test } from "vitest";
import * as escaping from "../../src/escape/index.ts";
import { NEVER_SHOWN } from "../escape/hostile-text.ts";

const SIZE = 2_000_000 * Math.min(5, Math.max(1, Number(process.env["FUZZ_FACTOR"] ?? "1")));
const MAX_MS = 15_000;

const SHAPES: readonly string[] = [
  "a",
  " ",
  "\t",
  "'",
  '"',
  "<",
  "\0",
  "\ud800",
  "\udc00\ud800",
  "\u{e0041}",
  "ü",
  "//",
  "https:",
  "https://a@",
  "?a",
  "%26a",
  "%2f%2fa",
  "&token=",
  "x-a-",
  "cookie ",
  "bearer ",
  "\\ud800",
];

/** A start that lets each expression begin. */
const STARTS = ["", "https://", "//user:", "?token", "%2f%2f", "cookie: ", "bearer "];

const FUNCTIONS: Readonly<Record<string, (text: string) => string>> = {
  csvCell: (text) => escaping.csvCell(text),
  "csvCell raw": (text) => escaping.csvCell(text, { raw: true }),
  htmlText: escaping.htmlText,
  htmlAttribute: escaping.htmlAttribute,
  htmlHref: escaping.htmlHref,
  jsonLine: escaping.jsonLine,
  jsonForScript: escaping.jsonForScript,
  logLine: (text) => escaping.logLine(text),
  logUrl: (text) => escaping.logUrl(text),
  redactText: escaping.redactText,
  redactUrl: escaping.redactUrl,
  safeFileName: (text) => escaping.safeFileName(text),
  terminalText: escaping.terminalText,
};

describe.each(Object.entries(FUNCTIONS))("%s", (name, call) => {
  test.each(SHAPES)("many of %j", (unit) => {
    const start = STARTS[SHAPES.indexOf(unit) % STARTS.length]!;
    const from = performance.now();
    const result = call(start + unit.repeat(SIZE / unit.length));
    expect(performance.now() - from).toBeLessThan(MAX_MS);
    if (["logLine", "logUrl", "safeFileName"].includes(name)) expect(result).not.toMatch(NEVER_SHOWN);
  });

  test.each(STARTS)("letters after %j", (start) => {
    const from = performance.now();
    call(start + "a".repeat(SIZE));
    expect(performance.now() - from).toBeLessThan(MAX_MS);
  });
});

test("redactHeaders: a value of 10 MB", () => {
  const headers = escaping.redactHeaders({ "x-note": `https://user:${"s".repeat(SIZE)}@a.example/` });
  expect(headers).toEqual({ "x-note": "https://***@a.example/" });
});

test("a host of 60,000 letters is a URL, a longer one is a text", () => {
  expect(escaping.htmlHref(`https://${"ü".repeat(1_000_000)}/`)).toBe("");
  const letters = Array.from({ length: 1_000_000 }, (_, n) => String.fromCharCode(0x4e00 + (n % 20_000)));
  const from = performance.now();
  escaping.redactUrl(`https://user:pw@${letters.join("")}/`);
  expect(performance.now() - from).toBeLessThan(MAX_MS);
});
