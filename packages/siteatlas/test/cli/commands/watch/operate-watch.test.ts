/** Operating `siteatlas watch`: metrics and health over HTTP, structured logs, and the list of hosts. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { LivingSite } from "../../../sync/living-site.ts";
import { buildCli, emptyFolder, endOf, runCli, startCli } from "../../support/cli.ts";

buildCli();

const USUAL = ["--every", "200ms", "--max-every", "200ms", "--backoff", "1ms", "--no-known"];

interface LogRecord {
  readonly time: string;
  readonly level: string;
  readonly event: string;
  readonly message: string;
  readonly site?: string;
  readonly added?: number;
}

/** Waits for a message on stderr. */
function messagesOf(child: ChildProcessWithoutNullStreams): {
  readonly all: string[];
  until(isIt: (line: string) => boolean): Promise<string>;
} {
  const all: string[] = [];
  let check = (): void => {};
  createInterface({ input: child.stderr }).on("line", (line) => {
    all.push(line);
    check();
  });
  const until = (isIt: (line: string) => boolean): Promise<string> =>
    new Promise((resolve) => {
      check = () => {
        const found = all.find(isIt);
        if (found !== undefined) resolve(found);
      };
      check();
    });
  return { all, until };
}

async function openSite(): Promise<LivingSite> {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  site.add("a", ["/a1", "/a2"]);
  return site;
}

/** Repeats until the condition is true. */
async function eventually<T>(read: () => Promise<T>, isEnough: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isEnough(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it("serves metrics and health with --metrics", async () => {
  const site = await openSite();
  site.sitemaps.get("a")!.pages.set("/a3", {});
  const child = startCli(["watch", site.url, ...USUAL, "--metrics", "0"]);
  const messages = messagesOf(child);
  const ended = endOf(child);
  const line = await messages.until((text) => text.startsWith("Metrics: "));
  const url = line.slice("Metrics: ".length);
  expect(new URL(url).hostname).toBe("127.0.0.1");
  const read = async (): Promise<string> => (await fetch(url)).text();
  const changed = 'siteatlas_watch_syncs_total{outcome="changed"}';
  await eventually(read, (text) => text.includes(`\n${changed} 1\n`));
  site.sitemaps.get("a")!.pages.delete("/a1");
  const text = await eventually(read, (now) => now.includes(`\n${changed} 2\n`));
  expect(text).toContain('\nsiteatlas_watch_changes_total{kind="added"} 3\n');
  expect(text).toContain('\nsiteatlas_watch_changes_total{kind="removed"} 1\n');
  expect(text).toContain(`\nsiteatlas_watch_site_pages{site="${site.url}"} 2\n`);
  expect(text).toContain(`\nsiteatlas_watch_site_interval_seconds{site="${site.url}"} 0.2\n`);
  const health = await fetch(new URL("/healthz", url));
  expect(await health.json()).toMatchObject({ sites: 1 });
  child.kill("SIGTERM");
  expect((await ended).code).toBe(143);
});

/** A webhook that answers with `status`. Counts what it accepts, by site. */
async function openHook(): Promise<{ url: string; status: number; accepted: string[]; times: number[] }> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as { readonly site: string };
    hook.times.push(performance.now());
    const isAccepted = hook.status < 300;
    if (isAccepted) hook.accepted.push(body.site);
    const pause = hook.status === 503 ? { "retry-after": "1" } : {};
    response.writeHead(hook.status, pause).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const hook = {
    url: `http://127.0.0.1:${port}/`,
    status: 500,
    accepted: [] as string[],
    times: [] as number[],
  };
  return hook;
}

it("counts what waits for the webhook, and what failed", async () => {
  const [site, hook] = [await openSite(), await openHook()];
  const child = startCli(["watch", site.url, ...USUAL, "--metrics", "0", "--webhook", hook.url]);
  const messages = messagesOf(child);
  const line = await messages.until((message) => message.startsWith("Metrics: "));
  const url = line.slice("Metrics: ".length);
  const read = async (): Promise<string> => (await fetch(url)).text();
  const failing = await eventually(read, (now) => now.includes("\nsiteatlas_watch_outbox_deliveries 1\n"));
  expect(failing).toContain(`\nsiteatlas_watch_site_outbox_deliveries{site="${site.url}"} 1\n`);
  const failed = /\nsiteatlas_watch_webhook_requests_total\{outcome="failed"\} [1-9]/;
  await eventually(read, (now) => failed.test(now));
  const age = /\nsiteatlas_watch_outbox_oldest_seconds (\d[\d.]*)\n/;
  await eventually(read, (now) => Number(age.exec(now)![1]) > 0);
  expect(failing).toContain('\nsiteatlas_watch_webhook_requests_total{outcome="accepted"} 0\n');
  hook.status = 204;
  const well = await eventually(read, (now) => now.includes("\nsiteatlas_watch_outbox_deliveries 0\n"));
  expect(well).toContain('\nsiteatlas_watch_webhook_requests_total{outcome="accepted"} 1\n');
  expect(well).toContain(`\nsiteatlas_watch_site_outbox_deliveries{site="${site.url}"} 0\n`);
  expect(well).toContain("\nsiteatlas_watch_outbox_oldest_seconds 0\n");
});

it("waits as long as the webhook asks with Retry-After", async () => {
  const [site, hook] = [await openSite(), await openHook()];
  hook.status = 503;
  startCli(["watch", site.url, ...USUAL, "--webhook", hook.url]);
  const { times } = await eventually(
    async () => hook,
    (now) => now.times.length >= 2,
  );
  // The timer of Node may be up to a millisecond early. Without the header, the wait is --backoff: 1 ms.
  expect(times[1]! - times[0]!).toBeGreaterThan(990);
});

it("sends the changes of a site that SIGHUP removed", async () => {
  const [first, second, hook] = [await openSite(), await openSite(), await openHook()];
  const cwd = emptyFolder();
  const hosts = join(cwd, "hosts.txt");
  writeFileSync(hosts, `${first.url}\n${second.url}\n`);
  const args = ["--hosts", "hosts.txt", ...USUAL, "--allow", "127.0.0.0/8", "--webhook", hook.url];
  const child = startCli(["watch", ...args], { cwd });
  const messages = messagesOf(child);
  const { host } = new URL(first.url);
  await messages.until((line) => line.includes(` ${host}: `) && line.includes("1 delivery waits"));
  writeFileSync(hosts, `${second.url}\n`);
  child.kill("SIGHUP");
  await messages.until((line) => line === "Reloaded hosts.txt: watching 1 site, 0 added, 1 removed");
  hook.status = 204;
  await eventually(
    async () => hook.accepted,
    (sites) => sites.includes(first.url),
  );
});

it("says in /healthz that a sync is overdue", async () => {
  const site = await openSite();
  const hold = "trap 'exit 0' TERM; echo started; sleep 60 & wait";
  const child = startCli(["watch", site.url, ...USUAL, "--metrics", "0", "--on-change", hold]);
  const messages = messagesOf(child);
  const line = await messages.until((text) => text.startsWith("Metrics: "));
  const url = new URL("/healthz", line.slice("Metrics: ".length));
  const response = await eventually(
    () => fetch(url),
    ({ status }) => status === 503,
  );
  expect(await response.json()).toEqual({
    status: "overdue",
    sites: 1,
    running: 1,
    overdue: 1,
    overdueSites: [site.url],
  });
});

it("writes one JSON object per line with --log json", async () => {
  const site = await openSite();
  const child = startCli([
    "watch",
    site.url,
    "http://127.0.0.1:1/",
    ...USUAL,
    "--retries",
    "0",
    "--log",
    "json",
  ]);
  const messages = messagesOf(child);
  const ended = endOf(child);
  await messages.until((line) => line.includes('"added":2'));
  await messages.until((line) => line.includes("Next sync"));
  child.kill("SIGTERM");
  await ended;
  const records = messages.all.map((line) => JSON.parse(line) as LogRecord);
  for (const { time } of records) expect(new Date(time).toISOString()).toBe(time);
  expect(records[0]).toMatchObject({ level: "info", event: "note", message: "Watching 2 sites" });
  expect(records.find(({ added }) => added === 2)).toMatchObject({ level: "info", site: site.url });
  const failed = records.find(({ level }) => level === "warning");
  expect(failed).toMatchObject({ event: "warning", site: "http://127.0.0.1:1/" });
  expect(failed?.message).not.toMatch(/^\d{4}-/);
  expect(records.at(-1)).toMatchObject({
    event: "summary",
    message: expect.stringMatching(/^Stopped after /),
  });
});

it("reads --hosts again after SIGHUP: sites start and stop, and a broken list changes nothing", async () => {
  const [first, second] = [await openSite(), await openSite()];
  const cwd = emptyFolder();
  const hosts = join(cwd, "hosts.txt");
  writeFileSync(hosts, `# sites\n${first.url}\n`);
  const child = startCli(["watch", "--hosts", "hosts.txt", ...USUAL, "--allow", "127.0.0.0/8"], { cwd });
  const messages = messagesOf(child);
  const ended = endOf(child);
  await messages.until((line) => line.includes("2 pages"));
  writeFileSync(hosts, `${first.url}\n${second.url}\n`);
  child.kill("SIGHUP");
  await messages.until((line) => line === "Reloaded hosts.txt: watching 2 sites, 1 added, 0 removed");
  const { host } = new URL(second.url);
  await messages.until((line) => line.includes(` ${host}: `));

  writeFileSync(hosts, `${second.url}\nno host\n`);
  child.kill("SIGHUP");
  const kept = await messages.until((line) => line.startsWith("warning: hosts.txt, line 2: "));
  expect(kept).toMatch(/ The old list of sites is kept\.$/);

  writeFileSync(hosts, `${second.url}\n`);
  child.kill("SIGHUP");
  await messages.until((line) => line === "Reloaded hosts.txt: watching 1 site, 0 added, 1 removed");
  // The removed site may end its sync, and is then not synced again.
  const more = async (): Promise<void> => {
    const before = second.requests.length;
    await eventually(
      async () => second.requests.length,
      (now) => now > before + 8,
    );
  };
  await more();
  const asked = first.requests.length;
  await more();
  expect(first.requests.length).toBe(asked);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(143);
});

it("is not ended by a SIGHUP while it starts, if it has --hosts", async () => {
  const site = await openSite();
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "hosts.txt"), `${site.url}\n`);
  // Sends SIGHUP as soon as there is a listener for it.
  const preload = `process.on("newListener", (name) => { if (name === "SIGHUP") setImmediate(() => process.kill(process.pid, name)); });`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
  const list = startCli(["watch", "--hosts", "hosts.txt", ...USUAL, "--allow", "127.0.0.0/8"], { cwd, env });
  const ended = endOf(list);
  await Promise.race([messagesOf(list).until((line) => line.includes("2 pages")), ended]);
  list.kill("SIGTERM");
  expect((await ended).code).toBe(143);
  expect((await endOf(startCli(["watch", site.url, ...USUAL], { env }))).code).toBe(129);
});

it("watches a site once if the list has it with http and https, and says so", async () => {
  const site = await openSite();
  const cwd = emptyFolder();
  const { host } = new URL(site.url);
  writeFileSync(join(cwd, "hosts.txt"), `http://${host}\nhttp://${host}/\nhttps://${host}/\n`);
  const child = startCli(["watch", "--hosts", "hosts.txt", "--allow-private", ...USUAL], { cwd });
  const messages = messagesOf(child);
  const text = `https://${host}/ and http://${host}/ are one site: only https://${host}/ is watched`;
  await messages.until((line) => line.includes(text));
  await messages.until((line) => line.includes("Watching 1 site"));
  child.kill("SIGTERM");
  await endOf(child);
  expect(messages.all.filter((line) => line.includes("are one site"))).toHaveLength(1);
});

it("needs a site or --hosts, and a list that can be read", async () => {
  expect(await runCli(["watch"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("siteatlas watch needs a host or URL, such as example.com"),
  });
  expect(await runCli(["watch", "--hosts", "none.txt"])).toMatchObject({
    code: 2,
    stderr: "error: cannot read none.txt: no such file or folder\n",
  });
  expect(await runCli(["watch", "-", "--hosts", "none.txt"])).toMatchObject({
    code: 2,
    stderr: "error: siteatlas watch takes - or --hosts, not both\n",
  });
});
