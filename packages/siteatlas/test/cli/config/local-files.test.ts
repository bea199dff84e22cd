/** Which arguments are sites, snapshots, files and folders. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

/** A folder with the same snapshot under three names. */
async function snapshotFolder(): Promise<string> {
  const [site, cwd] = [await openSite((base) => ({ "/sitemap.xml": urlset([`${base}/a`]) })), emptyFolder()];
  await runCli(["sync", site.url, "--snapshot", "a.gz", "-q"], { cwd });
  for (const name of ["a.snap", "a"]) copyFileSync(join(cwd, "a.gz"), join(cwd, name));
  return cwd;
}

it.each(["a.gz", "a.snap", "a"])("%s is a snapshot for all commands, by its content", async (file) => {
  const cwd = await snapshotFolder();
  const pages = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCli(args, { cwd });
    expect([args, code, stderr]).toMatchObject([args, 0, expect.not.stringContaining("error")]);
    return stdout;
  };
  expect(JSON.parse(await pages("report", file, "-f", "json"))).toMatchObject({ made: { from: "snapshot" } });
  expect(await pages("compare", file, file, "--only", "both")).toMatch(/^http.*\/a\n$/);
  expect(await pages("snapshot", "export", file)).toMatch(/\/a\n$/);
  await pages("diff", file, file);
  for (const command of ["stats", "tree", "lint", "parse"]) {
    const { code, stderr } = await runCli([command, file], { cwd });
    expect([command, code, stderr]).toEqual([
      command,
      2,
      `error: "${file}" is a snapshot, not a sitemap\n  siteatlas snapshot export ${file} writes its pages, and siteatlas report ${file} shows its numbers.\n`,
    ]);
  }
  for (const command of ["ls", "find", "robots", "sync"]) {
    const { code, stderr } = await runCli([command, file], { cwd });
    expect([command, code, stderr]).toEqual([
      command,
      2,
      expect.stringMatching(/is a snapshot, not a site\n {2}siteatlas snapshot export/),
    ]);
  }
});

it("FILE@0 and FILE@1 are snapshots for report, check and compare, and never hosts", async () => {
  const cwd = await snapshotFolder();
  for (const args of [["report"], ["compare", "a.gz"], ["check"]]) {
    const { stderr } = await runCli([...args, "a.gz@9"], { cwd });
    expect(stderr).toContain("a.gz@9 does not exist");
  }
  const { code, stdout } = await runCli(["compare", "a.gz", "a.gz@0", "--only", "both"], { cwd });
  expect([code, stdout.split("\n").length]).toEqual([0, 2]);
});

it("a file that exists is not a host, and neither is a missing file with the name of a file", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "pages.dev"), "https://example.com/a\n");
  for (const command of ["stats", "tree", "report"]) {
    const { stdout, stderr } = await runCli([command, "pages.dev", "--json"], { cwd });
    expect([stdout.includes('"pages":'), stderr]).toEqual([true, expect.not.stringContaining("error")]);
  }
  const ls = await runCli(["ls", "pages.dev"], { cwd });
  expect([ls.code, ls.stderr]).toEqual([2, expect.stringContaining('"pages.dev" is a file, not a site')]);
  expect(ls.stderr).toContain("https://pages.dev/");
  for (const name of ["none.xml", "none.snapshot.gz", "none.snapshot.gz@1"]) {
    for (const command of ["stats", "report", "check", "ls"]) {
      const { code, stderr } = await runCli([command, name], { cwd });
      expect([command, code, stderr]).toEqual([command, 2, expect.stringMatching(/no such file/)]);
    }
  }
});

it("a folder of sitemaps is read without its snapshots", async () => {
  const cwd = await snapshotFolder();
  mkdirSync(join(cwd, "maps"));
  copyFileSync(join(cwd, "a.gz"), join(cwd, "maps/a.snapshot.gz"));
  writeFileSync(join(cwd, "maps/s.xml"), urlset(["https://example.com/a"]));
  const { code, stdout, stderr } = await runCli(["parse", "./maps"], { cwd });
  expect([code, stdout, stderr]).toEqual([0, "https://example.com/a\n", "1 page in 1 document\n"]);
});
