/**
 * Every fixture, complete, byte by byte and split at every position. The group "size" has its own file,
 * conformance-size.test.ts, so that both run in parallel.
 */
import { expect, test } from "vitest";
import { allGroups, loadFixtures } from "../support/fixtures.ts";
import { bundleChecks } from "./bundle-checks.ts";

const { api, checkCase } = await bundleChecks("node");

/** Cases per group, to notice a missing fixture. */
const CASES = {
  compression: 15,
  encoding: 16,
  extension: 21,
  extra: 28,
  feed: 35,
  field: 25,
  index: 16,
  namespace: 15,
  robots: 53,
  size: 2,
  text: 15,
  url: 49,
  xml: 48,
} as const;

test("no fixture is missing", () => {
  const counts = allGroups().map((group) => [group, loadFixtures(group).length]);
  expect(Object.fromEntries(counts)).toEqual(CASES);
});

test("ids are unique", () => {
  const ids = loadFixtures().map((fixture) => fixture.expected.id);
  expect(new Set(ids).size).toBe(ids.length);
});

for (const fixture of loadFixtures()) {
  if (fixture.group === "size") continue;
  test(`${fixture.expected.id} ${fixture.expected.title}`, async () => {
    const problems = await checkCase(fixture, api);
    expect(problems, problems.join("\n")).toEqual([]);
  });
}
