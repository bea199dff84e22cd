/** The fixtures of 50,001 entries, each parsed about two hundred times. See conformance.test.ts. */
import { expect, test } from "vitest";
import { loadFixtures } from "../support/fixtures.ts";
import { bundleChecks } from "./bundle-checks.ts";

const { api, checkCase } = await bundleChecks("node");

for (const fixture of loadFixtures("size")) {
  test(`${fixture.expected.id} ${fixture.expected.title}`, async () => {
    const problems = await checkCase(fixture, api);
    expect(problems, problems.join("\n")).toEqual([]);
  });
}
