import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("CI does every part of npm run check, and no script that does not exist", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const inCi = new Set(
    Array.from(read(".ci/run").matchAll(/^(?:part|tests) .*npm run ([\w:]+)/gm), ([, name]) => name),
  );
  const inCheck = Array.from(scripts["check"]?.matchAll(/npm run ([\w:]+)/g) ?? [], ([, name]) => name);
  expect(inCheck.length).toBeGreaterThan(0);
  expect(inCheck.filter((name) => !inCi.has(name))).toEqual([]);
  expect([...inCi].filter((name) => !scripts[name ?? ""])).toEqual([]);
});
