/** The folder for temporary files: only its owner can read it. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connections } from "../../src/cli/connections.ts";

let temporary: string;

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "connections-"));
  vi.stubEnv("TMPDIR", temporary);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

test("the default folder belongs to the user and is private", async () => {
  const folder = await new Connections({}).folder();
  expect(folder).toBe(join(temporary, `siteatlas-fleet-${process.getuid!()}`));
  expect(modeOf(folder)).toBe(0o700);
  chmodSync(folder, 0o777);
  await new Connections({}).folder();
  expect(modeOf(folder)).toBe(0o700);
});

test("a link in place of the default folder is refused", async () => {
  mkdirSync(join(temporary, "other"));
  symlinkSync(join(temporary, "other"), join(temporary, `siteatlas-fleet-${process.getuid!()}`));
  await expect(new Connections({}).folder()).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringContaining("is not a folder of this user"),
  });
});

test("a given folder is private if it is new, and keeps its mode if it exists", async () => {
  const made = await new Connections({ folder: join(temporary, "a/b") }).folder();
  expect(modeOf(made)).toBe(0o700);
  expect(modeOf(join(temporary, "a"))).toBe(0o700);
  chmodSync(made, 0o755);
  expect(modeOf(await new Connections({ folder: made }).folder())).toBe(0o755);
});
