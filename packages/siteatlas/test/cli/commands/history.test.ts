/** `--history` and `FILE@1`: earlier snapshots on the command line. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LivingSite } from "../../sync/living-site.ts";
import { syncOnce } from "../../sync/support.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

it("diff and snapshot read earlier snapshots as FILE@1, and say which are missing", async () => {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  const { pages } = site.add("a", ["/a"]);
  const cwd = emptyFolder();
  const file = "site.gz";
  const sync = () => syncOnce(site, join(cwd, file), { history: 2, useKnownPaths: false });
  for (const path of ["/b", "/c", "/d"]) {
    await sync();
    pages.set(path, {});
  }
  await sync();
  const added = async (older: string, newer: string): Promise<string[]> => {
    const { stdout } = await runCli(["diff", older, newer, "-f", "urls"], { cwd });
    return stdout
      .trimEnd()
      .split("\n")
      .map((url) => url.replace(site.origin, ""));
  };
  expect(await added(`${file}@1`, file)).toEqual(["/d"]);
  expect(await added(`${file}@2`, `${file}@0`)).toEqual(["/c", "/d"]);
  const shown = await runCli(["snapshot", "export", `${file}@2`, "-f", "urls"], { cwd });
  expect(shown.stdout.replaceAll(site.origin, "")).toBe("/a\n/b\n");
  expect(await runCli(["diff", `${file}@3`, file], { cwd })).toMatchObject({
    code: 2,
    stderr:
      "error: site.gz@3 does not exist: only 2 earlier snapshots of site.gz are kept\n  Keep more with siteatlas sync or watch --history N.\n",
  });
  // A file with such a name goes first.
  copyFileSync(join(cwd, file), join(cwd, `${file}@1`));
  expect(await added(`${file}@1`, file)).toEqual([""]);
  expect((await runCli(["diff", "none.gz@1", file], { cwd })).stderr).toContain(
    "cannot read none.gz@1: no such file",
  );
});
