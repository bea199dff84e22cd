/** `siteatlas report --png` and `--pdf`: files, missing browsers, and interrupted runs. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSite, type TestSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

const PATH = process.env["PATH"] ?? "";
const hasChromium = PATH.split(":").some((folder) => existsSync(join(folder, "chromium")));

function openSmallSite(): Promise<TestSite> {
  return openSite((base) => ({
    "/robots.txt": `Sitemap: ${base}/s.xml\n`,
    "/s.xml": urlset([`${base}/a/1`, `${base}/a/2`, `${base}/b/<script>`]),
  }));
}

it("ends before the first request if there is no browser", async () => {
  const [site, cwd] = [await openSmallSite(), emptyFolder()];
  const run = await runCli(["report", site.url, "--png", "r.png"], { cwd, env: { PATH: cwd } });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("--png and --pdf need Chromium or Chrome, which was not found");
  expect(run.stderr).toContain("SITEATLAS_BROWSER");
  const named = await runCli(["report", site.url, "--pdf", "r.pdf"], {
    cwd,
    env: { SITEATLAS_BROWSER: "./none" },
  });
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining("no such program")]);
  expect(site.requests).toEqual([]);
  expect(readdirSync(cwd)).toEqual([]);
});

it("rejects files that exist, stdout, other extensions, and a browser without a picture", async () => {
  const [site, cwd] = [await openSmallSite(), emptyFolder()];
  const env = { SITEATLAS_BROWSER: process.execPath };
  writeFileSync(join(cwd, "old.png"), "old");
  const messageOf = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await runCli(["report", site.url, ...args], { cwd, env });
    expect(code).toBe(2);
    return stderr;
  };
  expect(await messageOf("--png", "old.png", "--pdf", "new.pdf")).toContain("old.png already exists");
  expect(await messageOf("--png", "-")).toContain("--png needs the name of a file");
  expect(await messageOf("-o", "r.png")).toContain("Use --png r.png");
  expect(await messageOf("-o", "r.html", "--browser", "x")).toContain(
    "can only be used with --png and --pdf",
  );
  expect(site.requests).toEqual([]);
  expect(readdirSync(cwd)).toEqual(["old.png"]);
});

it("keeps the HTML if the browser fails, and leaves no picture", async () => {
  const [site, cwd] = [await openSmallSite(), emptyFolder()];
  writeFileSync(join(cwd, "browser"), "#!/bin/sh\necho broken >&2\nexit 3\n");
  chmodSync(join(cwd, "browser"), 0o755);
  const args = ["report", site.url, "-o", "r.html", "--png", "r.png", "--pdf", "r.pdf"];
  const run = await runCli([...args, "--browser", "./browser"], { cwd });
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining("(exit code 3): broken")]);
  expect(readdirSync(cwd).sort()).toEqual(["browser", "r.html"]);
});

it("draws nothing for a site without sitemaps", async () => {
  const [site, cwd] = [await openSite({}), emptyFolder()];
  const run = await runCli(["report", site.url, "--png", "r.png"], {
    cwd,
    env: { SITEATLAS_BROWSER: process.execPath },
  });
  expect(run.code).toBe(3);
  expect(readdirSync(cwd)).toEqual([]);
});

describe.runIf(hasChromium)("with Chromium", () => {
  it("writes a picture and a PDF, and no text unless it is asked to", { timeout: 90_000 }, async () => {
    const [site, cwd] = [await openSmallSite(), emptyFolder()];
    const run = await runCli(["report", site.url, "--png", "r.png", "--pdf", "r.pdf", "--title", "<b>A"], {
      cwd,
      env: { PATH },
    });
    expect([run.code, run.stdout]).toEqual([0, ""]);
    expect(readdirSync(cwd).sort()).toEqual(["r.pdf", "r.png"]);
    const png = readFileSync(join(cwd, "r.png"));
    expect([png.subarray(1, 4).toString(), png.readUInt32BE(16)]).toEqual(["PNG", 2560]);
    expect(png.readUInt32BE(20)).toBeGreaterThan(2000);
    expect(readFileSync(join(cwd, "r.pdf")).subarray(0, 5).toString()).toBe("%PDF-");
    const json = ["report", site.url, "-f", "json", "--png", "r.png", "--force"];
    const both = await runCli(json, { cwd, env: { PATH } });
    expect(JSON.parse(both.stdout)).toMatchObject({ pages: { total: 3 } });
  });
});
