import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "../../../src/parse/formats/line-splitter.ts";
import { runs, seed } from "../../support/runs.ts";

interface SplitOptions {
  readonly maxLength?: number;
  readonly unicodeBreaks?: boolean;
  readonly abort?: boolean;
}

/** Lines as `number:text`, too long ones as `number!`. */
function split(chunks: Iterable<string>, options: SplitOptions = {}): string[] {
  const { maxLength = 1000, unicodeBreaks = false, abort = false } = options;
  const lines: string[] = [];
  const splitter = new LineSplitter({
    maxLength,
    unicodeBreaks,
    onLine: (line, number) => lines.push(`${number}:${line}`),
    onTooLong: (number) => lines.push(`${number}!`),
  });
  for (const chunk of chunks) splitter.push(chunk);
  if (abort) splitter.abort();
  else splitter.end();
  return lines;
}

/** Complete, character by character and split in two at every position, with empty chunks between. */
function everyWay(text: string, options?: SplitOptions): string[] {
  const whole = split([text], options);
  expect(split(text.split(""), options)).toEqual(whole);
  for (let at = 0; at <= text.length; at++) {
    expect(split([text.slice(0, at), "", text.slice(at)], options)).toEqual(whole);
  }
  return whole;
}

describe("line ends", () => {
  it.each([
    ["LF", "a\nb\n", ["1:a", "2:b"]],
    ["CRLF (T02)", "a\r\nb\r\n", ["1:a", "2:b"]],
    ["CR (T03)", "a\rb\r", ["1:a", "2:b"]],
    ["all three", "a\nb\rc\r\nd", ["1:a", "2:b", "3:c", "4:d"]],
    ["LF CR are two", "a\n\rb", ["1:a", "2:", "3:b"]],
    ["CR CR LF are two", "a\r\r\nb", ["1:a", "2:", "3:b"]],
    ["blank lines count", "\n\na", ["1:", "2:", "3:a"]],
    ["no end on the last line", "a\nb", ["1:a", "2:b"]],
    ["nothing", "", []],
    ["one end", "\n", ["1:"]],
  ])("%s", (_, text, expected) => {
    expect(everyWay(text)).toEqual(expected);
  });

  it("splits at U+0085, U+2028 and U+2029 only if enabled (R25)", () => {
    expect(everyWay("a\u0085b\u2028c\u2029d", { unicodeBreaks: true })).toEqual(["1:a", "2:b", "3:c", "4:d"]);
    expect(everyWay("a\u0085b\u2028c\u2029d")).toEqual(["1:a\u0085b\u2028c\u2029d"]);
  });

  it("drops only an unterminated last line on abort", () => {
    expect(everyWay("a\nb", { abort: true })).toEqual(["1:a"]);
    expect(everyWay("a\nb\r", { abort: true })).toEqual(["1:a", "2:b"]);
  });
});

describe("long lines", () => {
  it("skips a line over the limit and reads on", () => {
    expect(everyWay("abc\nabcd\nab\n", { maxLength: 3 })).toEqual(["1:abc", "2!", "3:ab"]);
    expect(everyWay("abcd\r\nab", { maxLength: 3 })).toEqual(["1!", "2:ab"]);
  });

  it("reports an unterminated long line once", () => {
    expect(everyWay("ab\nabcdefgh", { maxLength: 3 })).toEqual(["1:ab", "2!"]);
  });
});

it("gives the lines of String.split for any chunks", () => {
  const pieces = fc.array(fc.constantFrom("a", "bc", "\r", "\n", "\r\n", ""), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 10 }), (chunks) => {
      const texts = chunks.map((chunk) => chunk.join(""));
      const expected = texts.join("").split(/\r\n?|\n/);
      if (expected.at(-1) === "") expected.pop();
      expect(split(texts)).toEqual(expected.map((line, index) => `${index + 1}:${line}`));
    }),
    { numRuns: runs(500), seed },
  );
});
