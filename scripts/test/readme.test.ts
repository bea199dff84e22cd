/** README.md: its length, its links, and that it holds what people look for first. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const readme = readFileSync(pathOf("README.md"), "utf8");

/** Text without code blocks, comments, elements and addresses. */
const prose = readme
  .replace(/^```[\s\S]*?^```$/gm, "")
  .replace(/<!--[\s\S]*?-->|<[^>]+>/g, "")
  .replace(/^\[[^\]]+\]: .*$/gm, "")
  .replace(/\]\([^)]*\)/g, "]");

test("at most 700 words outside code", () => {
  const words = prose.split(/\s+/).filter((word) => /\w/.test(word));
  expect(words.length).toBeGreaterThan(400);
  expect(words.length).toBeLessThanOrEqual(700);
});

test("every file that it links to exists, and every heading", () => {
  const targets = [...readme.matchAll(/(?:\]\(|\ssrc="|\ssrcset=")(?![a-z]+:)([^)"]+)/g)].map(
    ([, target = ""]) => target,
  );
  expect(targets.length).toBeGreaterThan(15);
  expect(targets.filter((target) => !existsSync(pathOf(target.replace(/#.*/, ""))))).toEqual([]);
  expect(targets.filter((target) => target.includes("#"))).toEqual([]);
});

test("every reference has an address, and every address a reference", () => {
  const addresses = [...readme.matchAll(/^\[([^\]]+)\]: https:/gm)].map(([, name]) => name);
  const references = [...readme.matchAll(/\[([^\]]+)\](?![(:])/g)].map(([, name]) => name);
  expect([...new Set(references)].sort()).toEqual([...addresses].sort());
});

test.each(["siteatlas", "siteatlas-fleet"])("package.json of %s says where the project lives", (name) => {
  const manifest = JSON.parse(readFileSync(pathOf(`packages/${name}/package.json`), "utf8"));
  const address = "https://github.com/siteatlas/siteatlas";
  expect(manifest.repository).toEqual({
    type: "git",
    url: `git+${address}.git`,
    directory: `packages/${name}`,
  });
  expect(manifest.homepage.startsWith(address)).toBe(true);
  expect(manifest.bugs).toEqual({ url: `${address}/issues` });
});
