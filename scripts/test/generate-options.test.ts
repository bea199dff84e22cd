/** docs/options.md: every option of the library is there, with its flag and its variable. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  environmentName,
  type Flag,
  flagName,
  flags,
} from "../../packages/siteatlas/src/cli/config/flags.ts";
import { LIMIT_NAMES } from "../../packages/siteatlas/src/model/limits.ts";
import { SYNC_OPTIONS } from "../../packages/siteatlas/src/sync/options.ts";
import { ONLY_IN_CODE, optionPage } from "../generate/options.mjs";

const page = optionPage({ flags, flagName, environmentName } as never);
const rows = [...page.matchAll(/^\| `([\w.]+)` \| (.*?) \| `(SITEATLAS_\w+)` \|$/gm)];

test("the page in docs/ is this one", () => {
  expect(readFileSync(new URL("../../docs/options.md", import.meta.url), "utf8")).toBe(page);
});

test("every option of the library has a flag, or is only for code", () => {
  const all = [
    ...Object.keys(SYNC_OPTIONS).filter((name) => name !== "limits"),
    ...LIMIT_NAMES.map((name) => `limits.${name}`),
  ];
  const listed = [...rows.map(([, option = ""]) => option), ...ONLY_IN_CODE];
  // useKnownPaths is set by --no-known, in the row of knownPaths.
  expect([...new Set(listed), "useKnownPaths"].sort()).toEqual(all.sort());
});

test("names that differ are side by side", () => {
  expect(page).toContain("| `limits.urls` | `--max-pages` | `SITEATLAS_MAX_PAGES` |\n");
  expect(page).toContain("| `useRobots` | `--no-robots` | `SITEATLAS_ROBOTS` |\n");
});

test("every flag is on the page once", () => {
  const names = Object.keys(flags) as (keyof typeof flags)[];
  const isOption = (flag: Flag): boolean => (flag.option ?? flag.converted) !== undefined;
  expect(rows).toHaveLength(names.filter((name) => isOption(flags[name])).length);
  for (const name of names) expect(page).toMatch(new RegExp(`--(?:no-)?${flagName(name)}\\b`));
});

test("the notes of limits are whole sentences", () => {
  const limits = readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8");
  expect(limits).not.toMatch(/\b(?:Further|Longer|Deeper) ones\b/);
});
