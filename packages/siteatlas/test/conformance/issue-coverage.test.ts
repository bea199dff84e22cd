/**
 * Every issue code has a fixture that causes it, or a test of fetch/, walk/ or tree/ that names it, if only a
 * server can cause it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { IssueCode } from "../../src/model/issue-severity.ts";
import { issueTable } from "../../src/model/issue-table.ts";
import { loadDates, loadFixtures } from "../support/fixtures.ts";

/** Codes that no document can cause, and where they are tested. */
const ELSEWHERE: Partial<Record<IssueCode, string>> = {
  "not-fetched": "the code of a child node, never an issue; check-case.ts asserts it for every child",
};

test("every issue code has a fixture", () => {
  const named = new Set(
    [...loadFixtures().map((fixture) => fixture.expected), ...loadDates()].flatMap(codesOf),
  );
  const onServers = testSources("../fetch/", "../walk/", "../tree/");
  const bare = Object.keys(issueTable).filter(
    (code) => !named.has(code) && !(code in ELSEWHERE) && !onServers.includes(`"${code}"`),
  );
  expect(bare).toEqual([]);
});

function testSources(...folders: readonly string[]): string {
  return folders
    .map((folder) => new URL(folder, import.meta.url))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(new URL(name, folder), "utf8")),
    )
    .join("");
}

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
