import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSite, robotsTxt, type TestSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, endOf, runCli, startCli } from "../support/cli.ts";

buildCli();

const PAGE = {
  headers: { "content-type": "text/html" },
  body: "<!doctype html><html><head><title>A</title></head><body>Some text</body></html>",
};

const open = (): Promise<TestSite> =>
  openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
    "/sitemap.xml": urlset([`${base}/a`, `${base}/gone`]),
    "/a": PAGE,
  }));

it("shows broken pages, and exits with code 5", async () => {
  const site = await open();
  const { stdout, stderr, code } = await runCli(["check", site.url]);
  expect(stdout).toContain("error[page.not-found] A listed page does not exist\n");
  expect(stdout).toContain(`--> ${site.url}/gone\n      status 404\n`);
  expect(stderr).toContain("1 error in 2 pages, 1 sitemap");
  expect(code).toBe(5);
});

it("has the formats, the baseline and the exit codes of lint", async () => {
  const site = await open();
  const json = JSON.parse((await runCli(["check", site.url, "--json"])).stdout) as Record<string, unknown>;
  expect(json).toMatchObject({
    tool: "siteatlas check",
    pages: 2,
    findings: [{ rule: "page.not-found", count: 1 }],
  });
  const sarif = JSON.parse((await runCli(["check", site.url, "-f", "sarif"])).stdout) as { runs: unknown[] };
  expect(sarif.runs).toMatchObject([{ results: [{ ruleId: "page.not-found" }] }]);
  const cwd = emptyFolder();
  const baseline = ["--baseline", "known.json"];
  expect((await runCli(["check", site.url, ...baseline, "--update-baseline"], { cwd })).code).toBe(0);
  expect((await runCli(["check", site.url, ...baseline], { cwd })).code).toBe(0);
  site.routes = { ...site.routes, "/a": { status: 500 } };
  const flags = [...baseline, "--retries", "0"];
  const later = await runCli(["check", site.url, ...flags], { cwd });
  expect(later.code).toBe(5);
  expect(later.stdout).toContain("page.status-5xx");
  expect(later.stdout).not.toContain("page.not-found");
  site.routes = { ...site.routes, "/a": PAGE };
  expect((await runCli(["check", site.url, "--fail-on", "never"])).code).toBe(0);
  expect((await runCli(["check", site.url, "--ignore", "page.*:/gone"])).code).toBe(0);
  expect((await runCli(["check", site.url, "--rule", "page.nonsense=off"])).code).toBe(2);
});

it("reads lists, sitemaps on disk, snapshots and stdin, and refuses private addresses in them", async () => {
  const site = await open();
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "urls.txt"), `${site.url}/a\n${site.url}/gone\n`);
  writeFileSync(join(cwd, "sitemap.xml"), urlset([`${site.url}/gone`]));
  const allow = ["--allow", "127.0.0.1"];
  const run = (...args: string[]) => runCli(["check", ...args], { cwd });
  expect(await run("urls.txt", ...allow)).toMatchObject({ code: 5 });
  expect((await run("sitemap.xml", ...allow)).stderr).toContain("1 error in 1 page");
  expect((await runCli(["sync", site.url, "--snapshot", "a.snapshot.gz"], { cwd })).code).toBe(0);
  expect((await run("a.snapshot.gz", ...allow)).stderr).toContain("1 error in 2 pages");
  const stdin = await runCli(["check", "-", ...allow], { cwd, input: `${site.url}/a\n` });
  expect(stdin.stderr).toContain("no findings in 1 page");
  expect(stdin.code).toBe(0);
  site.requests.length = 0;
  const refused = await run("urls.txt");
  expect(site.requests).toEqual([]);
  expect(refused.code).toBe(5);
  expect(refused.stdout.match(/^error/gm)).toHaveLength(1);
  expect(refused.stdout).toContain("error[page.private-host]");
  expect(refused.stdout.replace(/\s+/g, " ")).toContain(
    "allow it with --allow HOST, or allow all private hosts with --allow-private.",
  );
  expect(refused.stdout + refused.stderr).not.toMatch(/allowPrivateNetworks|robots\.txt/);
  expect(refused.stdout).toContain("Not requested: 2 pages (private address).");
});

it("requests a page of a sitemap on disk again only if its <lastmod> has changed", async () => {
  const site = await open();
  const cwd = emptyFolder();
  const check = async (date: string): Promise<number> => {
    const entry = `<url><loc>${site.url}/a</loc><lastmod>${date}</lastmod></url>`;
    const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entry}</urlset>`;
    writeFileSync(join(cwd, "sitemap.xml"), xml);
    site.reset();
    await runCli(["check", "sitemap.xml", "--allow", "127.0.0.1", "--state", "a.check"], { cwd });
    return site.count("/a");
  };
  expect(await check("2026-01-01")).toBe(1);
  expect(await check("2026-01-01")).toBe(0);
  expect(await check("2026-01-02")).toBe(1);
});

it("tells what is wrong with a state file, and does not change it", async () => {
  const site = await open();
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "notes.txt"), "my notes\n");
  const { code, stderr } = await runCli(["check", site.url, "--state", "notes.txt"], { cwd });
  expect(stderr).toContain("notes.txt is not a state file of siteatlas check: line 1 is damaged");
  expect(code).toBe(2);
  expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toBe("my notes\n");
});

const KILLS = Number(process.env["CHECK_KILLS"] ?? 5);

it(`continues after ${KILLS} kills: no recorded page is requested again, and none is skipped`, async () => {
  const paths = Array.from({ length: 40 * KILLS }, (_, i) => `/p/${i}`);
  const requests: string[] = [];
  const site = await openSite(
    (base) => ({
      "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
      "/sitemap.xml": urlset(paths.map((path) => base + path)),
    }),
    {
      fallback: async ({ url = "" }) => {
        requests.push(url);
        await new Promise((resolve) => setTimeout(resolve, 5 * (requests.length % 4)));
        return url.startsWith("/p/") ? PAGE : { status: 404 };
      },
    },
  );
  const cwd = emptyFolder();
  const args = ["check", site.url, "--state", "a.check", "--concurrency", "4", "-q"];
  const recorded = (): Set<string> => {
    try {
      const lines = readFileSync(join(cwd, "a.check"), "utf8").split("\n").slice(1, -1);
      return new Set(
        lines.map((line) => new URL((JSON.parse(line) as { page: { url: string } }).page.url).pathname),
      );
    } catch {
      return new Set();
    }
  };
  let kills = 0;
  while (kills < KILLS) {
    const before = recorded();
    requests.length = 0;
    const goal = 3 + ((7 * kills) % 30);
    const child = startCli(args, { cwd });
    const end = endOf(child);
    const timer = setInterval(() => requests.length >= goal && child.kill("SIGKILL"), 1);
    await end;
    clearInterval(timer);
    expect(requests.filter((path) => before.has(path))).toEqual([]);
    kills++;
  }
  const before = recorded();
  requests.length = 0;
  expect((await endOf(startCli(args, { cwd }))).code).toBe(0);
  const pages = requests.filter((path) => path.startsWith("/p/"));
  expect(new Set([...before, ...pages])).toEqual(new Set(paths));
  expect(pages.length + before.size).toBe(paths.length);
}, 600_000);
