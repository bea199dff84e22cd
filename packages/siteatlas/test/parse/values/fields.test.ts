/** Groups P (priority, change frequency) and M (extensions). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChangeFrequency } from "../../../src/model/change-frequencies.ts";
import { usualFrequency, usualPriority } from "../../../src/parse/fast/common-fields.ts";
import {
  type FieldReading,
  normalizeLanguage,
  parseChangeFrequency,
  parseCount,
  parseDecimal,
  parseDuration,
  parsePriority,
  parseYesNo,
  splitList,
  splitWords,
  stripMarkup,
  unescapeOnce,
} from "../../../src/parse/values/fields.ts";
import { runs, seed } from "../../support/runs.ts";

type Row<T> = readonly [id: string, text: string, expected: T];

function table<T>(name: string, read: (text: string) => T, rows: readonly Row<T>[]): void {
  describe(name, () => {
    for (const [id, text, expected] of rows) {
      test(`${id} ${JSON.stringify(text)}`, () => expect(read(text)).toEqual(expected));
    }
  });
}

const format = "priority.format";
const range = "priority.range";

table("priority", parsePriority, [
  ["P01", "0.8", { value: 0.8 }],
  ["P02", "1", { value: 1 }],
  ["P03", "1.0 ", { value: 1 }],
  ["P04", "0,8", { value: 0.8, code: format }],
  ["P05", "80%", { value: 0.8, code: format }],
  ["P06", "10", { code: range }],
  ["P07", "-1", { code: range }],
  ["P08", "NaN", { code: format }],
  ["P09", "", {}],
  ["P09", " \n", {}],
  ["P10", "high", { code: format }],
  ["P11", ".5", { value: 0.5 }],
  ["P12", "1e-1", { value: 0.1, code: format }],
  ["P13", "0.80000001", { value: 0.80000001 }],
  ["P14", "１", { code: format }],
  ["P15", "+0.5", { value: 0.5 }],
  ["P16", "Infinity", { code: range }],
  ["", "1.0", { value: 1 }],
  ["", "0.0", { value: 0 }],
  ["", "-0", { value: 0 }],
  ["", "1.1", { code: range }],
  ["", "2.0", { code: range }],
  ["", "0.x", { code: format }],
  ["", "0:5", { code: format }],
  ["", "150%", { code: range }],
  ["", "1e999", { code: range }],
  ["", "-Infinity", { code: range }],
  ["", ".", { code: format }],
  ["", "0x1", { code: format }],
  ["", `0.${"1".repeat(1000)}`, { code: format }],
]);

const unknown = { code: "changefreq.unknown" } as const;

table<FieldReading<ChangeFrequency>>("change frequency", parseChangeFrequency, [
  ["P17", "daily", { value: "daily" }],
  ["P18", "Daily", { value: "daily" }],
  ["P19", " WEEKLY ", { value: "weekly" }],
  ["P20", "mensuel", unknown],
  ["P21", "always", { value: "always" }],
  ["P22", "bi-weekly", unknown],
  ["P23", "0.5", unknown],
  ["P24", "", {}],
  ["P24", "  ", {}],
  ["P25", "never;", unknown],
  ["", "hourly", { value: "hourly" }],
  ["", "monthly", { value: "monthly" }],
  ["", "yearly", { value: "yearly" }],
  ["", "never", { value: "never" }],
  ["", "dail", unknown],
  ["", "constructor", unknown],
]);

describe("the shortcut for common priorities and frequencies", () => {
  const encoder = new TextEncoder();
  const inBytes = (text: string): [Uint8Array, number, number] => {
    const bytes = encoder.encode(`>${text}<`);
    return [bytes, 1, bytes.length - 1];
  };

  test.each(["0.0", "0.5", "0.9", "1.0"])("accepts %s", (text) => {
    expect(usualPriority(...inBytes(text))).toBe(parsePriority(text).value);
  });

  test.each(["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"])("accepts %s", (text) => {
    expect(usualFrequency(...inBytes(text))).toBe(text);
  });

  test("agrees with the ordinary parser", () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."0123456789.,-+ e/:"), maxLength: 4 }),
      fc.string({ unit: fc.constantFrom(..."dailyDAILYnever "), maxLength: 7 }),
    );
    fc.assert(
      fc.property(text, (written) => {
        const priority = usualPriority(...inBytes(written));
        if (priority !== undefined) expect(parsePriority(written)).toEqual({ value: priority });
        const frequency = usualFrequency(...inBytes(written));
        if (frequency !== undefined) expect(parseChangeFrequency(written)).toEqual({ value: frequency });
      }),
      { numRuns: runs(2000), seed },
    );
  });
});

const number = "video.number-format";

table("decimal", parseDecimal, [
  ["M12 rating", "4,2", { value: 4.2, code: number }],
  ["M12 price", "1,99", { value: 1.99, code: number }],
  ["", "4.2", { value: 4.2 }],
  ["", " 5 ", { value: 5 }],
  ["", "+.5", { value: 0.5 }],
  ["", "", {}],
  ["", "-1", { code: number }],
  ["", "0,125", { value: 0.125, code: number }],
  ["two readings", "12,345", { code: number }],
  ["", "1,234,567", { value: 1_234_567, code: number }],
  ["", "1,234.50", { value: 1234.5, code: number }],
  ["", "1.234,50", { value: 1234.5, code: number }],
  ["", "1 234,50", { value: 1234.5, code: number }],
  ["", "1’234.50", { value: 1234.5, code: number }],
  ["", "1.234.567", { value: 1_234_567, code: number }],
  ["", "1,234,56", { code: number }],
  ["", "1 234,567 890", { code: number }],
  ["", "free", { code: number }],
  ["", "1e3", { code: number }],
  ["", "9".repeat(1000), { code: number }],
]);

table("count", parseCount, [
  ["M12 views", "12 345", { value: 12_345, code: number }],
  ["", "12345", { value: 12_345 }],
  ["", "12,345", { value: 12_345, code: number }],
  ["", "12.345", { value: 12_345, code: number }],
  ["", "1\u202f234\u202f567", { value: 1_234_567, code: number }],
  ["", "12,345.00", { value: 12_345, code: number }],
  ["", "12345.0", { value: 12_345, code: number }],
  ["", "12,5", { code: number }],
  ["", "1,234.5", { code: number }],
  ["", "-5", { code: number }],
  ["", "12k", { code: number }],
  ["", "", {}],
]);

const duration = "video.duration-format";

table("duration", parseDuration, [
  ["M12", "600", { value: 600 }],
  ["M13", "1:30", { value: 90, code: duration }],
  ["", "01:02:03", { value: 3723, code: duration }],
  ["", "90:00", { value: 5400, code: duration }],
  ["", "PT1M30S", { value: 90, code: duration }],
  ["", "pt2h", { value: 7200, code: duration }],
  ["", "P1DT1H", { value: 90_000, code: duration }],
  ["", "P1D", { value: 86_400, code: duration }],
  ["", "PT1.5S", { value: 1.5, code: duration }],
  ["", "90s", { value: 90, code: duration }],
  ["", "1h30m", { value: 5400, code: duration }],
  ["", "90.5", { value: 90.5, code: duration }],
  ["", "", {}],
  ["", "-90", { code: duration }],
  ["", "-1:30", { code: duration }],
  ["", "1:60", { code: duration }],
  ["", "1:60:00", { code: duration }],
  ["", "P1M", { code: duration }],
  ["", "PT", { code: duration }],
  ["", "P", { code: duration }],
  ["", "PT90", { code: duration }],
  ["", "long", { code: duration }],
  ["", "9".repeat(20), { code: duration }],
  ["", "9".repeat(1000), { code: duration }],
]);

table<boolean | undefined>("yes or no", parseYesNo, [
  ["M12", "Yes", true],
  ["M12", "no", false],
  ["", " TRUE ", true],
  ["", "False", false],
  ["", "1", true],
  ["", "0", false],
  ["", "", undefined],
  ["", "yesterday", undefined],
  ["", "none", undefined],
]);

table("list", splitList, [
  ["M01 keywords", "a, b,,c", ["a", "b", "c"]],
  ["M01 genres", "Blog, OpEd", ["Blog", "OpEd"]],
  ["", "one two", ["one two"]],
  ["", " , ", []],
  ["", "", []],
]);

table("words", splitWords, [
  ["M12 restriction", "IE GB", ["IE", "GB"]],
  ["", " IE,\n GB ", ["IE", "GB"]],
  ["", "", []],
]);

table("language", normalizeLanguage, [
  ["M14", "de", { language: "de", changed: false }],
  ["M14", "x-default", { language: "x-default", changed: false }],
  ["M15", "en_US", { language: "en-US", changed: true, code: "hreflang.format" }],
  ["", "en-US", { language: "en-US", changed: false }],
  ["", "EN-us", { language: "en-US", changed: true }],
  ["", "zh-hans-cn", { language: "zh-Hans-CN", changed: true }],
  ["", "zh-Hant", { language: "zh-Hant", changed: false }],
  ["", "es-419", { language: "es-419", changed: false }],
  ["", "X_Default", { language: "x-default", changed: true, code: "hreflang.format" }],
  ["", "en-GB-x-AB-Test", { language: "en-GB-x-ab-test", changed: true }],
  ["", " fr ", { language: "fr", changed: true }],
  ["", "", { language: "", changed: false }],
]);

table("text escaped twice", unescapeOnce, [
  ["M06", "A &amp; B &lt;3", "A & B <3"],
  ["only once", "&amp;amp;", "&amp;"],
  ["", "&#39;&#x27;&apos;", "'''"],
  ["", "AT&T & co", "AT&T & co"],
  ["", "?a=1&copy=2", "?a=1&copy=2"],
]);

table("markup", stripMarkup, [
  ["M05", "A &amp; B <b>x</b>", "A & B x"],
  ["M06", "A & B <3", "A & B <3"],
  ["", "one<br/>two<p>three</p>", "one two three"],
  ["", "H<sub>2</sub>O", "H2O"],
  ["", "<picture>a</picture>", "a"],
  ["", 'a <a href="/x">b</a> <!-- c -->d', "a b d"],
  ["", "if a<b then", "if a<b then"],
  ["", "&lt;b&gt;", "<b>"],
  ["", "two  spaces", "two  spaces"],
  ["", "", ""],
]);

describe("properties", () => {
  const readers = { parsePriority, parseDecimal, parseCount, parseDuration };

  test("numbers are finite and not negative, for any text", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(..."0123456789.,:+-eE%PTHMS '") }),
      fc.double().map(String),
    );
    for (const read of Object.values(readers)) {
      fc.assert(
        fc.property(texts, (text) => {
          const { value = 0 } = read(text);
          expect(Number.isFinite(value) && value >= 0 && !Object.is(value, -0)).toBe(true);
        }),
      );
    }
  });

  test("no text makes the others throw", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        parseChangeFrequency(text);
        parseYesNo(text);
        expect(splitList(text).every((item) => item !== "" && item === item.trim())).toBe(true);
        expect(splitWords(text).every((item) => !/[\s,]/.test(item))).toBe(true);
        const { language, changed } = normalizeLanguage(text);
        expect(changed).toBe(language !== text);
        stripMarkup(text);
        unescapeOnce(text);
      }),
    );
  });

  test("the spelling of a language is idempotent", () => {
    const tags = fc.string({ unit: fc.constantFrom(..."abXY12-_") });
    fc.assert(
      fc.property(tags, (tag) => {
        const { language } = normalizeLanguage(tag);
        expect(normalizeLanguage(language)).toEqual({ language, changed: false });
      }),
    );
  });
});
