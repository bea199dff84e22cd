/** `siteatlas compare`, as a user runs it: all kinds of inputs, formats, exit codes and temporary files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, endOf, runCli, runShell, startCli } from "../support/cli.ts";
import { openSmallSite } from "../support/small-site.ts";

buildCli();

const SITE = "https://example.com";
const LIST = `${SITE}/a\n${SITE}/b\n${SITE}/blog/x\n`;
const CRAWL = `Address,Status\r\n"${SITE}/a",200\r\n${SITE}/c,200\r\n`;
const DATE = "[17/Nov/2026:09:00:00 +0000]";
const LOG = [
  `203.0.113.7 - - ${DATE} "GET /a HTTP/1.1" 200 5 "-" "Googlebot/2.1"`,
  `203.0.113.7 - - ${DATE} "GET /hidden HTTP/1.1" 200 5 "-" "Googlebot/2.1"`,
  `203.0.113.7 - - ${DATE} "GET /seen HTTP/1.1" 200 5 "-" "Firefox"`,
  `203.0.113.7 - - ${DATE} "POST /b HTTP/1.1" 200 5 "-" "Firefox"`,
  `203.0.113.7 - - ${DATE} "GET /gone HTTP/1.1" 404 5 "-" "Firefox"`,
  "not a log line \u001b[31m",
].join("\n");

/** Creates the files, and runs compare in their folder. */
async function compare(
  files: Readonly<Record<string, string | Uint8Array>>,
  args: readonly string[],
  input = "",
): Promise<Awaited<ReturnType<typeof runCli>> & { readonly folder: string }> {
  const folder = emptyFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return { ...(await runCli(["compare", ...args], { cwd: folder, input })), folder };
}

describe("siteatlas compare", () => {
  it("writes all pages as ndjson into a pipe, with a summary at the end", async () => {
    const { code, stdout, stderr } = await compare({ "a.txt": LIST, "crawl.csv": CRAWL }, [
      "a.txt",
      "crawl.csv",
    ]);
    const records = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records.slice(0, -1)).toEqual([
      { kind: "page", in: "both", url: `${SITE}/a` },
      { kind: "page", in: "a", url: `${SITE}/b` },
      { kind: "page", in: "a", url: `${SITE}/blog/x` },
      { kind: "page", in: "b", url: `${SITE}/c` },
    ]);
    expect(records.at(-1)).toMatchObject({
      kind: "summary",
      onlyA: 2,
      onlyB: 1,
      both: 1,
      a: { type: "urls", urls: 3 },
      b: { type: "csv", column: "Address", urls: 2 },
    });
    expect(stderr).toBe("2 only in a.txt, 1 only in crawl.csv, 1 in both\n");
    expect(code).toBe(0);
  });

  it.each<[string, string[], string]>([
    ["--only a", ["--only", "a"], `${SITE}/b\n${SITE}/blog/x\n`],
    ["--only a,b", ["--only", "a,b"], `${SITE}/b\n${SITE}/blog/x\n${SITE}/c\n`],
    ["csv", ["--only", "both", "-f", "csv"], `in,url,urlInB\r\nboth,${SITE}/a,\r\n`],
    ["tsv", ["--only", "b", "-f", "tsv"], `in\turl\turlInB\nb\t${SITE}/c\t\n`],
    ["--include", ["--only", "a", "--include", "/blog/*"], `${SITE}/blog/x\n`],
  ])("writes %s", async (_, flags, expected) => {
    const crawl = `${CRAWL}${SITE}/blog/y,200\r\n`;
    const files = { "a.txt": LIST, "crawl.csv": flags.includes("--include") ? crawl : CRAWL };
    const { stdout, code } = await compare(files, ["a.txt", "crawl.csv", ...flags]);
    expect([stdout, code]).toEqual([expected, 0]);
  });

  it("draws the summary on a terminal, with only ASCII if the locale has no UTF-8", async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, "a.txt"), LIST);
    writeFileSync(join(folder, "crawl.csv"), CRAWL);
    const script = `LC_ALL=C script -qec "stty cols 70; $SITEATLAS compare a.txt crawl.csv --color never" /dev/null < /dev/null`;
    const { stdout } = await runShell(script, folder);
    const lines = stdout.replaceAll("\r", "").split("\n");
    expect(lines).toContain("a  a.txt      list                   3 pages");
    expect(lines).toContain("b  crawl.csv  table, column Address  2 pages");
    expect(lines.find((line) => line.startsWith("  /blog"))).toMatch(/^ {2}\/blog +<+ +1 +0 +0$/);
    expect(lines).toContain("only in b");
  });

  it("finds what a bot requests and no sitemap lists", async () => {
    const files = { "a.txt": LIST, "access.log.gz": gzipSync(LOG) };
    const flags = ["--origin", SITE, "--only", "b"];
    const all = await compare(files, ["a.txt", "access.log.gz", ...flags]);
    expect(all.stdout).toBe(`${SITE}/hidden\n${SITE}/seen\n`);
    expect(all.stderr).toContain("access.log.gz: 1 line dropped (1 cannot be read)");
    const bot = await compare(files, ["a.txt", "access.log.gz", ...flags, "--agent", "googlebot"]);
    expect(bot.stdout).toBe(`${SITE}/hidden\n`);
    const missing = await compare(files, ["a.txt", "access.log.gz", ...flags, "--status", "404"]);
    expect(missing.stdout).toBe(`${SITE}/gone\n`);
  });

  it("compares a site with a folder, a sitemap and a snapshot", async () => {
    const site = await openSmallSite();
    const folder = emptyFolder();
    const pages = (await runCli(["ls", site.url], { cwd: folder })).stdout.trim().split("\n");
    const [first = ""] = pages;
    await runCli(["sync", site.url, "--snapshot", "s.snapshot.gz"], { cwd: folder });
    writeFileSync(join(folder, "sitemap.xml"), urlset([first, `${site.url}/only-here`]));
    mkdirSync(join(folder, "dist/x"), { recursive: true });
    writeFileSync(join(folder, "dist/x/index.html"), "");
    writeFileSync(join(folder, "dist/404.html"), "");
    const run = async (...args: string[]): Promise<string> =>
      (await runCli(["compare", ...args], { cwd: folder })).stdout;
    expect(await run(site.url, "s.snapshot.gz", "--only", "a,b")).toBe("");
    expect((await run("s.snapshot.gz", site.url, "--only", "both")).trim().split("\n").sort()).toEqual(
      [...new Set(pages)].sort(),
    );
    expect(await run("sitemap.xml", site.url, "--only", "a")).toBe(`${site.url}/only-here\n`);
    expect(await run("dist", "sitemap.xml", "--origin", SITE, "--only", "a")).toBe(`${SITE}/x/\n`);
  });

  it("reads stdin, pipes and process substitutions", async () => {
    const { stdout } = await compare({ "crawl.csv": CRAWL }, ["-", "crawl.csv", "--only", "a"], LIST);
    expect(stdout).toBe(`${SITE}/b\n${SITE}/blog/x\n`);
    const folder = emptyFolder();
    writeFileSync(join(folder, "a.txt"), LIST);
    const shell = "bash -c '$SITEATLAS compare <(cat a.txt) <(gzip -c a.txt) --only both'";
    expect((await runShell(shell, folder)).stdout).toBe(LIST);
  });

  it.each<[string, Record<string, string | Uint8Array>, string[], number, string]>([
    ["one input", {}, ["a.txt"], 2, "needs two inputs"],
    ["a missing file", { "a.txt": LIST }, ["a.txt", "b.csv"], 2, "cannot read b.csv: no such file"],
    ["two stdins", {}, ["-", "-"], 2, "only once"],
    ["a log without an origin", { "a.txt": LIST, "b.log": LOG }, ["a.txt", "b.log"], 2, "--origin https://"],
    ["a table without URLs", { "a.txt": LIST, b: "x,y\n1,2\n" }, ["a.txt", "./b"], 2, "no column with URLs"],
    ["a binary file", { "a.txt": LIST, b: "PK\u0003\u0004\0\0" }, ["a.txt", "./b"], 2, "is not a text file"],
    ["an empty file", { "a.txt": LIST, b: "" }, ["a.txt", "./b"], 3, "b has no URLs"],
    ["a list without --only", { "a.txt": LIST }, ["a.txt", "a.txt", "-f", "urls"], 2, "needs --only"],
  ])("fails for %s", async (_, files, args, expected, message) => {
    const { code, stderr, stdout } = await compare(files, args);
    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr).toContain(message);
  });

  it("exits with code 6 if the inputs differ, with --exit-code", async () => {
    const files = { "a.txt": LIST, "crawl.csv": CRAWL };
    expect((await compare(files, ["a.txt", "crawl.csv", "--exit-code"])).code).toBe(6);
    expect((await compare(files, ["a.txt", "a.txt", "--exit-code"])).code).toBe(0);
  });

  it("reports a truncated file, and exits with code 4 with --fail-on-partial", async () => {
    const packed = gzipSync(Buffer.from(Array.from({ length: 9999 }, (_, at) => `${SITE}/${at}\n`).join("")));
    const files = { "a.txt": LIST, "b.gz": packed.subarray(0, packed.length / 2) };
    const { code, stderr } = await compare(files, ["a.txt", "b.gz", "--fail-on-partial", "--only", "a"]);
    expect(stderr).toContain("b.gz is incomplete");
    expect(code).toBe(4);
  });

  it("suggests --ignore-parts if the URLs are spelled differently", async () => {
    const other = LIST.replaceAll(SITE, "http://www.example.com");
    const files = { "a.txt": LIST, "b.txt": other };
    const { stderr } = await compare(files, ["a.txt", "b.txt", "--only", "a"]);
    expect(stderr).toContain("--ignore-parts scheme,www");
    const { stdout } = await compare(files, [
      "a.txt",
      "b.txt",
      "--ignore-parts",
      "scheme,www",
      "-f",
      "csv",
      "--only",
      "both",
    ]);
    expect(stdout).toContain(`both,${SITE}/a,http://www.example.com/a\r\n`);
  });

  it("disables escape sequences of a file name and of a URL", async () => {
    const name = "a\u001b[31m.txt";
    const { stderr, stdout } = await compare({ [name]: `${SITE}/\u001b[31m\n`, "b.txt": LIST }, [
      name,
      "b.txt",
      "--only",
      "a",
    ]);
    expect(stderr + stdout).not.toContain("\u001b");
  });

  it("does not show credentials", async () => {
    const list = "https://bob:secret@example.com/a\n";
    const { stderr, stdout } = await compare({ "a.txt": list, "b.txt": LIST }, [
      "a.txt",
      "b.txt",
      "--only",
      "both",
    ]);
    expect(stdout).toBe(`${SITE}/a\n`);
    expect(stderr).not.toContain("secret");
  });
});

it("compare ends with code 130 if it is interrupted while it reads stdin", async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, "a.txt"), LIST);
  const child = startCli(["compare", "a.txt", "-", "-vv", "--progress", "json"], { cwd: folder });
  child.stdin.write(LIST);
  // The first progress is written when both inputs are open.
  await new Promise((resolve) => child.stderr.once("data", resolve));
  child.kill("SIGINT");
  const { code, stdout, stderr } = await endOf(child);
  expect([code, stdout]).toEqual([130, ""]);
  expect(stderr).not.toContain("should not happen");
  expect(stderr).toMatch(
    /Interrupted after 3 URLs of a\.txt and \d URLs? of stdin: the comparison is incomplete/,
  );
});

describe("temporary files of compare", () => {
  const many = (from: number): string =>
    Array.from(
      { length: 420_000 },
      (_, at) => `${SITE}/${(from + at).toString(36)}/a-rather-long-name-of-a-page`,
    ).join("\n");

  it("are private, are deleted after kill -9 by the next run, and at the end", async () => {
    const folder = emptyFolder();
    const temporary = emptyFolder();
    const names = (): string[] =>
      readdirSync(temporary).filter((name) => name.startsWith(".siteatlas-compare"));
    writeFileSync(join(folder, "a.txt"), many(0));
    const env = { TMPDIR: temporary };
    const child = startCli(["compare", "a.txt", "-", "--only", "a,b"], { cwd: folder, env });
    for (let tries = 0; names().length === 0 && tries < 600; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(names()).toHaveLength(1);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    expect(names()).toHaveLength(1);
    const { code, stderr } = await runCli(["compare", "a.txt", "a.txt", "--only", "a,b"], {
      cwd: folder,
      env,
    });
    expect([code, stderr]).toEqual([0, "0 only in a.txt, 0 only in a.txt, 420,000 in both\n"]);
    expect(names()).toEqual([]);
    expect(existsSync(join(folder, "a.txt"))).toBe(true);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toHaveLength(many(0).length);
  });

  it("that cannot be written are a readable error", async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, "a.txt"), many(0));
    const env = { TMPDIR: join(folder, "missing") };
    const { code, stderr } = await runCli(["compare", "a.txt", "a.txt"], { cwd: folder, env });
    expect(code).toBe(1);
    expect(stderr).toContain("cannot write temporary files");
  });
});
