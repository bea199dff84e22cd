/** `siteatlas robots` has the same limits as a walk, and reports what it did not read. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { openSite, type SiteHandler } from "../../support/test-site.ts";
import { buildCli, runCli } from "../support/cli.ts";

buildCli();

const RULES = "User-agent: *\nDisallow: /admin/\n";

/** The rules, then endless comments. */
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
    "limit of bytes",
    endless,
    ["--max-bytes", "20000"],
    7,
    /^warning: only the beginning of \S+ was read: .*\(--max-bytes 20000\)\n$/,
  ],
  [
    "idle timeout",
    stalling,
    ["--idle-timeout", "200ms"],
    8,
    /^warning: only the beginning of \S+ was read: /,
  ],
  [
    "timeout of the request",
    stalling,
    ["--timeout", "300ms"],
    8,
    /^warning: only the beginning of \S+ was read: /,
  ],
  ["compression bomb", { body: bomb }, [], 8, /^$/],
])(
  "%s",
  async (_, robots, args, code, stderr) => {
    const site = await openSite({ "/robots.txt": robots });
    const result = await runCli(["robots", site.url, "--can-fetch", "/admin/x", ...args]);
    expect(result.code).toBe(code);
    expect(result.stdout).toMatch(/^disallowed\t\S+\/admin\/x\tline 2: Disallow: \/admin\/ /);
    expect(result.stderr).toMatch(stderr);
    // Below the usual idle time of 30 s.
  },
  20_000,
);

it("--deadline, which its hint names", async () => {
  const site = await openSite({ "/robots.txt": () => undefined });
  const result = await runCli(["robots", site.url, "--deadline", "200ms"]);
  expect(result).toMatchObject({ code: 3, stdout: "" });
  expect(result.stderr).toMatch(
    /^error: \S+ did not answer before the deadline\n {2}Wait longer with --deadline 2h\.\n$/,
  );
});

it("a server that does not answer", async () => {
  const site = await openSite({ "/robots.txt": () => undefined });
  const result = await runCli(["robots", site.url, "--headers-timeout", "200ms"]);
  expect(result).toMatchObject({ code: 3, stdout: "" });
  expect(result.stderr).toMatch(/^error: \S+ did not answer within 0\.2 s\n/);
});
