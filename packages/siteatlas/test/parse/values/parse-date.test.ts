/** Group D: fixtures/dates.json holds the cases, one per line. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayNumber } from "../../../src/model/calendar.ts";
import { dateValue } from "../../../src/model/date-value.ts";
import type { IssueCode } from "../../../src/model/issue-severity.ts";
import { canonicalPrecision, parseCanonical, parseCanonicalBytes } from "../../../src/parse/fast/iso-date.ts";
import { MAX_DATE_LENGTH, readDateForm } from "../../../src/parse/values/date-formats.ts";
import { type ParseDateOptions, parseDate, readDate } from "../../../src/parse/values/parse-date.ts";

interface DateCase {
  readonly id: string;
  readonly text: string;
  readonly context?: "feed";
  readonly instant: string | null;
  readonly precision?: string;
  readonly zoneAssumed?: true;
  readonly codes?: readonly IssueCode[];
}

const root = (path: string) => fileURLToPath(new URL(`../../../../../${path}`, import.meta.url));
const cases: readonly DateCase[] = JSON.parse(readFileSync(root("fixtures/dates.json"), "utf8"));
const encoder = new TextEncoder();

/** Result and codes as text: `2024-01-02T00:00:00.000Z day zone-assumed date.format`. */
function summary(text: string, options?: ParseDateOptions): string {
  const { value, precision, zoneAssumed, codes } = parseDate(text, options);
  const parts = [value?.toISOString() ?? "none", precision, zoneAssumed && "zone-assumed", ...codes];
  return parts.filter(Boolean).join(" ");
}

function expectedSummary({ instant, precision = "time", zoneAssumed, codes = [] }: DateCase): string {
  const day = instant === null ? ["none"] : [instant.replace(/(:\d\d)Z/, "$1.000Z"), precision];
  return [...day, zoneAssumed && "zone-assumed", ...codes].filter(Boolean).join(" ");
}

describe("dates.json", () => {
  test("holds the 74 cases", () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(74);
  });

  for (const dateCase of cases) {
    const { id, text, context } = dateCase;
    test(`${id} ${text}`, () => {
      expect(summary(text, context && { context })).toBe(expectedSummary(dateCase));
      expect(parseDate(text).text).toBe(text.trim());
    });

    test(`${id} gives the same with readDate`, () => {
      const reported: unknown[] = [];
      const date = readDate(text, context ?? "sitemap", (...issue) => reported.push(issue), 7);
      const { codes, ...plain } = parseDate(text, context && { context });
      expect(JSON.parse(JSON.stringify(date))).toEqual(JSON.parse(JSON.stringify(plain)));
      expect(reported).toEqual(codes.map((code) => [code, text.trim(), 7]));
    });
  }

  test("does not depend on the time zone of the machine", async () => {
    const bundle = await build({
      stdin: {
        contents: `
          import { parseDate } from "./packages/siteatlas/src/parse/values/parse-date.ts";
          const [texts] = process.argv.slice(2).map((text) => JSON.parse(text));
          console.log(JSON.stringify({
            offset: new Date(2024, 0, 2).getTimezoneOffset(),
            dates: texts.map(([text, context]) => parseDate(text, { context })),
          }));`,
        resolveDir: root("."),
      },
      bundle: true,
      write: false,
      platform: "node",
      format: "cjs",
      // In the package these resolve to the build, here to the sources.
      alias: {
        "#platform": root("packages/siteatlas/src/decode/platform-node.ts"),
        "#shortcuts": root("packages/siteatlas/src/parse/fast/shortcuts-node.ts"),
      },
    });
    const texts = cases.map(({ text, context = "sitemap" }) => [text, context]);
    const here = texts.map(([text, context]) => parseDate(text!, { context: context as "feed" }));
    for (const [zone, offset] of [
      ["America/New_York", 300],
      ["Asia/Kolkata", -330],
    ] as const) {
      const output = execFileSync(process.execPath, ["-", JSON.stringify(texts)], {
        input: bundle.outputFiles[0]!.text,
        env: { ...process.env, TZ: zone },
        encoding: "utf8",
      });
      expect(JSON.parse(output)).toEqual({ offset, dates: JSON.parse(JSON.stringify(here)) });
    }
  });
});

describe("beyond the cases", () => {
  const table: readonly (readonly [text: string, expected: string, context?: "feed"])[] = [
    // RFC 822 is not valid in lastmod (D34)
    ["Tue, 02 Jan 2024 03:04:05 GMT", "2024-01-02T03:04:05.000Z time date.format"],
    ["Tue, 02 Jan 2024 03:04:05", "2024-01-02T03:04:05.000Z time zone-assumed date.no-timezone", "feed"],
    ["2 Jan 2024", "2024-01-02T00:00:00.000Z day date.format", "feed"],
    ["2 Jan 70 00:00 GMT", "1970-01-02T00:00:00.000Z time", "feed"],
    ["Tuesday, 02-Jan-24 03:04:05 GMT", "2024-01-02T03:04:05.000Z time date.format"],
    ["Tue Jan  2 03:04:05 2024", "2024-01-02T03:04:05.000Z time zone-assumed date.format date.no-timezone"],
    [
      "Tue Jan 02 2024 03:04:05 GMT+0100 (Central European Standard Time)",
      "2024-01-02T02:04:05.000Z time date.format",
    ],
    ["Sept. 3rd, 2024", "2024-09-03T00:00:00.000Z day date.format"],
    ["Foo 2 Jan 2024", "none date.invalid"],
    // W3C levels and calendar
    ["2024-02-29", "2024-02-29T00:00:00.000Z day"],
    ["2023-02-29", "none date.invalid"],
    ["1900-02-29", "none date.invalid"],
    ["2000-02-29", "2000-02-29T00:00:00.000Z day"],
    ["2024-04-31", "none date.invalid"],
    ["2024-00-01", "none date.invalid"],
    ["2024-01-00", "none date.invalid"],
    ["2024-13", "none date.invalid"],
    ["0099-12-31", "0099-12-31T00:00:00.000Z day"],
    ["1969-07-20T20:17:40Z", "1969-07-20T20:17:40.000Z time"],
    // A zone on a bare day, as XML Schema writes it
    ["2024-01-02Z", "2024-01-02T00:00:00.000Z day date.format"],
    ["2024-01-02-05:00", "2024-01-02T00:00:00.000Z day date.format"],
    // Impossible times keep the day (D50, D53, D59)
    ["2024-01-02T24:00:01Z", "2024-01-02T00:00:00.000Z day date.invalid-time"],
    ["2024-01-02T03:60:00Z", "2024-01-02T00:00:00.000Z day date.invalid-time"],
    ["2024-01-02T03:04:60Z", "2024-01-02T00:00:00.000Z day date.invalid-time"],
    ["2024-01-02T03:04:05+01:60", "2024-01-02T00:00:00.000Z day date.invalid-time"],
    ["2024-01-02T03:04:05+01:00Z", "2024-01-02T00:00:00.000Z day date.invalid-time"],
    ["2024-01-02 03:04 XYZ", "2024-01-02T00:00:00.000Z day date.invalid-time"],
    ["2024-01-02 03:04 constructor", "2024-01-02T00:00:00.000Z day date.invalid-time"],
    ["2024-01-02T", "2024-01-02T00:00:00.000Z day date.invalid-time"],
    ["2024-01-02-03", "none date.invalid"],
    ["20240102abc", "none date.invalid"],
    ["2024-01-023", "none date.invalid"],
    // RFC 3339 section 5.7: the leap second of 2016 seen from Tokyo
    ["2017-01-01T08:59:60+09:00", "2017-01-01T00:00:00.000Z time"],
    ["2024-01-02 12:30 am", "2024-01-02T00:30:00.000Z time zone-assumed date.format date.no-timezone"],
    ["2024-01-02 1:30 p.m.", "2024-01-02T13:30:00.000Z time zone-assumed date.format date.no-timezone"],
    ["2024-01-02 15:30 PM Z", "2024-01-02T15:30:00.000Z time date.format"],
    ["2024-01-02 13:30 AM", "2024-01-02T00:00:00.000Z day date.invalid-time"],
    // Orders (D27–D31)
    ["05/05/2024", "2024-05-05T00:00:00.000Z day date.format"],
    ["02-13-2024", "2024-02-13T00:00:00.000Z day date.format"],
    ["02.13.2024", "none date.invalid"],
    ["32/13/2024", "none date.invalid"],
    ["0/5/2024", "none date.invalid"],
    ["13/02/2024 10:00 Z", "2024-02-13T10:00:00.000Z time date.format"],
    ["240102", "none date.ambiguous"],
    // ISO 8601 weeks and ordinals (D40, D41)
    ["2020-W53-7", "2021-01-03T00:00:00.000Z day date.format"],
    ["2021-W53-1", "none date.invalid"],
    ["2021-W01-1", "2021-01-04T00:00:00.000Z day date.format"],
    ["2025-W01-1", "2024-12-30T00:00:00.000Z day date.format"],
    ["2024-W01-8", "none date.invalid"],
    ["2024-366", "2024-12-31T00:00:00.000Z day date.format"],
    ["2023-366", "none date.invalid"],
    ["2024-000", "none date.invalid"],
    // Digits only (D25, D38, D39)
    ["20240102030405", "2024-01-02T03:04:05.000Z time zone-assumed date.format date.no-timezone"],
    ["17041646450", "none date.invalid"],
    // Placeholders (D42–D46)
    ["0000-00-00 00:00:00", "none date.placeholder"],
    ["00/00/0000", "none date.placeholder"],
    ["0", "none date.placeholder"],
    ["1970-01-01", "1970-01-01T00:00:00.000Z day date.placeholder"],
    ["1969-12-31T19:00:00-05:00", "1970-01-01T00:00:00.000Z time date.placeholder"],
    ["1970", "1970-01-01T00:00:00.000Z year"],
    ["", "none date.invalid"],
    ["9999999999999-99", "none date.invalid"],
  ];

  for (const [text, expected, context] of table) {
    test(JSON.stringify(text), () => {
      expect(summary(text, context && { context })).toBe(expected);
    });
  }

  test("D47 future means more than a day from now", () => {
    const now = new Date("2024-01-02T00:00:00Z");
    expect(parseDate("2024-01-03T00:00:00Z", { now }).codes).toEqual([]);
    expect(parseDate("2024-01-03T00:00:01Z", { now }).codes).toEqual(["date.future"]);
    const tomorrow = new Date(Date.now() + 23 * 3_600_000).toISOString();
    const later = new Date(Date.now() + 25 * 3_600_000).toISOString();
    expect(parseDate(tomorrow).codes).toEqual([]);
    expect(parseDate(later).codes).toEqual(["date.future"]);
    expect([parseCanonical(tomorrow), parseCanonical(later)]).toEqual([new Date(tomorrow).getTime(), NaN]);
  });

  test("an expiry may be in the future", () => {
    const codes: string[] = [];
    const date = readDate("2099-01-01", "sitemap", (code) => codes.push(code), undefined, true);
    expect([date.value?.toISOString(), codes]).toEqual(["2099-01-01T00:00:00.000Z", []]);
  });

  test("long text is rejected unread", () => {
    expect(summary(`2024-01-02 ${" ".repeat(200)}Z`)).toBe("none date.invalid");
    expect(summary("9".repeat(1_000_000))).toBe("none date.invalid");
    const longest = `2024-01-02T03:04:05.${"1".repeat(MAX_DATE_LENGTH - 21)}Z`;
    expect(summary(longest)).toBe("2024-01-02T03:04:05.111Z time");
    expect(summary(`1${longest}`)).toBe("none date.invalid");
  });
});

describe("the value", () => {
  test("is plain data: a copy, a clone and an assertion see all of it", () => {
    const date = readDate("2024-01-02", "sitemap", () => {});
    const expected = { text: "2024-01-02", value: new Date("2024-01-02T00:00:00Z"), precision: "day" };
    expect(date).toStrictEqual(expected);
    expect({ ...date }).toStrictEqual(expected);
    expect(structuredClone(date)).toStrictEqual(expected);
    expect(date).not.toEqual(dateValue("2024-01-02", 0, "day"));
  });

  test("serializes as plain data", () => {
    const date = dateValue("2024-01-02 03:04", Date.UTC(2024, 0, 2, 3, 4), "time", true);
    expect(JSON.stringify(date)).toBe(
      '{"text":"2024-01-02 03:04","value":"2024-01-02T03:04:00.000Z","precision":"time","zoneAssumed":true}',
    );
    expect(JSON.stringify(dateValue("today", NaN, "day"))).toBe('{"text":"today"}');
  });
});

/** Instants without an issue: years 2 to 2025, away from the zero timestamp. */
const instants = fc
  .date({ min: new Date("0002-01-01T00:00:00Z"), max: new Date("2025-12-31T00:00:00Z"), noInvalidDate: true })
  .filter((date) => Math.abs(date.getTime()) > 2 * 86_400_000);

const mutated = fc
  .tuple(
    fc.oneof(
      instants.map((date) => date.toISOString()),
      fc.constantFrom(...cases.map(({ text }) => text)),
    ),
    fc.array(fc.tuple(fc.nat(40), fc.nat(2), fc.constantFrom(..."0123456789-+:.TtZz ,/WJan")), {
      maxLength: 3,
    }),
  )
  .map(([text, edits]) =>
    edits.reduce((t, [at, remove, insert]) => t.slice(0, at) + insert + t.slice(at + remove), text),
  );

describe("properties", () => {
  test("no text makes it throw", () => {
    const texts = fc.oneof(fc.string({ unit: "binary", maxLength: 120 }), mutated);
    fc.assert(
      fc.property(texts, fc.constantFrom("sitemap" as const, "feed" as const), (text, context) => {
        const { value, precision, codes } = parseDate(text, { context });
        expect(value === undefined).toBe(precision === undefined);
        if (value === undefined) expect(codes).toHaveLength(1);
        else expect(value.getTime()).not.toBeNaN();
      }),
    );
  });

  test("every instant is parsed from its ISO form, in every precision and zone", () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
        const iso = date.toISOString();
        expect(summary(iso)).toBe(`${iso} time`);
        expect(summary(iso.slice(0, 10))).toBe(`${iso.slice(0, 10)}T00:00:00.000Z day`);
        const local = new Date(date.getTime() + offset * 60_000);
        if (local.getUTCFullYear() < 2) return;
        const digits = (n: number) => String(Math.floor(n)).padStart(2, "0");
        const size = Math.abs(offset);
        const zone = `${offset < 0 ? "-" : "+"}${digits(size / 60)}:${digits(size % 60)}`;
        expect(summary(local.toISOString().replace("Z", zone))).toBe(`${iso} time`);
      }),
    );
  });

  test("parses RFC 822 as written by toUTCString", () => {
    fc.assert(
      fc.property(instants, (date) => {
        date.setUTCMilliseconds(0);
        expect(summary(date.toUTCString(), { context: "feed" })).toBe(`${date.toISOString()} time`);
      }),
    );
  });

  test("the shortcut and the general parser agree", () => {
    let plain = 0;
    fc.assert(
      fc.property(mutated, (text) => {
        const epochMs = parseCanonical(text);
        const general = readDateForm(text, "sitemap");
        if (!Number.isNaN(epochMs)) {
          plain++;
          const precision = canonicalPrecision(text.length);
          expect(general).toEqual({ epochMs, precision, zoneAssumed: false, codes: [] });
        } else if (parseDate(text).codes.length === 0 && text === text.trim() && text.length <= 40) {
          // Accepted forms that the shortcut does not parse: end of day, leap second, the year 1970, +0000.
          expect(text).toMatch(/T24:00|:60|^1970(?:-01)?$|[+-]0000$/i);
        }
      }),
      { numRuns: 5000 },
    );
    expect(plain).toBeGreaterThan(500);
  });

  test("bytes are read from a larger buffer, never beyond the end", () => {
    fc.assert(
      fc.property(
        mutated,
        fc.string({ maxLength: 5 }),
        fc.string({ maxLength: 5 }),
        (text, before, after) => {
          fc.pre(text.length <= 40);
          const start = encoder.encode(before).length;
          const end = start + encoder.encode(text).length;
          expect(parseCanonicalBytes(encoder.encode(before + text + after), start, end)).toBe(
            parseCanonical(text),
          );
        },
      ),
    );
    expect(parseCanonicalBytes(encoder.encode("20"), 0, 4)).toBeNaN();
  });

  test("no truncated date is parsed as a longer one", () => {
    const whole = "2024-01-02T03:04:05.678+01:00";
    const readable = Array.from(whole, (_, length) => whole.slice(0, length)).filter(
      (text) => !Number.isNaN(parseCanonical(text)),
    );
    expect(readable).toEqual(["2024", "2024-01", "2024-01-02"]);
  });

  test("days are counted as in the engine's calendar", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 2023 }), fc.nat(13), fc.nat(32), (year, month, day) => {
        const days = dayNumber(year, month, day);
        fc.pre(days !== 0);
        const text = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
        expect(parseCanonical(text)).toBe(days * 86_400_000);
      }),
      { numRuns: 1000 },
    );
    expect([dayNumber(1, 1, 1), dayNumber(9999, 12, 31)]).toEqual([-719_162, 2_932_896]);
    expect([dayNumber(1900, 2, 29), dayNumber(2000, 2, 29), dayNumber(2024, 13, 1)]).toEqual([
      NaN,
      11_016,
      NaN,
    ]);
  });
});
