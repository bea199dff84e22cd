/** One process of `sync` or `watch` uses a snapshot at a time. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { processStart } from "../../../src/cli/process/process-start.ts";
import { LivingSite } from "../../sync/living-site.ts";
import { buildCli, emptyFolder, endOf, runCli, startCli } from "../support/cli.ts";

buildCli();

const EVERY = ["--every", "100ms", "--max-every", "100ms", "--no-known"];

async function openSite(): Promise<{ site: LivingSite; snapshot: string }> {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  site.add("a", ["/a1", "/a2"]);
  return { site, snapshot: `${new URL(site.url).host.replace(":", "_")}.snapshot.gz` };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("sync beside a watch is refused, but not with --dry-run, and not after the watch was killed", async () => {
  const { site, snapshot } = await openSite();
  const cwd = emptyFolder();
  symlinkSync(snapshot, `${cwd}/link.gz`);
  const watch = startCli(["watch", site.url, ...EVERY], { cwd });
  await until(() => readdirSync(cwd).includes(snapshot));
  const sync = (file: string, ...more: string[]): ReturnType<typeof runCli> =>
    runCli(["sync", site.url, "--snapshot", file, "--no-known", ...more], { cwd });
  site.sitemaps.get("a")!.pages.set("/a3", {});
  for (const file of [snapshot, "link.gz"]) {
    const refused = await sync(file);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`process ${watch.pid} already syncs or watches ${file}`);
    expect(refused.stderr).toContain("Try again when it has ended, or use --dry-run.");
  }
  expect((await sync(snapshot, "--dry-run")).code).toBe(0);
  watch.kill("SIGKILL");
  await endOf(watch);
  expect((await sync("link.gz")).code).toBe(0);
  expect(readdirSync(cwd).sort()).toEqual([snapshot, "link.gz"].sort());
});

test("a watch says that another one has the snapshot, and goes on when it has ended", async () => {
  const { site, snapshot } = await openSite();
  const cwd = emptyFolder();
  const first = startCli(["watch", site.url, ...EVERY], { cwd });
  await until(() => readdirSync(cwd).includes(snapshot));
  const second = startCli(["watch", site.url, ...EVERY], { cwd });
  let stderr = "";
  second.stderr.on("data", (text: Buffer) => {
    stderr += text.toString();
  });
  let stdout = "";
  second.stdout.on("data", (text: Buffer) => {
    stdout += text.toString();
  });
  await until(() =>
    stderr.includes(`process ${first.pid} already syncs or watches ${snapshot}. Next sync in`),
  );
  first.kill("SIGTERM");
  await endOf(first);
  site.sitemaps.get("a")!.pages.set("/a3", {});
  await until(() => stdout.includes("/a3"));
  second.kill("SIGTERM");
  await endOf(second);
  expect(readdirSync(cwd)).toEqual([snapshot]);
});

test("a process that was killed, but not waited for, has ended", async () => {
  // Only Linux tells the state of a process.
  if (processStart(process.pid) === undefined) return;
  // The shell does not wait for its child, because it has become another program.
  const shell = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void shell.kill());
  const [line] = (await once(shell.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  expect(processStart(pid)).toMatch(/ \d+$/);
  const name = (): string => readFileSync(`/proc/${shell.pid}/comm`, "latin1").trim();
  await until(() => name() === "sleep");
  process.kill(pid, "SIGKILL");
  await until(() => !/ \d+$/.test(processStart(pid) ?? ""));
  expect(processStart(pid)).toMatch(/ ended$/);
});
