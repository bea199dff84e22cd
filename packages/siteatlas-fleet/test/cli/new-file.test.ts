/** New files of `export`. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeNewFile } from "../../src/cli/new-file.ts";
import { makeDirectory, removeDirectory, until } from "../support/private-server.mjs";

let folder: string;

beforeEach(async () => {
  folder = await makeDirectory("new-file");
});

afterEach(() => removeDirectory(folder));

const CHILD = `
const { writeNewFile } = await import(process.argv[1]);
async function* text() {
  yield "first line\\n";
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
await writeNewFile(process.argv[2], text());
`;

test.each([
  ["SIGTERM", []],
  ["SIGKILL", [expect.stringMatching(/^\.siteatlas-fleet-\w+\.partial$/)]],
] as const)("after %s no file has the name", async (signal, left) => {
  const module = pathToFileURL(join(import.meta.dirname, "../../dist/cli/new-file.js")).href;
  const child = spawn(process.execPath, [
    "--input-type=module",
    "-e",
    CHILD,
    module,
    join(folder, "a.ndjson"),
  ]);
  const ended = new Promise((resolve) => child.on("close", (_, by) => resolve(by)));
  const isWriting = async (): Promise<boolean> =>
    readdirSync(folder).some((name) => readFileSync(join(folder, name), "utf8") === "first line\n");
  await until(isWriting, "the first line");
  child.kill(signal);
  expect(await ended).toBe(signal);
  expect(readdirSync(folder)).toEqual(left);
});

test("a file that was created in the meantime is kept", async () => {
  const path = join(folder, "a.ndjson");
  async function* text(): AsyncGenerator<string> {
    yield "new";
    writeFileSync(path, "other");
  }
  await expect(writeNewFile(path, text())).rejects.toMatchObject({
    exitCode: 2,
    message: `${path} already exists`,
  });
  expect(readFileSync(path, "utf8")).toBe("other");
  expect(readdirSync(folder)).toEqual(["a.ndjson"]);
});
