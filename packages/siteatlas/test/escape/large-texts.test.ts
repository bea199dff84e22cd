/** The functions of siteatlas/escape accept every text, however long: any pieces, repeated. */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as escaping from "../../src/escape/index.ts";
import { runs, seed } from "../support/runs.ts";
import { hostileText, NEVER_SHOWN } from "./hostile-text.ts";

const SIZE = 100_000;

test("none throws, and what is printed has no active character", () => {
  fc.assert(
    fc.property(hostileText, hostileText, (start, unit) => {
      const text = start + unit.repeat(unit === "" ? 0 : Math.ceil(SIZE / unit.length));
      for (const shown of [
        escaping.terminalText(text),
        escaping.logLine(text),
        escaping.logUrl(text),
        escaping.jsonLine(text),
        escaping.jsonForScript(text),
        escaping.safeFileName(text),
      ]) {
        expect(NEVER_SHOWN.test(shown)).toBe(false);
      }
      for (const write of [escaping.csvCell, escaping.htmlText, escaping.htmlAttribute, escaping.htmlHref]) {
        expect(write(text)).toBeTypeOf("string");
      }
      expect(JSON.parse(escaping.jsonLine(text))).toBe(text.replace(/\p{Cs}/gu, "\ufffd"));
      expect(escaping.csvCell(text).replace(/^"|"$/g, "")).not.toMatch(/^[=+@\t\r\n-]/);
      expect(escaping.redactUrl(text)).toBeTypeOf("string");
      expect(escaping.redactText(escaping.redactText(text))).toBe(escaping.redactText(text));
    }),
    { seed, numRuns: runs(12) },
  );
});
