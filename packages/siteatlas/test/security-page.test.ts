/** SECURITY.md names only tests and cases of the hostile suite that exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../../SECURITY.md", import.meta.url), "utf8");

test("every test file of the page exists", () => {
  const files = [...page.matchAll(/`(?:test\/)?([\w/-]+\.test\.ts)`/g)].map(([, path]) => path!);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((path) => !existsSync(new URL(path, import.meta.url)))).toEqual([]);
});

test("every case of the page exists", () => {
  const folder = new URL("hostile/cases/", import.meta.url);
  const cases = readdirSync(folder)
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("");
  const ids = [...page.matchAll(/sec-[A-Z]\d\d/g)].map(([id]) => id);
  expect(ids.length).toBeGreaterThan(20);
  expect(ids.filter((id) => !cases.includes(`id: "${id}"`))).toEqual([]);
});
