/** How much text the matcher searches for the wildcards of robots.txt rules. */
import { expect, test } from "vitest";
import { createRobotsMatcher } from "../../../src/parse/robots/robots-match.ts";

const path = `/${"a".repeat(8000)}`;

test("repeated rules are matched once", () => {
  const same = Array.from({ length: 22_000 }, (_, line) => ({ allow: false, path: "/*aaaaaaaaab", line }));
  const budget = { left: 10 * path.length };
  const matcher = createRobotsMatcher([{ userAgents: ["*"], rules: same }], "", budget);
  expect(matcher.isAllowed(path, "examplebot")).toBe(true);
  expect(budget.left).toBe(9 * path.length);
});

test("beyond the budget of all calls no URL is allowed", () => {
  const wildcards = Array.from({ length: 10 }, (_, line) => ({ allow: false, path: `/*aab${line}`, line }));
  const budget = { left: 25 * path.length };
  const matcher = createRobotsMatcher([{ userAgents: ["*"], rules: wildcards }], "", budget);
  const answers = [1, 2, 3, 4].map(() => matcher.isAllowed(path, "examplebot"));
  expect(answers).toEqual([true, true, false, false]);
});
