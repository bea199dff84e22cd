/** Every issue code has a fixture that makes the parser report it. */
import { expect, test } from "vitest";
import { type IssueCode, issueTable } from "../../src/issues.ts";
import { loadDates, loadFixtures } from "../support/fixtures.ts";

/** Codes that no document alone can bring about, and where they are asserted instead. */
const ELSEWHERE: Partial<Record<IssueCode, string>> = {
  "not-fetched": "the code of a child node, never an issue; check-case.ts asserts it for every child",
};

test("every issue code has a fixture", () => {
  const named = new Set(
    [...loadFixtures().map((fixture) => fixture.expected), ...loadDates()].flatMap(codesOf),
  );
  const bare = Object.keys(issueTable).filter((code) => !named.has(code) && !(code in ELSEWHERE));
  expect(bare).toEqual([]);
});

test("no fixture names a code that is not in the table", () => {
  const fixtures = loadFixtures().map((fixture) => fixture.expected);
  const named = fixtures.flatMap((expected) => codesOf(expected).map((code) => `${expected.id} ${code}`));
  expect(named.filter((name) => !((name.split(" ")[1] ?? "") in issueTable))).toEqual([]);
});

test("the exceptions are needed", () => {
  const named = new Set(loadFixtures().flatMap((fixture) => codesOf(fixture.expected)));
  expect(Object.keys(ELSEWHERE).filter((code) => named.has(code) || !(code in issueTable))).toEqual([]);
});

function codesOf({ codes = [] }: { readonly codes?: readonly string[] }): readonly string[] {
  return codes;
}
