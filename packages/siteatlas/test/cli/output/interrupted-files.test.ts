/** However a run ends, a file that is not complete never has the name of the complete one: each command and format. */
import { once } from "node:events";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openSite, pageUrls, robotsTxt, type TestSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, endOf, runCli, startCli } from "../support/cli.ts";
import { sqlite } from "../support/read-outputs.ts";

buildCli();

const PAGES = 1000;

/** The first sitemap has pages, the second sends one page and then nothing. */
async function openHangingSite(isHanging: () => boolean = () => true): Promise<{
  site: TestSite;
  /** Resolves when the second sitemap is requested. */
  hangs: () => Promise<unknown>;
}> {
  let reached: (value?: unknown) => void = () => {};
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset(pageUrls(base, PAGES)),
    "/b.xml": async (_, response) => {
      if (!isHanging()) return { body: urlset([`${base}/b`]) };
      response.write(urlset([`${base}/b`]).replace("</urlset>", "<url><loc>"));
      reached();
      await once(response, "close");
      return undefined;
    },
  }));
  const hangs = (): Promise<unknown> =>
    new Promise((resolve) => {
      reached = resolve;
    });
  return { site, hangs };
}

const OUTPUTS: readonly (readonly [command: string, file: string])[] = [
  ["ls", "pages.txt"],
  ["ls", "pages.json"],
  ["ls", "pages.csv.gz"],
  ["ls", "pages.parquet"],
  ...(sqlite === undefined ? [] : [["ls", "pages.sqlite"] as const]),
  ["ls", "pages.tree"],
  ["tree", "site.txt"],
  ["stats", "site.json"],
  ["find", "sitemaps.ndjson"],
  ["sync", "changes.ndjson"],
];
/** Processes at the same time. */
const BATCH = 5;

/** How a run may end. */
const ENDS: Readonly<Record<string, readonly NodeJS.Signals[]>> = {
  "Ctrl-C": ["SIGINT"],
  SIGTERM: ["SIGTERM"],
  "Ctrl-C twice": ["SIGINT", "SIGINT"],
  "a closed terminal": ["SIGHUP"],
  "kill -9": ["SIGKILL"],
};

async function endRun(name: string, command: string, file: string): Promise<void> {
  const cwd = emptyFolder();
  const { site, hangs } = await openHangingSite();
  const hanging = hangs();
  const child = startCli([command, site.url, "-o", file, "--concurrency", "1", "--no-known"], { cwd });
  const ended = endOf(child);
  await Promise.race([hanging, ended]);
  for (const signal of ENDS[name]!) child.kill(signal);
  const { code, stderr } = await ended;
  const what = `${command} -o ${file}: ${code} ${stderr}`;
  const left = readdirSync(cwd);
  expect(code, what).not.toBe(0);
  expect(left, what).not.toContain(file);
  const isPartial = (one: string): boolean => one.includes(".partial");
  if (ENDS[name]!.length > 1 || name === "kill -9" || name === "a closed terminal") {
    // Hidden files may be left.
    expect(
      left.filter((one) => !isPartial(one) && !one.startsWith(".")),
      what,
    ).toEqual([]);
  } else {
    // The first signal ends the run in order: what was read so far is in one file.
    expect(left.map(isPartial), what).toEqual(command === "sync" ? [] : [true]);
  }
}

it.each(Object.keys(ENDS))(
  "%s leaves no incomplete file under the given name",
  async (name) => {
    for (let at = 0; at < OUTPUTS.length; at += BATCH) {
      const batch = OUTPUTS.slice(at, at + BATCH);
      await Promise.all(batch.map(([command, file]) => endRun(name, command, file)));
    }
  },
  120_000,
);

it("Ctrl-C keeps the pages of the first sitemap while it is being read", async () => {
  for (const [command, file] of [
    ["ls", "pages.csv"],
    ["ls", "pages.ndjson"],
    ["stats", "site.txt"],
  ] as const) {
    let sent: (value?: unknown) => void = () => {};
    const isSent = new Promise((resolve) => {
      sent = resolve;
    });
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": async (_, response) => {
        // More than the parser collects before it reports pages.
        response.write(urlset(pageUrls(base, 50 * PAGES)).replace("</urlset>", ""));
        sent();
        await once(response, "close");
        return undefined;
      },
    }));
    const cwd = emptyFolder();
    const child = startCli([command, site.url, "-o", file, "--no-known"], { cwd });
    const ended = endOf(child);
    await Promise.race([isSent, ended]);
    await sleep(1500);
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    const partial = file.replace(".", ".partial.");
    expect(readdirSync(cwd), stderr).toEqual([partial]);
    expect(code).toBe(130);
    expect(stderr).toContain(`${file} was not written; the incomplete result is in ${partial}`);
    const text = readFileSync(join(cwd, partial), "utf8");
    expect(text.split("\n").length).toBeGreaterThan(command === "ls" ? PAGES : 3);
  }
});

it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
  "%s: a snapshot is the old or the new one, and its next sync reports all changes",
  async (signal) => {
    let isHanging = false;
    const { site, hangs } = await openHangingSite(() => isHanging);
    const cwd = emptyFolder();
    const args = ["sync", site.url, "--snapshot", "a.snapshot.gz", "--no-known", "--concurrency", "1"];
    await runCli(args, { cwd });
    const before = readFileSync(join(cwd, "a.snapshot.gz"));
    isHanging = true;
    for (const snapshot of ["a.snapshot.gz", "new.snapshot.gz"]) {
      const hanging = hangs();
      const child = startCli([...args, "--snapshot", snapshot], { cwd });
      const ended = endOf(child);
      await Promise.race([hanging, ended]);
      child.kill(signal);
      expect((await ended).code).not.toBe(0);
    }
    expect(readFileSync(join(cwd, "a.snapshot.gz"))).toEqual(before);
    expect(readdirSync(cwd).filter((name) => !name.startsWith("."))).toEqual(["a.snapshot.gz"]);
    const child = startCli(["watch", site.url, "--snapshots", ".", "--every", "1h", "--no-known"], { cwd });
    const hanging = hangs();
    const ended = endOf(child);
    await Promise.race([hanging, ended]);
    child.kill(signal);
    await ended;
    expect(readdirSync(cwd).filter((name) => !name.startsWith("."))).toEqual(["a.snapshot.gz"]);
  },
);

it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
  "%s: parse -o from a pipe that stays open",
  async (signal) => {
    for (const file of ["pages.csv", "pages.json", "pages.parquet"]) {
      const cwd = emptyFolder();
      const child = startCli(["parse", "-", "-o", file], { cwd });
      const ended = endOf(child);
      child.stdin.write(urlset(pageUrls("https://www.example.com", PAGES)).replace("</urlset>", ""));
      while (!readdirSync(cwd).some((name) => name.endsWith(".part"))) await sleep(20);
      await sleep(200);
      child.kill(signal);
      expect((await ended).code).not.toBe(0);
      expect(readdirSync(cwd)).not.toContain(file);
    }
  },
);

it("files that kill -9 left behind are deleted by the next run that writes to the folder", async () => {
  const cwd = emptyFolder();
  const child = startCli(["parse", "-", "-o", "pages.csv"], { cwd });
  const ended = endOf(child);
  child.stdin.write(urlset(pageUrls("https://www.example.com", PAGES)).replace("</urlset>", ""));
  while (!readdirSync(cwd).some((name) => name.endsWith(".part"))) await sleep(20);
  const other = startCli(["parse", "-", "-o", "other.csv"], { cwd });
  const otherEnded = endOf(other);
  while (readdirSync(cwd).length < 2) await sleep(20);
  child.kill("SIGKILL");
  await ended;
  expect(readdirSync(cwd)).toHaveLength(2);
  const page = urlset(["https://www.example.com/"]);
  expect((await runCli(["parse", "-", "-o", "next.txt"], { cwd, input: page })).code).toBe(0);
  // The file of the run that continues is not touched.
  expect(readdirSync(cwd)).toEqual([expect.stringMatching(/^\.siteatlas-.*\.part$/), "next.txt"]);
  other.stdin.end(page);
  expect((await otherEnded).code).toBe(0);
  expect(readdirSync(cwd)).toEqual(["next.txt", "other.csv"]);
});

it("snapshot export: at any moment, a file with the given name is complete", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": urlset(pageUrls(base, 50_000)),
  }));
  const cwd = emptyFolder();
  await runCli(["sync", site.url, "--snapshot", "a.snapshot.gz", "--no-known", "-q"], { cwd });
  const signals = ["SIGINT", "SIGTERM", "SIGKILL"] as const;
  for (let round = 0; round < 9; round++) {
    const run = emptyFolder();
    copyFileSync(join(cwd, "a.snapshot.gz"), join(run, "a.snapshot.gz"));
    const child = startCli(["snapshot", "export", "a.snapshot.gz", "-o", "pages.txt"], { cwd: run });
    const ended = endOf(child);
    await Promise.race([sleep(150 + 90 * round), ended]);
    child.kill(signals[round % 3]!);
    await ended;
    if (!readdirSync(run).includes("pages.txt")) continue;
    expect(readFileSync(join(run, "pages.txt"), "utf8").trimEnd().split("\n")).toHaveLength(50_000);
  }
});
