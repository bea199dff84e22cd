/** `siteatlas sync`, `diff` and `snapshot` as processes, against a site that changes. */
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSite, urlset } from "../../support/test-site.ts";
import { LivingSite } from "../../sync/living-site.ts";
import { syncOnce, TestClock } from "../../sync/support.ts";
import { buildCli, type CliResult, emptyFolder, endOf, runCli, runShell, startCli } from "../support/cli.ts";

buildCli();

interface Case {
  readonly site: LivingSite;
  readonly cwd: string;
  /** Runs a sync with these flags. */
  readonly sync: (...flags: readonly string[]) => Promise<CliResult>;
  /** The bytes of the snapshot. */
  readonly bytes: () => string;
}

const SNAPSHOT = "s.gz";
/** Retries do not wait. */
const QUICK = ["--backoff", "1ms"];

async function openCase(): Promise<Case> {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  const cwd = emptyFolder();
  site.add("a", ["/a1", "/a2", "/a3"]);
  site.add("b", ["/b1", "/b2"]);
  return {
    site,
    cwd,
    sync: (...flags) => runCli(["sync", site.url, "--snapshot", SNAPSHOT, ...QUICK, ...flags], { cwd }),
    bytes: () => readFileSync(join(cwd, SNAPSHOT)).toString("hex"),
  };
}

/** One change of each kind. */
function change({ site }: Case): void {
  const [a, b] = [site.sitemaps.get("a")!, site.sitemaps.get("b")!];
  a.pages.set("/a4", { lastmod: "2026-02-02", priority: "0.5" });
  a.pages.set("/a2", { lastmod: "2026-02-01", image: "https://example.com/i.png" });
  a.pages.delete("/a1");
  b.pages.set("/a3", a.pages.get("/a3")!);
  a.pages.delete("/a3");
}

interface Operation {
  readonly kind: string;
  readonly [name: string]: unknown;
}

const lines = (text: string): Operation[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Operation);

const kindsOf = (text: string): string[] =>
  lines(text).map(({ kind, url }) =>
    url === undefined ? kind : `${kind} ${new URL(url as string).pathname}`,
  );

describe("sync in a pipe", () => {
  it("writes one operation per line, and the summary last", async () => {
    const given = await openCase();
    const first = await given.sync();
    expect(first.code).toBe(0);
    expect(kindsOf(first.stdout)).toEqual([
      "start",
      ...["/a1", "/a2", "/a3", "/b1", "/b2"].map((p) => `added ${p}`),
      "summary",
    ]);
    expect(first.stderr).toBe(
      `5 pages in 3 sitemaps saved to ${SNAPSHOT}. Run sync again to see what changed.\n`,
    );
    change(given);
    const { code, stdout, stderr } = await given.sync();
    const { site } = given;
    expect(code).toBe(0);
    const [start, ...records] = lines(stdout);
    const { schema, run, at } = start!;
    const envelope = { schema, run, at };
    const previousRun = lines(first.stdout)[0]!["run"];
    expect(start).toEqual({ kind: "start", homepage: site.url, isFirst: false, previousRun, ...envelope });
    expect(lines(first.stdout)[0]).toMatchObject({ kind: "start", isFirst: true });
    expect(lines(first.stdout)[0]!["run"]).not.toBe(run);
    expect(records.slice(0, -1)).toEqual([
      {
        kind: "changed",
        url: site.pageUrl("/a2"),
        fields: ["lastModified", "images"],
        before: { lastModified: "2026-01-01" },
        after: { lastModified: "2026-02-01" },
        sitemaps: [site.sitemapUrl("a")],
        ...envelope,
      },
      {
        kind: "relisted",
        url: site.pageUrl("/a3"),
        from: [site.sitemapUrl("a")],
        to: [site.sitemapUrl("b")],
        ...envelope,
      },
      {
        kind: "added",
        url: site.pageUrl("/a4"),
        page: { lastModified: "2026-02-02", priority: 0.5 },
        sitemaps: [site.sitemapUrl("a")],
        ...envelope,
      },
      { kind: "removed", url: site.pageUrl("/a1"), sitemaps: [site.sitemapUrl("a")], ...envelope },
    ]);
    expect(lines(stdout).at(-1)).toMatchObject({
      kind: "summary",
      homepage: site.url,
      isFirst: false,
      added: 1,
      changed: 1,
      removed: 1,
      relisted: 1,
      isMassRemoval: false,
      lastmod: { score: 1 },
    });
    expect(stderr).toBe(
      "1 added, 1 changed, 1 removed, 1 moved to another sitemap. 5 pages in 3 sitemaps.\n",
    );
    expect(kindsOf((await given.sync()).stdout)).toEqual(["start", "summary"]);
  });

  it.each([
    ["urls", ["-f", "urls"]],
    ["urls", ["-o", "out.txt"]],
    ["json", ["-o", "out.json"]],
    ["ndjson", ["-o", "out.ndjson.gz"]],
    ["ndjson", ["--json"]],
  ])("writes %s with %j", async (format, flags) => {
    const given = await openCase();
    await given.sync();
    change(given);
    const { code, stdout } = await given.sync(...flags);
    expect(code).toBe(0);
    const [option, name = ""] = flags;
    const written = option === "-o" ? readFileSync(join(given.cwd, name)) : Buffer.from(stdout);
    const text = (name.endsWith(".gz") ? gunzipSync(written) : written).toString();
    const { site } = given;
    if (format === "urls") expect(text).toBe(`${site.pageUrl("/a2")}\n${site.pageUrl("/a4")}\n`);
    else {
      const operations = format === "json" ? (JSON.parse(text) as Operation[]) : lines(text);
      expect(operations.map(({ kind }) => kind)).toEqual([
        "start",
        "changed",
        "relisted",
        "added",
        "removed",
        "summary",
      ]);
    }
  });

  it("refuses other formats", async () => {
    const given = await openCase();
    const { code, stderr } = await given.sync("-f", "csv");
    expect(code).toBe(2);
    expect(stderr).toContain("siteatlas sync cannot write csv");
    expect(readdirSync(given.cwd)).toEqual([]);
  });
});

describe("sync", () => {
  it("names a snapshot after the host, or after the URL of a single sitemap", async () => {
    const { site, cwd } = await openCase();
    const { host } = new URL(site.url);
    expect((await runCli(["sync", site.url], { cwd })).code).toBe(0);
    expect((await runCli(["sync", site.sitemapUrl("a")], { cwd })).code).toBe(0);
    const names = readdirSync(cwd);
    expect(names).toHaveLength(2);
    expect(names).toContain(`${host?.replace(":", "_")}.snapshot.gz`);
    expect(names.some((name) => /^127-0-0-1-\d+-a-xml-[0-9a-f]{32}\.snapshot\.gz$/.test(name))).toBe(true);
  });

  it("exits with 6 for changes only with --exit-code, and with 0 without changes", async () => {
    const given = await openCase();
    expect((await given.sync("--exit-code")).code).toBe(6);
    expect((await given.sync("--exit-code")).code).toBe(0);
    given.site.sitemaps.get("a")!.pages.delete("/a1");
    expect((await given.sync("--exit-code", "--dry-run")).code).toBe(6);
    expect((await given.sync()).code).toBe(0);
  });

  it("does not change the snapshot with --dry-run", async () => {
    const given = await openCase();
    await given.sync();
    const before = given.bytes();
    change(given);
    const { stdout, stderr } = await given.sync("--dry-run");
    expect(stderr).toContain("The snapshot was not changed (--dry-run)");
    expect(given.bytes()).toBe(before);
    expect(kindsOf((await given.sync()).stdout)).toEqual(kindsOf(stdout));
    expect(given.bytes()).not.toBe(before);
  });

  it("downloads unchanged sitemaps again with --no-validators, and reports the requests", async () => {
    const given = await openCase();
    await given.sync();
    const usual = lines((await given.sync()).stdout).at(-1)!;
    const plain = lines((await given.sync("--no-validators", "--no-trust")).stdout).at(-1)!;
    expect(usual["notModified"]).toBe(3);
    expect(plain["notModified"]).toBe(0);
    const statuses = given.site.requests.filter(({ path }) => path === "/a.xml").map(({ status }) => status);
    expect(statuses).toEqual([200, 304, 200]);
  });

  it("reports a failed sitemap, and exits with 4 with --fail-on-partial", async () => {
    const given = await openCase();
    await given.sync();
    given.site.sitemaps.get("b")!.mood = "down";
    given.site.sitemaps.get("b")!.pages.clear();
    const { code, stdout, stderr } = await given.sync("-q");
    expect(code).toBe(0);
    expect(kindsOf(stdout)).toEqual(["start", "unknown /b.xml", "summary"]);
    expect(lines(stdout)[1]).toMatchObject({ code: "http.status", pageCount: 2 });
    expect(stderr).toBe(
      "No changes. 5 pages in 3 sitemaps. 1 sitemap could not be read completely (503): its 2 pages are kept as they were.\n",
    );
    expect((await given.sync("--fail-on-partial", "--exit-code")).code).toBe(4);
  });

  it("says on the first sync why it saves more pages than it adds", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": `Sitemap: ${base}/a.xml\nSitemap: ${base}/b.xml\n`,
      "/a.xml": urlset([`${base}/1`, `${base}/2`]),
      "/b.xml": urlset([`${base}/2`]),
    }));
    const { stdout, stderr } = await runCli(["sync", site.url, "--snapshot", "s.gz", "--no-known"]);
    expect(stdout.match(/"kind":"added"/g)).toHaveLength(2);
    expect(stderr).toBe(
      "3 pages in 2 sitemaps saved to s.gz. 1 of them repeats a page of another sitemap. Run sync again to see what changed.\n",
    );
  });

  it("reports a listed sitemap that never existed, and exits with 4 with --fail-on-partial", async () => {
    const given = await openCase();
    given.site.sitemaps.get("b")!.mood = "missing";
    const first = await given.sync("--fail-on-partial");
    expect(first.stderr).toBe(
      `3 pages in 2 sitemaps saved to ${SNAPSHOT}. 1 sitemap failed (404). Run sync again to see what changed.\n`,
    );
    const second = await given.sync("--fail-on-partial");
    expect(second.stderr).toBe("No changes. 3 pages in 2 sitemaps. 1 sitemap failed (404).\n");
    expect([first.code, second.code, (await given.sync()).code]).toEqual([4, 4, 0]);
  });

  it("counts a sitemap that disappeared once", async () => {
    const given = await openCase();
    await given.sync();
    given.site.sitemaps.get("b")!.mood = "missing";
    const { stderr } = await given.sync();
    expect(stderr).toContain(
      "1 sitemap could not be read completely (404): its 2 pages are kept as they were",
    );
    expect(stderr).not.toContain("failed (404)");
  });

  it("warns of a mass removal", async () => {
    const given = await openCase();
    const { pages } = given.site.sitemaps.get("a")!;
    for (let number = 0; number < 35; number++) pages.set(`/more/${number}`, {});
    await given.sync();
    for (let number = 0; number < 12; number++) pages.delete(`/more/${number}`);
    const usual = await given.sync("--dry-run", "-q");
    expect(usual.stderr).toContain("warning: 12 of 40 pages (30%) disappeared at once");
    expect(lines(usual.stdout).filter(({ reason }) => reason === "many")).toHaveLength(12);
    const patient = await given.sync("-q", "--mass-removal", "31%");
    expect(patient.stderr).toBe("");
    expect(lines(patient.stdout).at(-1)).toMatchObject({ removed: 12, pending: 0 });
  });

  it("writes no snapshot of a site without sitemaps, and keeps the snapshot of a site that is down", async () => {
    const empty = await LivingSite.start();
    onTestFinished(() => empty.close());
    empty.robotsMood = "missing";
    empty.indexMood = "missing";
    const cwd = emptyFolder();
    const nothing = await runCli(["sync", empty.url, "-o", "out.ndjson"], { cwd });
    expect(nothing.code).toBe(3);
    expect(nothing.stderr).toContain("no sitemap found");
    expect(readdirSync(cwd)).toEqual([]);

    const given = await openCase();
    await given.sync();
    given.site.robotsMood = "down";
    given.site.indexMood = "down";
    for (const sitemap of given.site.sitemaps.values()) sitemap.mood = "down";
    const { host } = new URL(given.site.url);
    const { code, stdout, stderr } = await given.sync();
    expect(code).toBe(3);
    expect(kindsOf(stdout).some((kind) => kind.startsWith("removed"))).toBe(false);
    expect(stderr).toBe(
      `error: nothing on ${host} could be read (503). The snapshot keeps its 5 pages.\n` +
        "  Try again later.\n",
    );
    given.site.robotsMood = "well";
    given.site.indexMood = "well";
    for (const sitemap of given.site.sitemaps.values()) sitemap.mood = "well";
    expect(kindsOf((await given.sync()).stdout)).toEqual(["start", "summary"]);
    await given.site.close();
    const gone = await given.sync("--retries", "0");
    expect(gone.code).toBe(3);
    expect(gone.stderr).toMatch(
      /^error: cannot connect to 127\.0\.0\.1:\d+ \(connection refused\)\. The snapshot keeps its 5 pages\.\n/,
    );
    expect(gone.stderr).toContain("\n  Try again later.\n");
  });

  it.each(["down", "well"] as const)(
    "writes no record of a first sync without pages: b is %s",
    async (mood) => {
      const given = await openCase();
      given.site.sitemaps.get("a")!.pages.clear();
      given.site.sitemaps.get("b")!.pages.clear();
      given.site.sitemaps.get("b")!.mood = mood;
      expect((await given.sync("-q")).stdout).toBe("");
      expect(readdirSync(given.cwd)).toEqual([]);
    },
  );

  it("also counts the pending pages that the snapshot of a site that is down keeps", async () => {
    const given = await openCase();
    await given.sync();
    const [first] = given.site.sitemaps.values();
    first!.pages.clear();
    await given.sync();
    given.site.robotsMood = "down";
    given.site.indexMood = "down";
    const { stderr } = await given.sync();
    expect(stderr).toContain("The snapshot keeps its 2 pages and 3 pending.");
  });

  it("reports a site without sitemaps once its pages are removed", async () => {
    const given = await openCase();
    const clock = new TestClock(Date.now() - 72 * 3_600_000);
    const syncEarlier = async (): Promise<void> => {
      await syncOnce(given.site, join(given.cwd, SNAPSHOT));
      clock.pass(12);
    };
    await syncEarlier();
    given.site.robotsMood = "missing";
    given.site.indexMood = "missing";
    for (const sitemap of given.site.sitemaps.values()) sitemap.mood = "missing";
    const first = await given.sync("--dry-run");
    expect(first.stderr).toContain("could be read (404). The snapshot keeps its 5 pages.");
    for (let day = 0; day < 4; day++) await syncEarlier();
    const last = await given.sync();
    expect(lines(last.stdout).at(-1)).toMatchObject({ removed: 5, pageCount: 0 });
    expect(last.stderr).toContain("error: no sitemap found on ");
  });

  it("refuses files that are not snapshots, and snapshots of other sites", async () => {
    const given = await openCase();
    writeFileSync(join(given.cwd, SNAPSHOT), "something else");
    const wrong = await given.sync();
    expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
    expect(wrong.stderr).toContain(
      `${SNAPSHOT} is not a siteatlas snapshot\n  Use a file that siteatlas sync wrote, such as example.com.snapshot.gz.`,
    );
    expect(readFileSync(join(given.cwd, SNAPSHOT), "utf8")).toBe("something else");
    const nowhere = await given.sync("--snapshot", "no/such/folder/s.gz");
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      "error: cannot write no/such/folder/s.gz: the folder no/such/folder does not exist\n  Create it: mkdir -p no/such/folder\n",
    ]);
    const folder = await given.sync("--snapshot", given.cwd);
    expect([folder.code, folder.stderr]).toEqual([
      2,
      `error: ${given.cwd} is a folder\n  Use a file, such as ${given.cwd}/example.com.snapshot.gz.\n`,
    ]);

    const other = await openCase();
    await other.sync();
    const path = join(other.cwd, SNAPSHOT);
    const { code, stderr } = await given.sync("--snapshot", path);
    const [host, otherHost] = [given, other].map(({ site }) => new URL(site.url).host);
    expect([code, stderr]).toEqual([
      2,
      `error: ${path} belongs to ${otherHost}, not ${host}\n  Use one file per site: --snapshot ${host?.replace(":", "_")}.snapshot.gz\n`,
    ]);
  });

  it("suggests what to do with a truncated snapshot", async () => {
    const given = await openCase();
    await given.sync();
    const path = join(given.cwd, SNAPSHOT);
    writeFileSync(path, readFileSync(path).subarray(0, -20));
    given.site.sitemaps.get("b")!.pages.delete("/b1");
    const { code, stderr } = await given.sync();
    expect(code).toBe(2);
    expect(stderr).toContain(`${SNAPSHOT} is truncated\n`);
    expect(stderr).toContain(
      "\n  Restore a backup, or remove the file to start over: the next sync then reports every page as added.\n",
    );
  });

  it("shows no escape sequences of a site", async () => {
    const given = await openCase();
    await given.sync();
    given.site.sitemaps.get("a")!.pages.set("/\u202eevil?\u001b[2J", { lastmod: "\u001b]0;evil\u0007" });
    const { stdout } = await runShell(
      `SHELL=/bin/sh script --quiet --return --flush --command "stty cols 80 -onlcr; TERM=dumb $SITEATLAS sync ${given.site.url} --snapshot ${SNAPSHOT} --progress none" /dev/null`,
      given.cwd,
    );
    expect(stdout).toContain("+ 1 added");
    expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});

describe("sync on a terminal", () => {
  it("fits reasons and times into 80 columns, and says how to see all changes", async () => {
    const given = await openCase();
    given.site.add("a-sitemap-with-a-long-name-that-is-cut", ["/c1", "/c2", "/c3", "/c4"]);
    await given.sync();
    const cut = given.site.sitemaps.get("a-sitemap-with-a-long-name-that-is-cut")!;
    cut.pages.delete("/c1");
    cut.pages = new Map([["/c0", {}], ...cut.pages]);
    cut.mood = "cut";
    given.site.sitemaps.get("b")!.mood = "missing";
    for (let number = 0; number < 7; number++) given.site.sitemaps.get("a")!.pages.set(`/more/${number}`, {});
    const run = (command: string): Promise<CliResult> =>
      runShell(
        `SHELL=/bin/sh script --quiet --return --flush --command "stty cols 80 -onlcr; TERM=xterm LANG=C.UTF-8 $SITEATLAS ${command} --progress none --color never" /dev/null`,
        given.cwd,
      );
    const { stdout } = await run(`sync ${given.site.url} --snapshot ${SNAPSHOT} --backoff 1ms`);
    const shown = stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "(-- 16 wide --)UTC");
    expect(shown).toContain("      … and 3 more (-f ndjson lists all)\n");
    expect(shown).toContain(`  ? 2 sitemaps could not be read completely: their 7 pages are kept as they were
      /a-sitemap-with-a…e-that-is-cut.xml  truncated, since (-- 16 wide --)UTC
      /b.xml                               404, since (-- 16 wide --)UTC
`);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    const snapshot = await run(`snapshot show ${SNAPSHOT}`);
    const rows = snapshot.stdout.split("\n").filter((row) => row.startsWith("  /"));
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(80);
    expect(rows.filter((row) => row.endsWith(" "))).toEqual([]);
    expect(new Set(rows.map((row) => row.search(/ (?:pages?|sitemaps?)\b/))).size).toBe(1);
    expect(rows.find((row) => row.includes("/b.xml"))).toMatch(/2 pages {5}404, since .* UTC/);
  });

  it("shows a summary with examples, failures and costs", async () => {
    const given = await openCase();
    const { pages } = given.site.sitemaps.get("a")!;
    for (let number = 0; number < 7; number++) pages.set(`/more/${number}`, { lastmod: "2026-01-01" });
    await given.sync();
    change(given);
    pages.delete("/more/3");
    pages.set("/elsewhere/a-page-with-a-name", {});
    given.site.sitemaps.get("b")!.mood = "down";
    const { stdout, code } = await runShell(
      `SHELL=/bin/sh script --quiet --return --flush --command "stty cols 100 -onlcr; TERM=xterm LANG=C.UTF-8 $SITEATLAS sync ${given.site.url} --snapshot ${SNAPSHOT} --progress none --color never --backoff 1ms" /dev/null`,
      given.cwd,
    );
    expect(code).toBe(0);
    const shown = stdout
      .replaceAll(new URL(given.site.url).host, "site.test")
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "(time)")
      .replace(/[\d.]+ k?B in [\d.]+ m?s/, "# B in # ms");
    expect(shown).toBe(`site.test  since (time)

  + 2 added
      /a4                            2026-02-02
      /elsewhere/a-page-with-a-name
  ~ 1 changed
      /a2  lastModified 2026-01-01 → 2026-02-01, images
  ? 3 disappeared, removal not certain yet
      /a1      another sitemap may list it
      /a3      another sitemap may list it
      /more/3  another sitemap may list it
  ? 1 sitemap could not be read completely: its 2 pages are kept as they were
      /b.xml  503, since (time)

  lastmod is reliable (score 0.909 of 1)
  8 requests (1 not modified), # B in # ms
2 added, 1 changed. 11 pages in 3 sitemaps. 3 pages disappeared, but their removal is not certain
yet. 1 sitemap could not be read completely (503): its 2 pages are kept as they were.
`);
  });
});

describe("a sync that is stopped before its end is repeated", () => {
  it("when the pipe is closed", async () => {
    const given = await openCase();
    await given.sync();
    const before = given.bytes();
    const { pages } = given.site.sitemaps.get("a")!;
    for (let number = 0; number < 20_000; number++) pages.set(`/a-page-with-a-long-name/${number}`, {});
    const { stdout, stderr } = await runShell(
      `$SITEATLAS sync ${given.site.url} --snapshot ${SNAPSHOT} --progress none | head -n 1; echo "\${PIPESTATUS[0]}"`,
      given.cwd,
    );
    expect(stderr).toBe("");
    expect(stdout.split("\n")[1]).toBe("0");
    expect(given.bytes()).toBe(before);
    expect(readdirSync(given.cwd)).toEqual([SNAPSHOT]);
    expect(lines((await given.sync()).stdout).at(-1)).toMatchObject({ added: 20_000 });
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("with %s", async (signal, expected) => {
    const given = await openCase();
    await given.sync();
    const before = given.bytes();
    change(given);
    let asked: (value?: unknown) => void = () => {};
    const isAsked = new Promise((resolve) => {
      asked = resolve;
    });
    const release = given.site.hold("/b.xml", () => asked());
    const child = startCli(["sync", given.site.url, "--snapshot", SNAPSHOT, "-o", "out.ndjson"], {
      cwd: given.cwd,
    });
    const ended = endOf(child);
    await isAsked;
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    release();
    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr).toContain("Interrupted: the snapshot was not changed\n");
    expect(given.bytes()).toBe(before);
    expect(readdirSync(given.cwd)).toEqual([SNAPSHOT]);
    expect(kindsOf((await given.sync()).stdout)).toHaveLength(6);
  });

  it.skipIf(process.platform !== "linux")("when the output cannot be written", async () => {
    const given = await openCase();
    await given.sync();
    const before = given.bytes();
    change(given);
    const child = startCli(
      ["sync", given.site.url, "--snapshot", SNAPSHOT, "-f", "ndjson", "-o", "/dev/full"],
      {
        cwd: given.cwd,
      },
    );
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(1);
    expect(given.bytes()).toBe(before);
  });
});

describe("diff", () => {
  async function twoSnapshots(): Promise<Case> {
    const given = await openCase();
    await given.sync();
    writeFileSync(join(given.cwd, "old.gz"), readFileSync(join(given.cwd, SNAPSHOT)));
    change(given);
    await given.sync();
    return given;
  }

  it("reports the same as a sync, without the network", async () => {
    const { site, cwd } = await twoSnapshots();
    site.requests.length = 0;
    const { code, stdout, stderr } = await runCli(["diff", "old.gz", SNAPSHOT], { cwd });
    expect(code).toBe(0);
    expect(kindsOf(stdout)).toEqual([
      ...["start", "changed /a2", "relisted /a3", "added /a4", "removed /a1", "summary"],
    ]);
    const [{ schema, run, at } = {}] = lines(stdout) as Partial<Operation>[];
    expect(lines(stdout).at(-1)).toEqual({
      ...{ schema, run, at },
      kind: "summary",
      homepage: site.url,
      pageCount: 5,
      added: 1,
      changed: 1,
      removed: 1,
      pending: 0,
      relisted: 1,
      unknownSitemaps: 0,
      unknownPages: 0,
    });
    expect(stderr).toBe(
      "1 added, 1 changed, 1 removed, 1 moved to another sitemap. 5 pages in 3 sitemaps.\n",
    );
    expect(site.requests).toEqual([]);
    const inverse = await runCli(["diff", SNAPSHOT, "old.gz"], { cwd });
    expect(inverse.stderr).toContain(
      `warning: ${SNAPSHOT} is newer than old.gz: added pages are reported as`,
    );
    expect(inverse.stderr).toContain(`Name the older one first: siteatlas diff old.gz ${SNAPSHOT}`);
    const back = await runCli(["diff", SNAPSHOT, "old.gz", "-f", "urls", "-q"], { cwd });
    expect([back.stdout, back.stderr]).toEqual([`${site.pageUrl("/a1")}\n${site.pageUrl("/a2")}\n`, ""]);
  });

  it("exits with 6 for changes with --exit-code, and with 2 for a file that is not a snapshot", async () => {
    const { cwd } = await twoSnapshots();
    const codeOf = async (...args: string[]) => (await runCli(["diff", ...args], { cwd })).code;
    expect(await codeOf("old.gz", SNAPSHOT, "--exit-code")).toBe(6);
    expect(await codeOf("old.gz", "old.gz", "--exit-code")).toBe(0);
    expect(await codeOf("old.gz", "none.gz")).toBe(2);
    expect(await codeOf("old.gz")).toBe(2);
    expect(await codeOf("old.gz", SNAPSHOT, "more.gz")).toBe(2);
    const folder = await runCli(["diff", "old.gz", cwd], { cwd });
    expect([folder.code, folder.stderr.split("\n")[0]]).toEqual([2, `error: ${cwd} is a folder`]);
  });

  it("warns of snapshots of two sites, or of a site and one of its sitemaps", async () => {
    const [given, other] = [await openCase(), await openCase()];
    await given.sync();
    await other.sync();
    const { cwd, site } = given;
    await runCli(["sync", site.sitemapUrl("a"), "--snapshot", "a.gz"], { cwd });
    const path = join(other.cwd, SNAPSHOT);
    const [host, otherHost] = [given, other].map((one) => new URL(one.site.url).host);
    const two = await runCli(["diff", SNAPSHOT, path, "-q"], { cwd });
    expect(two.stderr).toContain(
      `warning: the snapshots are of different sites: ${SNAPSHOT} of ${host}, ${path} of ${otherHost}\n`,
    );
    const one = await runCli(["diff", SNAPSHOT, "a.gz", "-q"], { cwd });
    expect(one.stderr).toContain(
      `warning: ${SNAPSHOT} is a snapshot of the complete site, a.gz of only ${site.sitemapUrl("a")}\n  Pages that only one`,
    );
    expect((await runCli(["diff", "a.gz", "a.gz", "-q"], { cwd })).stderr).toBe("");
  });
});

describe("snapshot", () => {
  it("shows its contents", async () => {
    const given = await openCase();
    await given.sync();
    change(given);
    given.site.sitemaps.get("b")!.mood = "down";
    await given.sync();
    const { code, stdout } = await runCli(["snapshot", "show", SNAPSHOT], { cwd: given.cwd });
    expect(code).toBe(0);
    const shown = stdout
      .replaceAll(new URL(given.site.url).host, "site.test")
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "(time)");
    expect(shown).toBe(`site.test  4 pages in 3 sitemaps, 2 pending

  (time)  1 added, 1 changed, 1 sitemap could not be read completely
  (time)  5 added
  lastmod is reliable (score 1 of 1)

  /a.xml      2 pages     lastmod score 1 of 1
  /b.xml      2 pages     503, since (time), lastmod score 1 of 1
  /index.xml  2 sitemaps  its dates did not show all changes

  2 pages disappeared, removal not certain yet: its sitemap lost half of its pages or more, since (time)
`);
    const json = await runCli(["snapshot", "show", SNAPSHOT, "--json"], { cwd: given.cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({
      format: "siteatlas-snapshot",
      homepage: given.site.url,
      pageCount: 4,
      runs: [{ added: 5 }, { added: 1, removed: 0 }],
      pending: [{ reason: "shrunk", pageCount: 2, sitemaps: [given.site.sitemapUrl("a")] }],
      lastmod: { score: 1 },
      sitemaps: [{ url: given.site.sitemapUrl("a") }, { unknown: { code: "http.status" } }, {}, {}],
    });
    const exported = await runCli(["snapshot", "export", SNAPSHOT], { cwd: given.cwd });
    expect(exported.stdout.trimEnd().split("\n")).toHaveLength(4 + 2);
    expect(exported.stderr).toContain(". 2 of them pending: their removal is not certain yet.\n");
  });

  it("writes its pages in the formats of ls", async () => {
    const given = await openCase();
    given.site.sitemaps
      .get("a")!
      .pages.set("/dated", { lastmod: "2026-02", priority: "0.3", changefreq: "daily" });
    await given.sync();
    const run = (...flags: string[]) =>
      runCli(["snapshot", "export", SNAPSHOT, ...flags], { cwd: given.cwd });
    const urls = await run();
    expect(urls.stdout).toBe(
      ["/a1", "/a2", "/a3", "/dated", "/b1", "/b2"].map((path) => `${given.site.pageUrl(path)}\n`).join(""),
    );
    expect(urls.stderr).toBe("6 pages in 3 sitemaps\n");
    const csv = await run("-f", "csv", "--include", "/dated");
    expect(csv.stdout).toBe(
      "url,lastmod,lastmod_text,changefreq,priority,published,published_text,sitemap\r\n" +
        `${given.site.pageUrl("/dated")},2026-02,,daily,0.3,,,${given.site.sitemapUrl("a")}\r\n`,
    );
    const ndjson = await run("--json", "--since", "2026-01-15");
    expect(lines(ndjson.stdout)).toEqual([
      {
        url: given.site.pageUrl("/dated"),
        lastmod: "2026-02",
        changefreq: "daily",
        priority: 0.3,
        sitemap: given.site.sitemapUrl("a"),
      },
    ]);
    expect((await run("-o", "pages.parquet")).code).toBe(0);
    expect(readFileSync(join(given.cwd, "pages.parquet")).subarray(0, 4).toString()).toBe("PAR1");
    expect((await run("-f", "tree")).code).toBe(2);
    const missing = await run("--fields", "url,title");
    expect([missing.code, missing.stderr.split("\n")[0]]).toEqual([
      2,
      'error: a snapshot has no field "title"',
    ]);
  });

  it("reports wrong actions and flags", async () => {
    const wrong = await runCli(["snapshot", "shwo", "a.gz"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      'error: unknown command "siteatlas snapshot shwo"\n  Did you mean "siteatlas snapshot show a.gz"?\n',
    ]);
    expect((await runCli(["snapshot", "show"])).code).toBe(2);
    expect((await runCli(["snapshot", "show", "a.gz"])).stderr).toContain("no such file");
    expect((await runCli(["snapshot", "show", "a.gz", "b.gz"])).stderr).toBe(
      'error: siteatlas snapshot show takes one file: "b.gz" is one too many\n',
    );
    for (const flags of [["--limit", "3"], ["--fields", "url"], ["--unique"]]) {
      const { code, stderr } = await runCli(["snapshot", "show", "a.gz", ...flags]);
      expect([code, stderr]).toEqual([
        2,
        `error: siteatlas snapshot show has no flag ${flags[0]}\n  Use it with siteatlas snapshot export a.gz.\n`,
      ]);
    }
    // A settings file may contain settings of other commands.
    const env = { SITEATLAS_LIMIT: "3" };
    expect((await runCli(["snapshot", "show", "a.gz"], { env })).stderr).toContain("no such file");
  });
});
