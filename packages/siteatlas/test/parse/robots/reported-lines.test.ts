import { expect, test } from "vitest";
import { parseRobotsTxt } from "../../../src/parse/robots/robots.ts";

test("sec-T01: lines without a colon are reported in the first 60,000 bytes", () => {
  expect(parseRobotsTxt("x\n".repeat(100_000)).issueCount).toBe(30_000);
});
