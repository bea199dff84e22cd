/** `siteatlas watch` as a process: deliveries, failures, the end and the next start. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSite, urlset } from "../../support/test-site.ts";
import { LivingSite } from "../../sync/living-site.ts";
import { buildCli, type CliResult, emptyFolder, endOf, runCli, startCli } from "../support/cli.ts";

buildCli();

interface Operation {
  readonly kind: string;
  readonly url?: string;
  readonly site?: string;
}

/** The lines of a stream, and a way to wait for them. */
class Lines {
  readonly all: string[] = [];
  #check: () => void = () => {};

  constructor(child: ChildProcessWithoutNullStreams, stream: "stdout" | "stderr" = "stdout") {
    createInterface({ input: child[stream] }).on("line", (line) => {
      this.all.push(line);
      this.#check();
    });
  }

  get operations(): Operation[] {
    return this.all.map((line) => JSON.parse(line) as Operation);
  }

  until(isEnough: (lines: readonly string[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#check = () => {
        if (isEnough(this.all)) resolve();
      };
      this.#check();
    });
  }
}

async function openLivingSite(): Promise<LivingSite> {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  site.add("a", ["/a1", "/a2"]);
  return site;
}

async function stop(
  child: ChildProcessWithoutNullStreams,
  ended: Promise<CliResult>,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<CliResult> {
  child.kill(signal);
  return ended;
}

const USUAL = ["--every", "200ms", "--backoff", "1ms", "--no-known"];

/** An environment in which `before` runs before a file is renamed to a snapshot. */
function beforeCommit(before: string): Record<string, string> {
  const preload = `
    import { promises } from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { rename } = promises;
    let commits = 0;
    promises.rename = async (from, to) => {
      if (String(to).endsWith(".snapshot.gz")) {
        commits++;
        ${before}
      }
      return rename(from, to);
    };
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
}

describe("200 sites", () => {
  const SITES = 200;

  /** One server with an address per site. Held sites do not respond for their sitemap. */
  async function openSites(): Promise<{
    urls: string[];
    isHeld: (number: number) => boolean;
    release: () => void;
    held: () => number;
  }> {
    let isHolding = true;
    const waiting = new Set<ServerResponse>();
    const server = createServer((request, response) => {
      if (!request.socket.remoteAddress?.startsWith("127.")) return void response.destroy();
      const { host = "" } = request.headers;
      const number = Number(/^127\.0\.1\.(\d+)/.exec(host)?.[1]);
      if (request.url === "/robots.txt") response.end(`Sitemap: http://${host}/sitemap.xml\n`);
      else if (isHolding && number % 2 === 1) {
        waiting.add(response);
        response.on("close", () => waiting.delete(response));
      } else response.end(urlset([`http://${host}/1`, `http://${host}/2`]));
    });
    await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    return {
      urls: Array.from({ length: SITES }, (_, at) => `http://127.0.1.${at + 1}:${port}/`),
      isHeld: (number) => number % 2 === 1,
      held: () => waiting.size,
      release: () => {
        isHolding = false;
      },
    };
  }

  const summaries = (lines: readonly string[]): number =>
    lines.filter((line) => line.includes('"kind":"summary"')).length;

  it("end in the middle of syncs, without waiting for responses; the next start reports exactly what is missing", async () => {
    const { urls, release, held } = await openSites();
    const cwd = emptyFolder();
    mkdirSync(join(cwd, "snapshots"));
    const args = [
      ...["watch", "-", "--snapshots", "snapshots", "--no-known", "-j", "200", "--every", "15m"],
      ...["--allow", "127.0.0.0/8"],
    ];
    // The server holds its responses for longer than the test lasts.
    const first = startCli([...args, "--headers-timeout", "1h"], { cwd });
    first.stdin.end(`# all of them\n${urls.join("\n")}\n`);
    const told = new Lines(first);
    const ended = endOf(first);
    await told.until((lines) => summaries(lines) === SITES / 2);
    expect(held()).toBeGreaterThan(0);
    const end = await stop(first, ended);
    expect(end.code).toBe(143);
    expect(end.stderr).toContain(`Stopped after ${SITES / 2} syncs\n`);
    const names = readdirSync(join(cwd, "snapshots"));
    expect(names).toHaveLength(SITES / 2);
    expect(names.every((name) => /^127\.0\.1\.\d+_\d+\.snapshot\.gz$/.test(name))).toBe(true);

    release();
    const second = startCli(args, { cwd });
    second.stdin.end(urls.join("\n"));
    const toldLater = new Lines(second);
    const endedLater = endOf(second);
    await toldLater.until((lines) => summaries(lines) === SITES / 2);
    expect((await stop(second, endedLater, "SIGINT")).code).toBe(130);
    const pages = (lines: Lines): string[] =>
      lines.operations.flatMap(({ kind, url = "" }) => (kind === "added" ? [url] : []));
    expect(pages(told)).toHaveLength(SITES);
    expect([...pages(told), ...pages(toldLater)].sort()).toEqual(
      urls.flatMap((url) => [`${url}1`, `${url}2`]).sort(),
    );
    expect(readdirSync(join(cwd, "snapshots"))).toHaveLength(SITES);
  });
});

describe("stdout", () => {
  it("has one operation per line, with the site, or only URLs with -f urls", async () => {
    const site = await openLivingSite();
    const cwd = emptyFolder();
    const child = startCli(["watch", site.url, ...USUAL], { cwd });
    const lines = new Lines(child);
    const ended = endOf(child);
    await lines.until((all) => all.length >= 6);
    site.sitemaps.get("a")!.pages.set("/a3", { lastmod: "2026-01-02" });
    await lines.until((all) => all.some((line) => line.includes("/a3")));
    await stop(child, ended);
    expect(lines.operations.slice(0, 4)).toMatchObject([
      { kind: "start", site: site.url, isFirst: true },
      { kind: "added", url: site.pageUrl("/a1"), site: site.url },
      { kind: "added", url: site.pageUrl("/a2"), site: site.url },
      { kind: "summary", site: site.url, isFirst: true },
    ]);
    expect(lines.operations.filter(({ kind }) => kind === "added")).toHaveLength(3);

    site.sitemaps.get("a")!.pages.set("/a4", {});
    const urls = startCli(["watch", site.url, ...USUAL, "-f", "urls", "-q"], { cwd });
    const urlLines = new Lines(urls);
    const urlsEnded = endOf(urls);
    await urlLines.until((all) => all.length > 0);
    const { stderr } = await stop(urls, urlsEnded);
    expect([urlLines.all, stderr]).toEqual([[site.pageUrl("/a4")], ""]);
  });

  it("ends the watch when it is closed, and the snapshot is kept", async () => {
    const site = await openLivingSite();
    const cwd = emptyFolder();
    const child = startCli(["watch", site.url, ...USUAL], { cwd });
    child.stdout.destroy();
    const stderr = text(child.stderr);
    const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
    expect([code, readdirSync(cwd)]).toEqual([0, []]);
    expect(await stderr).not.toContain("error");
  });

  it("has a summary only of syncs whose snapshot is replaced, also if watch is stopped and the disk is slow", async () => {
    const site = await openLivingSite();
    const cwd = emptyFolder();
    const env = beforeCommit("await new Promise((resolve) => setTimeout(resolve, 3000));");
    const child = startCli(["watch", site.url, ...USUAL], { cwd, env });
    const lines = new Lines(child);
    const ended = endOf(child);
    await lines.until((all) => all.some((line) => line.includes('"kind":"summary"')));
    const { code, stderr } = await stop(child, ended);
    expect(code).toBe(143);
    expect(stderr).toContain("Stopped after 1 sync\n");
    expect(readdirSync(cwd)).toEqual([expect.stringMatching(/^127.*\.snapshot\.gz$/)]);
  });

  it("cannot be a JSON array", async () => {
    const { code, stderr } = await runCli(["watch", "http://127.0.0.1:9/", "-f", "json"]);
    expect(code).toBe(2);
    expect(stderr).toContain("siteatlas watch cannot write json");
  });
});

describe("--on-change", () => {
  it("gets the changes on stdin and the counts in its environment, and again after a failure", async () => {
    const site = await openLivingSite();
    site.sitemaps.get("a")!.pages.set("/a3", {});
    const cwd = emptyFolder();
    const script = 'cat >> told; env | grep ^SITEATLAS_ | sort >> variables; test -e well && echo "done $$"';
    const child = startCli(["watch", site.url, ...USUAL, "--on-change", script], { cwd });
    const messages = new Lines(child, "stderr");
    const lines = new Lines(child);
    const ended = endOf(child);
    await messages.until((all) =>
      all.some((line) => line.includes("the --on-change command failed (exit code 1)")),
    );
    // The changes wait beside the snapshot. The site is not read until the command has accepted them.
    expect(readdirSync(cwd).some((name) => name.endsWith(".snapshot.gz.command"))).toBe(true);
    const requests = site.requests.length;
    const messageCount = messages.all.length;
    await messages.until((all) => all.length > messageCount);
    expect(site.requests.length).toBe(requests);
    writeFileSync(join(cwd, "well"), "");
    await lines.until((all) => all.length > 0);
    site.sitemaps.get("a")!.pages.delete("/a1");
    await lines.until((all) => all.length > 1);
    expect((await stop(child, ended)).code).toBe(143);
    const told = readFileSync(join(cwd, "told"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Operation);
    const kinds = told.map(({ kind, url = "" }) => `${kind} ${url.replace(site.origin, "")}`.trimEnd());
    const first = ["start", "added /a1", "added /a2", "added /a3", "summary"];
    const times = kinds.filter((kind) => kind === "added /a1").length;
    expect(times).toBeGreaterThanOrEqual(2);
    expect(kinds).toEqual([
      ...Array.from({ length: times }, () => first).flat(),
      "start",
      "removed /a1",
      "summary",
    ]);
    const variables = readFileSync(join(cwd, "variables"), "utf8").split("\n");
    expect(variables.slice(0, 4)).toEqual([
      "SITEATLAS_ADDED=3",
      "SITEATLAS_CHANGED=0",
      "SITEATLAS_REMOVED=0",
      `SITEATLAS_SITE=${site.url}`,
    ]);
    expect(variables.slice(-5, -2)).toEqual([
      "SITEATLAS_ADDED=0",
      "SITEATLAS_CHANGED=0",
      "SITEATLAS_REMOVED=1",
    ]);
  });

  it("is ended with the watch, and its changes are delivered again", async () => {
    const site = await openLivingSite();
    const cwd = emptyFolder();
    const script = "echo started; sleep 60; touch survived";
    const child = startCli(["watch", site.url, ...USUAL, "--on-change", script], { cwd });
    const lines = new Lines(child);
    const ended = endOf(child);
    await lines.until((all) => all.includes("started"));
    expect((await stop(child, ended)).code).toBe(143);
    expect(readdirSync(cwd)).toEqual([
      expect.stringMatching(/\.snapshot\.gz$/),
      expect.stringMatching(/\.command$/),
    ]);
    const again = startCli(["watch", site.url, ...USUAL, "--on-change", "cat"], { cwd });
    const told = new Lines(again);
    const endedAgain = endOf(again);
    await told.until((all) => all.length === 4);
    await stop(again, endedAgain);
    expect(told.operations.map(({ kind }) => kind)).toEqual(["start", "added", "added", "summary"]);
    expect(existsSync(join(cwd, "survived"))).toBe(false);
  });

  it("is ended after --on-change-timeout with all that it started, and its changes are delivered again", async () => {
    const site = await openLivingSite();
    const cwd = emptyFolder();
    const script = `test -e well && cat && exit; (trap '' TERM; sleep 60; touch survived) & echo started; wait`;
    const args = [...USUAL, "--on-change", script, "--on-change-timeout", "300ms"];
    const child = startCli(["watch", site.url, ...args], { cwd });
    const [lines, messages] = [new Lines(child), new Lines(child, "stderr")];
    const ended = endOf(child);
    await messages.until((all) =>
      all.some((line) => line.includes("the --on-change command was ended after 300 ms")),
    );
    writeFileSync(join(cwd, "well"), "");
    await lines.until((all) => all.some((line) => line.includes('"kind":"summary"')));
    await stop(child, ended);
    expect(lines.all.filter((line) => line.includes('"kind":"added"'))).toHaveLength(2);
    expect(existsSync(join(cwd, "survived"))).toBe(false);
  });

  it("hears of the end of a page that it added in a run that failed", async () => {
    const site = await openLivingSite();
    const { pages } = site.sitemaps.get("a")!;
    for (let number = 0; number < 20; number++) pages.set(`/page-${number}`, {});
    const cwd = emptyFolder();
    // The command applies the changes, then fails while there is a file "ill".
    const script = "cat >> told; test ! -e ill && echo done";
    const child = startCli(["watch", site.url, ...USUAL, "--on-change", script], { cwd });
    const [lines, messages] = [new Lines(child), new Lines(child, "stderr")];
    const ended = endOf(child);
    await lines.until((all) => all.length === 1);
    writeFileSync(join(cwd, "ill"), "");
    pages.set("/short", {});
    pages.delete("/page-0");
    await messages.until((all) => all.some((line) => line.includes("the --on-change command failed")));
    pages.delete("/short");
    pages.set("/page-0", {});
    rmSync(join(cwd, "ill"));
    await lines.until((all) => all.length === 3);
    await stop(child, ended);
    const told = readFileSync(join(cwd, "told"), "utf8").trimEnd().split("\n");
    const copy = new Set<string>();
    for (const { kind, url = "" } of told.map((line) => JSON.parse(line) as Operation)) {
      if (kind === "added") copy.add(url);
      if (kind === "removed") copy.delete(url);
    }
    expect([...copy].sort()).toEqual([...pages.keys()].map((path) => site.pageUrl(path)).sort());
  });

  it.each([
    { SITEATLAS_AUTH: "user:hunter2", SITEATLAS_WEBHOOK_SECRET: "whsec_hunter2" },
    {
      SITEATLAS_HEADER: "Authorization: Bearer hunter2",
      SITEATLAS_PROXY: "http://user:hunter2@127.0.0.1:1/",
      SITEATLAS_WEBHOOK: "http://127.0.0.1:1/hunter2",
    },
  ])("gets no variable of siteatlas that contains credentials: %o", async (credentials) => {
    const site = await openLivingSite();
    const args = ["--no-proxy", "--on-change", "env; echo end"];
    const env = { ...credentials, OTHER: "kept" };
    const child = startCli(["watch", site.url, ...USUAL, ...args], { env });
    const lines = new Lines(child);
    const ended = endOf(child);
    await lines.until((all) => all.includes("end"));
    await stop(child, ended);
    expect(lines.all).toContain("OTHER=kept");
    expect(lines.all.join("\n")).not.toMatch(/SITEATLAS_(?:AUTH|HEADER|PROXY|WEBHOOK)|hunter2/);
  });

  it("is not run if only the sitemaps of a page changed", async () => {
    const site = await openLivingSite();
    site.add("b", ["/b1"]);
    const cwd = emptyFolder();
    await runCli(["sync", site.url, "--no-known"], { cwd });
    const [a, b] = [site.sitemaps.get("a")!, site.sitemaps.get("b")!];
    b.pages.set("/a1", a.pages.get("/a1")!);
    a.pages.delete("/a1");
    const child = startCli(["watch", site.url, ...USUAL, "-v", "--on-change", "touch run"], { cwd });
    const messages = new Lines(child, "stderr");
    const ended = endOf(child);
    await messages.until((all) => all.some((line) => line.includes("1 moved to another sitemap")));
    await stop(child, ended);
    expect(existsSync(join(cwd, "run"))).toBe(false);
  });
});

describe("--webhook", () => {
  interface Hook {
    readonly url: string;
    readonly calls: {
      readonly method: string;
      readonly type: string;
      readonly agent: string;
      readonly authorization: string | undefined;
      readonly id: string | undefined;
      readonly body: WebhookBody;
    }[];
    /** The statuses of the next responses. The last one is repeated. */
    statuses: number[];
    /** Waits for this number of calls. */
    readonly until: (count: number) => Promise<void>;
    /** Waits for the last delivery of a run. */
    readonly untilLast: () => Promise<void>;
  }

  interface WebhookBody {
    readonly kind: string;
    readonly id: string;
    readonly run: string;
    readonly sequence: number;
    readonly isLast: boolean;
    readonly changes: readonly Operation[];
    readonly summary?: { readonly kind: string; readonly added: number };
  }

  async function openHook(...statuses: number[]): Promise<Hook> {
    let check = (): void => {};
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = JSON.parse(await text(request)) as WebhookBody;
      const { method = "" } = request;
      const [status = 200] = hook.statuses;
      if (hook.statuses.length > 1) hook.statuses.shift();
      response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end("thanks");
      const { "content-type": type = "", "user-agent": agent = "", authorization } = request.headers;
      const id = request.headers["webhook-id"] as string | undefined;
      hook.calls.push({ method, type, agent, authorization, id, body });
      check();
    };
    const server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    const wait = (isEnough: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        check = () => {
          if (isEnough()) resolve();
        };
        check();
      });
    const hook: Hook = {
      url: `http://127.0.0.1:${port}/hook?key=secret`,
      calls: [],
      statuses,
      until: (count) => wait(() => hook.calls.length >= count),
      untilLast: () => wait(() => hook.calls.at(-1)?.body.isLast === true),
    };
    return hook;
  }

  it("gets the summary and the changes until it answers with 2xx", async () => {
    const site = await openLivingSite();
    const hook = await openHook(500, 302, 204);
    const cwd = emptyFolder();
    const child = startCli(["watch", site.url, ...USUAL, "--webhook", hook.url, "-v"], { cwd });
    const messages = new Lines(child, "stderr");
    const ended = endOf(child);
    await messages.until((all) => all.filter((line) => line.includes("No changes")).length >= 2);
    const { stdout, stderr } = await stop(child, ended);
    expect(stdout).toBe("");
    expect(hook.calls).toHaveLength(3);
    for (const { method, type, agent, body } of hook.calls) {
      expect([method, type]).toEqual(["POST", "application/json"]);
      expect(agent).toMatch(/^siteatlas\/\d/);
      expect(body).toMatchObject({
        summary: { kind: "summary", added: 2 },
        changes: [{ kind: "added", url: site.pageUrl("/a1") }, { kind: "added" }],
        isFirst: true,
      });
    }
    expect(new Set(hook.calls.map(({ id }) => id)).size).toBe(1);
    expect(stderr).toContain("the webhook answered 500. 1 delivery waits.");
    expect(stderr).toContain("the webhook answered 302. 1 delivery waits.");
    expect(stderr).toContain("The webhook accepts deliveries again.");
    expect(stderr).not.toContain("secret");
  });

  it("gets all changes, in several requests, the summary in the last one", async () => {
    const site = await openLivingSite();
    const { pages } = site.sitemaps.get("a")!;
    for (let number = 0; number < 2500; number++) pages.set(`/more/${number}`, {});
    const hook = await openHook(200);
    const cwd = emptyFolder();
    const child = startCli(["watch", site.url, ...USUAL, "--webhook", hook.url], { cwd });
    const ended = endOf(child);
    await hook.untilLast();
    await stop(child, ended);
    const bodies = hook.calls.map(({ body }) => body);
    expect(bodies.length).toBeGreaterThan(3);
    expect(bodies.flatMap(({ changes }) => changes.map(({ url }) => url))).toEqual(
      [...pages.keys()].map((path) => site.pageUrl(path)).sort(),
    );
    const { run } = bodies[0]!;
    expect(bodies.map(({ sequence }) => sequence)).toEqual(bodies.map((_, at) => at + 1));
    expect(bodies.map(({ id }) => id)).toEqual(bodies.map((_, at) => `${run}-${at + 1}`));
    expect(hook.calls.map(({ id }) => id)).toEqual(bodies.map(({ id }) => id));
    expect(bodies.map(({ isLast }) => isLast)).toEqual(bodies.map((_, at) => at === bodies.length - 1));
    expect(bodies.map(({ summary }) => summary?.added)).toEqual([
      ...bodies.slice(1).map(() => undefined),
      2502,
    ]);
  });

  it("does not make a site be read again if it is down, nor delay its syncs; a later start sends what waits", async () => {
    const site = await openLivingSite();
    const hook = await openHook(500);
    const cwd = emptyFolder();
    const args = ["watch", site.url, ...USUAL, "--max-every", "200ms", "--webhook", hook.url, "-v"];
    const child = startCli(args, { cwd });
    const messages = new Lines(child, "stderr");
    const ended = endOf(child);
    await messages.until((all) => all.filter((line) => line.includes("No changes")).length >= 3);
    site.sitemaps.get("a")!.pages.set("/a3", { lastmod: "2026-01-02" });
    await messages.until((all) => all.some((line) => line.includes("1 added")));
    await stop(child, ended);
    const [snapshot = ""] = readdirSync(cwd);
    expect(readdirSync(cwd)).toEqual([snapshot, `${snapshot}.outbox`]);
    const { length } = hook.calls;
    hook.statuses = [204];
    const again = startCli(args, { cwd });
    const endedAgain = endOf(again);
    await hook.until(length + 2);
    const isWaiting = (): boolean =>
      readdirSync(join(cwd, `${snapshot}.outbox`)).some((name) => name.endsWith(".ndjson"));
    while (isWaiting()) await new Promise((resolve) => setTimeout(resolve, 20));
    await stop(again, endedAgain);
    const accepted = hook.calls.slice(length);
    expect(accepted.map(({ body }) => body.changes.map(({ url }) => url))).toEqual([
      [site.pageUrl("/a1"), site.pageUrl("/a2")],
      [site.pageUrl("/a3")],
    ]);
    // Each try of a delivery has the same id.
    expect(new Set(hook.calls.map(({ id }) => id)).size).toBe(2);
    expect(readdirSync(cwd)).toEqual([snapshot]);
  });

  it("gets failures, and that all is well again, with --hook-on; each only once", async () => {
    const site = await openLivingSite();
    site.robotsMood = "down";
    site.indexMood = "down";
    const hook = await openHook(200);
    const events = ["--hook-on", "changes,failures", "--retries", "0", "--max-every", "200ms"];
    const child = startCli(["watch", site.url, ...USUAL, "--webhook", hook.url, ...events]);
    const messages = new Lines(child, "stderr");
    const ended = endOf(child);
    await messages.until((all) => all.filter((line) => line.includes("503")).length >= 3);
    site.robotsMood = "well";
    site.indexMood = "well";
    await hook.until(2);
    site.sitemaps.get("a")!.mood = "down";
    await hook.until(3);
    site.sitemaps.get("a")!.mood = "well";
    await hook.until(4);
    site.robotsMood = "down";
    site.indexMood = "down";
    await hook.until(5);
    await stop(child, ended);
    const kinds = hook.calls.map(({ body: { kind, changes = [] } }) => [
      kind,
      ...changes.map((one) => one.kind),
    ]);
    expect(kinds).toEqual([
      ["failure"],
      ["changes", "added", "added"],
      ["changes", "unknown"],
      ["changes"],
      ["failure"],
    ]);
    expect(hook.calls[0]!.body).toMatchObject({ site: site.url, failures: 1, sequence: 1, isLast: true });
  });

  it("gets no failure twice after a restart, but that all is well again", async () => {
    const site = await openLivingSite();
    const hook = await openHook(200);
    const cwd = emptyFolder();
    await runCli(["sync", site.url, "--no-known"], { cwd });
    const events = ["--hook-on", "changes,failures", "--retries", "0", "--max-every", "200ms", "-v"];
    const start = (): [ChildProcessWithoutNullStreams, Promise<CliResult>, Lines] => {
      const child = startCli(["watch", site.url, ...USUAL, "--webhook", hook.url, ...events], { cwd });
      return [child, endOf(child), new Lines(child, "stderr")];
    };
    site.sitemaps.get("a")!.mood = "down";
    const isSaved = (): boolean => readdirSync(cwd).some((name) => name.endsWith(".snapshot.gz.failure"));
    const until = async (isIt: () => boolean): Promise<void> => {
      while (!isIt()) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const [first, firstEnd] = start();
    await hook.until(1);
    await until(isSaved);
    await stop(first, firstEnd);
    const [second, secondEnd, messages] = start();
    await messages.until((all) => all.filter((line) => line.includes("503")).length >= 2);
    await stop(second, secondEnd);
    expect(hook.calls).toHaveLength(1);
    site.sitemaps.get("a")!.mood = "well";
    const [third, thirdEnd] = start();
    await hook.until(2);
    await until(() => !isSaved());
    await stop(third, thirdEnd);
    expect(hook.calls.map(({ body }) => body.changes.map(({ kind }) => kind))).toEqual([["unknown"], []]);
  });

  it("gets the credentials in its URL as Basic, and no message contains them or its path", async () => {
    const site = await openLivingSite();
    const hook = await openHook(500, 200);
    const cwd = emptyFolder();
    const url = hook.url.replace("//", "//hk:p%40ss@");
    const args = ["watch", site.url, ...USUAL, "--webhook", url, "-vv", "--log-file", "run.log"];
    const child = startCli(args, { cwd });
    const ended = endOf(child);
    await hook.until(2);
    const { stderr } = await stop(child, ended);
    const basic = `Basic ${Buffer.from("hk:p@ss").toString("base64")}`;
    expect(hook.calls.map(({ authorization }) => authorization)).toEqual([basic, basic]);
    for (const shown of [stderr, readFileSync(join(cwd, "run.log"), "utf8")]) {
      expect(shown).toContain("the webhook answered 500");
      expect(shown).not.toMatch(/p%40ss|p@ss|key=secret|\/hook/);
    }
  });

  it("gets the changes and their failure if the snapshot could not be replaced; metrics count them once", async () => {
    const site = await openLivingSite();
    const hook = await openHook(204);
    const env = beforeCommit(
      'if (commits === 1) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });',
    );
    const args = ["watch", site.url, ...USUAL, "--webhook", hook.url, "--hook-on", "changes,failures"];
    const child = startCli([...args, "--metrics", "0"], { cwd: emptyFolder(), env });
    const messages = new Lines(child, "stderr");
    const ended = endOf(child);
    await hook.until(2);
    const metrics = messages.all.find((line) => line.startsWith("Metrics: "))!.slice("Metrics: ".length);
    await messages.until((all) => all.some((line) => line.includes("2 added")));
    const text = await (await fetch(metrics)).text();
    expect(text).toContain('\nsiteatlas_watch_changes_total{kind="added"} 2\n');
    const { stderr } = await stop(child, ended);
    expect(stderr).not.toContain("EEXIST");
    expect(hook.calls.map(({ body }) => [body.kind, body.changes?.length ?? 0])).toEqual([
      ["failure", 0],
      ["changes", 2],
    ]);
  });

  it("does not end the watch if it is down; a bad URL is refused", async () => {
    const site = await openLivingSite();
    const cwd = emptyFolder();
    const child = startCli(["watch", site.url, ...USUAL, "--webhook", "http://127.0.0.1:1/key"], { cwd });
    const messages = new Lines(child, "stderr");
    const ended = endOf(child);
    await messages.until((all) => all.some((line) => line.includes("the webhook did not answer")));
    expect((await stop(child, ended)).code).toBe(143);
    const wrong = await runCli(["watch", site.url, "--webhook", "foo"]);
    const example = "must be an http or https URL such as https://hooks.example.net/changes";
    expect([wrong.code, wrong.stderr]).toEqual([2, `error: --webhook ${example}\n`]);
  });

  it.each([
    [["--webhook", "me:hunter2@hooks.test/hunter2?hunter2"], {}],
    [["--webhook", "https://me:hun/ter2hunter2@hooks.test/"], {}],
    [["--webhook", "hunter2"], {}],
    [["--webhok=https://hooks.test/hunter2"], {}],
    [[], { env: { SITEATLAS_WEBHOOK: "https://hooks.test:hunter2/hunter2" } }],
  ])("that is wrong is not repeated by the message: %j %j", async (args, options) => {
    const { code, stdout, stderr } = await runCli(["watch", "x.test", "-vv", ...args], options);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/webho/i);
    expect(stderr).not.toMatch(/hun|ter2/);
  });
});

describe("sites", () => {
  it("that cannot be reached do not stop the others", async () => {
    const site = await openLivingSite();
    const cwd = emptyFolder();
    const child = startCli(["watch", "http://127.0.0.1:1/", site.url, "-", ...USUAL, "--retries", "0"], {
      cwd,
    });
    child.stdin.end("not a url\n");
    const [lines, messages] = [new Lines(child), new Lines(child, "stderr")];
    const ended = endOf(child);
    await lines.until((all) => all.length >= 4);
    const isTold = (line: string): boolean => / 127\.0\.0\.1:1: siteatlas does not connect to /.test(line);
    await messages.until((all) => all.filter(isTold).length >= 2);
    await stop(child, ended);
    const [first = "", second = ""] = messages.all.filter(isTold);
    expect(first).toMatch(/\. Next sync in about 400 ms\.$/);
    expect(second).toMatch(/\. Next sync in about 800 ms\.$/);
    // The hint is not repeated.
    expect(
      messages.all.filter((line) => line.includes("Connect anyway with --allow 127.0.0.1:1")),
    ).toHaveLength(1);
    expect(messages.all[0]).toContain('stdin, line 1: "not a url" is not a URL');
    expect(readdirSync(cwd)).toHaveLength(1);
  });

  it("of one sitemap obey robots.txt with --respect-robots", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": "User-agent: *\nDisallow: /private/\n",
      "/private/sitemap.xml": urlset([`${base}/a`]),
    }));
    const url = `${site.url}/private/sitemap.xml`;
    const child = startCli(["watch", url, "--respect-robots", ...USUAL]);
    const [lines, messages] = [new Lines(child), new Lines(child, "stderr")];
    const ended = endOf(child);
    await Promise.race([
      lines.until((all) => all.length > 0),
      messages.until((all) => all.some((line) => line.includes("disallowed by robots.txt"))),
    ]);
    await stop(child, ended);
    expect(lines.all).toEqual([]);
    expect(new Set(site.paths())).toEqual(new Set(["/robots.txt"]));
  });

  it("that fail later are reported with the reason, and counted as synced", async () => {
    const site = await openLivingSite();
    site.add("b", ["/b1"]);
    const child = startCli(["watch", site.url, ...USUAL, "--retries", "0", "-q"]);
    const [lines, messages] = [new Lines(child), new Lines(child, "stderr")];
    const ended = endOf(child);
    await lines.until((all) => all.some((line) => line.includes('"kind":"summary"')));
    site.sitemaps.get("a")!.mood = "down";
    site.sitemaps.get("b")!.mood = "down";
    const { host } = new URL(site.url);
    const isTold = (text: string): boolean => messages.all.some((line) => line.includes(text));
    const most = `Z ${host}: 2 of 3 sitemaps could not be read completely (503): their 3 pages are kept as they were`;
    await messages.until(() => isTold(most));
    site.robotsMood = "down";
    site.indexMood = "down";
    const nothing = `Z ${host}: nothing on ${host} could be read (503). The snapshot keeps its 3 pages. Next sync in about `;
    await messages.until(() => isTold(nothing));
    const { stdout, stderr } = await stop(child, ended);
    expect(stderr).not.toContain("No changes");
    expect(stdout).not.toContain('"kind":"removed"');
  });

  it("with a damaged snapshot get a hint, and that a retry cannot help", async () => {
    const site = await openLivingSite();
    const cwd = emptyFolder();
    await runCli(["sync", site.url, "--no-known"], { cwd });
    const [name = ""] = readdirSync(cwd);
    writeFileSync(join(cwd, name), readFileSync(join(cwd, name)).subarray(0, 60));
    const child = startCli(["watch", site.url, ...USUAL], { cwd });
    const messages = new Lines(child, "stderr");
    const ended = endOf(child);
    const isTold = (line: string): boolean =>
      line.includes("Every sync fails until you repair or remove the file");
    await messages.until((all) => all.filter(isTold).length >= 2);
    const { stderr } = await stop(child, ended);
    expect(stderr.split("Use a file that siteatlas sync wrote")).toHaveLength(2);
    expect(stderr).toMatch(/Stopped after [2-9] syncs\n$/);
  });

  it("need an existing folder for their snapshots", async () => {
    const cwd = emptyFolder();
    const { code, stderr } = await runCli(["watch", "http://127.0.0.1:1/", "--snapshots", "none"], { cwd });
    expect([code, stderr]).toEqual([
      2,
      "error: cannot write none/*.snapshot.gz: the folder none does not exist\n  Create it: mkdir -p none\n",
    ]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each(["0", "none", "soon"])("are not synced every %s", async (every) => {
    expect((await runCli(["watch", "http://127.0.0.1:1/", "--every", every])).code).toBe(2);
  });
});

it("does not say of a first sync that it keeps the pages of a truncated sitemap", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": `Sitemap: ${base}/a.xml\nSitemap: ${base}/b.xml\nSitemap: ${base}/cut.xml\n`,
    "/a.xml": urlset([`${base}/1`]),
    "/b.xml": urlset([`${base}/2`]),
    "/cut.xml": urlset([`${base}/3`, `${base}/4`]).slice(0, -30),
  }));
  const child = startCli(["watch", site.url, ...USUAL], { cwd: emptyFolder() });
  const messages = new Lines(child, "stderr");
  const ended = endOf(child);
  await messages.until((all) => all.some((line) => line.includes(" added. ")));
  const { stderr } = await stop(child, ended);
  expect(stderr.split("\n").find((line) => line.includes(" added. "))).toMatch(
    / 3 added\. 3 pages\. 1 sitemap could not be read completely \(truncated\)\.$/,
  );
});

it("reports an unreadable sitemap once, not after each sync", async () => {
  const site = await openLivingSite();
  site.add("b", ["/b1"]);
  site.add("c", ["/c1"]);
  const child = startCli(["watch", site.url, ...USUAL, "--retries", "0"]);
  const lines = new Lines(child);
  const messages = new Lines(child, "stderr");
  const ended = endOf(child);
  await lines.until((all) => all.length > 0);
  site.sitemaps.get("b")!.mood = "down";
  const requests = site.requests.length;
  const isUnread = (line: string): boolean => line.includes("could not be read completely");
  await messages.until((all) => all.some(isUnread));
  // Several syncs later.
  while (site.requests.length < requests + 30) await new Promise((resolve) => setTimeout(resolve, 20));
  site.sitemaps.get("a")!.pages.delete("/a1");
  await messages.until((all) => all.some((line) => line.includes("1 page disappeared")));
  await stop(child, ended);
  // The second one is in the line about the page that disappeared.
  expect(messages.all.filter(isUnread)).toHaveLength(2);
});
