/** Failures in a word or two. */
import { expect, it } from "vitest";
import { failureWord } from "../../../src/cli/messages/failure-texts.ts";
import { LIMIT_NAMES, limitOf } from "../../../src/model/limits.ts";

it.each([
  ["robots.unreachable", "robots.txt unreachable"],
  ["limit.held", "memory limit"],
  ["limit.barren", "empty sitemaps limit"],
  ["limit.bytes", "size limit"],
  ["limit.foreign-hosts", "foreign hosts limit"],
] as const)("%s is %s", (code, word) => {
  expect(failureWord({ code })).toBe(word);
});

it("no limit has a word that only the code knows", () => {
  const codes = new Set(
    LIMIT_NAMES.map((name) => limitOf(name).code).filter((code) => code?.startsWith("limit.")),
  );
  const words = [...codes].map((code) => failureWord({ code: code! }));
  expect(words.length).toBeGreaterThan(9);
  for (const word of words) expect(word).not.toMatch(/held|barren|urls|children|places/);
});
