/** `siteatlas robots` holds a server to the same bounds as a walk does, and says what it did not read. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { openSite, type SiteHandler } from "../support/test-site.ts";
import { buildCli, runCli } from "./support/cli.ts";

buildCli();

const RULES = "User-agent: *\nDisallow: /admin/\n";

/** The rules, and then more and more. */
const endless: SiteHandler = (_, response) => {
  response.writeHead(200).write(RULES);
  const more = (): void => {
    while (!response.destroyed && response.write("#".repeat(16_000)));
  };
  response.on("drain", more);
  more();
  return undefined;
};

const stalling: SiteHandler = (_, response) => {
  response.writeHead(200).write(RULES);
  return undefined;
};

/** 200 MB of comment in 200 bytes. */
const bomb = gzipSync(gzipSync(Buffer.concat([Buffer.from(RULES), Buffer.alloc(200_000_000, "#")])));

it.each<[string, SiteHandler | { body: Uint8Array }, string[], number, RegExp]>([
  [
    "bytes",
    endless,
    ["--max-bytes", "20000"],
    7,
    /^warning: Only the beginning of \S+ was read: .*wireBytes/,
  ],
  ["idle time", stalling, ["--idle-timeout", "200ms"], 0, /^warning: Only the beginning of \S+ was read: /],
  ["all time", stalling, ["--timeout", "300ms"], 0, /^warning: Only the beginning of \S+ was read: /],
  ["a bomb", { body: bomb }, [], 0, /^$/],
])("%s", async (_, robots, args, code, stderr) => {
  const site = await openSite({ "/robots.txt": robots });
  const from = performance.now();
  const result = await runCli(["robots", site.url, "--can-fetch", "/admin/x", ...args]);
  expect(result).toMatchObject({ code, stdout: `disallowed\t${site.url}/admin/x\n` });
  expect(result.stderr).toMatch(stderr);
  expect(performance.now() - from).toBeLessThan(20_000);
});

it("no answer", async () => {
  const site = await openSite({ "/robots.txt": () => undefined });
  const result = await runCli(["robots", site.url, "--headers-timeout", "200ms"]);
  expect(result).toMatchObject({ code: 3, stdout: "" });
  expect(result.stderr).toMatch(/^error: Cannot read /);
});
