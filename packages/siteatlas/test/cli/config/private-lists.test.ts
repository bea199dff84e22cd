/** Lists of sites on stdin: private addresses are refused unless a flag allows them, and lines have a limit. */
import { readdirSync, readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { splitLines } from "../../../src/cli/config/stdin-lines.ts";
import { readTarget, readTargets } from "../../../src/cli/config/target.ts";
import { isBlockedLiteral } from "../../../src/fetch/guard/address-policy.ts";
import { openSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, endOf, runCli, startCli } from "../support/cli.ts";

buildCli();

async function openPlainSite() {
  return openSite((base) => ({ "/sitemap.xml": urlset([`${base}/page`]) }));
}

describe("a private address", () => {
  it.each(["ls", "find"])("on stdin is not requested by %s", async (command) => {
    const site = await openPlainSite();
    const { host, port } = new URL(site.url);
    const input = [
      site.url,
      `http://localhost:${port}/`,
      `http://a.localhost:${port}`,
      `http://[::ffff:127.0.0.1]:${port}`,
      `http://2130706433:${port}`,
      "http://10.0.0.1/sitemap.xml",
    ].join("\n");
    const { code, stderr } = await runCli([command, "-"], { input });
    expect(code).toBe(3);
    expect(site.requests).toEqual([]);
    expect(stderr.split("\n")[0]).toBe(
      `warning: stdin, line 1: ${host} is a private address. Allow it with --allow ${host} or --allow-private`,
    );
    expect(stderr.match(/is a private address/g)).toHaveLength(6);
    expect(stderr).toContain("6 private addresses on stdin not read");
    expect((await runCli([command, "-", "--fail-on-partial"], { input })).code).not.toBe(0);
  });

  it.each([
    ["an argument", (url: string) => [url], ""],
    ["--allow-private", () => ["-", "--allow-private"], undefined],
    ["--allow HOST:PORT", (url: string) => ["-", "--allow", new URL(url).host], undefined],
    ["--allow RANGE", () => ["-", "--allow", "127.0.0.0/8"], undefined],
  ])("is requested with %s", async (_, args, input) => {
    const site = await openPlainSite();
    const { code, stdout } = await runCli(["ls", ...args(site.url)], { input: input ?? site.url });
    expect([code, stdout]).toEqual([0, `${site.url}/page\n`]);
  });

  it("as an argument does not allow the same address on stdin on another port", async () => {
    const [site, other] = [await openPlainSite(), await openPlainSite()];
    const { stdout, stderr } = await runCli(["ls", site.url, "-"], { input: other.url });
    expect(stdout).toBe(`${site.url}/page\n`);
    expect(other.requests).toEqual([]);
    expect(stderr).toContain("1 private address on stdin not read");
  });

  it("on stdin is not watched", async () => {
    const [site, other] = [await openPlainSite(), await openPlainSite()];
    const cwd = emptyFolder();
    const nothing = await runCli(["watch", "-"], { cwd, input: site.url });
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain("error: no site to watch\n");
    const child = startCli(["watch", other.url, "-"], { cwd });
    child.stdin.end(`${site.url}\n`);
    const ended = endOf(child);
    await expect
      .poll(() => readdirSync(cwd).filter((name) => !name.startsWith(".")), { timeout: 20_000 })
      .toHaveLength(1);
    child.kill("SIGTERM");
    const { stderr } = await ended;
    expect(stderr).toContain("is a private address");
    expect(stderr).toContain("Watching 1 site");
    expect(site.requests).toEqual([]);
  });
});

describe("isBlockedLiteral", () => {
  it.each([
    ["http://8.8.8.8/", {}, false],
    ["http://intranet.example.com/", {}, false],
    ["http://127.0.0.1/", {}, true],
    ["http://[::1]/", {}, true],
    ["http://localhost./", {}, true],
    ["http://localhost:8080/", { allow: ["localhost:8080"] }, false],
    ["http://localhost:8081/", { allow: ["localhost:8080"] }, true],
    ["http://192.168.1.1/", { allow: ["10.0.0.0/8"] }, true],
    ["http://192.168.1.1/", { allowPrivateNetworks: true }, false],
    // Left to the guard, which never allows it.
    ["http://169.254.169.254/", {}, false],
  ])("%s with %j: %s", (url, options, expected) => {
    expect(isBlockedLiteral(url, options)).toBe(expected);
  });
});

describe("lines", () => {
  async function linesOf(chunks: readonly string[]): Promise<(string | undefined)[]> {
    const lines = [];
    for await (const line of splitLines(stream(chunks))) lines.push(line);
    return lines;
  }

  async function* stream(chunks: readonly string[]): AsyncGenerator<string> {
    yield* chunks;
  }

  it("end with any line end, wherever the chunks are split", async () => {
    const text = "a\nb\r\n\r\nc\rd\n\ne";
    const expected = ["a", "b", "", "c", "d", "", "e"];
    expect(await linesOf([text])).toEqual(expected);
    expect(await linesOf([...text])).toEqual(expected);
    for (let at = 1; at < text.length; at++) {
      expect(await linesOf([text.slice(0, at), text.slice(at)])).toEqual(expected);
    }
    expect(await linesOf(["a\r"])).toEqual(["a\r"]);
  });

  it("that are too long are dropped", async () => {
    const long = "x".repeat(8193);
    expect(await linesOf([`a\n${long}\nb\n`])).toEqual(["a", undefined, "b"]);
    expect(await linesOf(["a\n", long, long, "\nb\n", long])).toEqual(["a", undefined, "b", undefined]);
  });

  it("that are not sites are not held until stdin ends, also with credentials for all sites", async () => {
    const stdin = new PassThrough();
    const spy = vi.spyOn(process, "stdin", "get").mockReturnValue(stdin as unknown as typeof process.stdin);
    onTestFinished(() => spy.mockRestore());
    const lines = readTargets(["-"], { auth: "user:password" }, new AbortController().signal);
    stdin.write("10.0.0.1\nexample.com\n10.0.0.2\n");
    expect((await lines.next()).value).toMatchObject({ isBlocked: true });
    expect((await lines.next()).value).toMatchObject({ isBlocked: true });
    stdin.end("example.com/about\n");
    expect((await lines.next()).value).toMatchObject({ target: { url: "https://example.com/" } });
    expect((await lines.next()).done).toBe(true);
  });

  it("with a host name of more than 253 characters are refused without a request", () => {
    const host = (length: number): string => `a${".b".repeat((length - 1) / 2)}`;
    expect(readTarget(host(253)).name).toHaveLength(253);
    expect(() => readTarget(`https://${host(255)}/`)).toThrow(/^the host of ".{100}" has more than 253/);
  });

  it.runIf(process.platform === "linux")("of 100 MB take no memory", async () => {
    const site = await openPlainSite();
    const child = startCli(["ls", "-", "--allow-private"]);
    const ended = endOf(child);
    const chunk = "x".repeat(1_000_000);
    for (let sent = 0; sent < 100; sent++) {
      if (!child.stdin.write(chunk)) await new Promise((resolve) => child.stdin.once("drain", resolve));
    }
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    expect(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(160_000);
    child.stdin.end(`\n${site.url}\n`);
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([0, `${site.url}/page\n`]);
    expect(stderr).toContain("stdin, line 1: the line has more than 8192 characters\n");
  });
});
