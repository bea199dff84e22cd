/** Live progress and colors on a real terminal (a pty of `script`). */
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openSite, pageUrls, robotsTxt, type TestSite, urlset } from "../../support/test-site.ts";
import { buildCli, runShell } from "../support/cli.ts";
import { openSmallSite } from "../support/small-site.ts";

buildCli();

const hasScript = spawnSync("script", ["--version"]).status === 0;

/** The bytes that a terminal of 100 columns gets. */
async function onTerminal(command: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const variables = Object.entries({ TERM: "xterm-256color", LANG: "C.UTF-8", ...env })
    .map(([name, value]) => `export ${name}=${value};`)
    .join(" ");
  const inside = `stty cols 100 rows 30 -onlcr; ${variables} ${command}`;
  const { code, stdout, stderr } = await runShell(
    `SHELL=/bin/sh script --quiet --return --flush --command "${inside}" /dev/null`,
  );
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

/** Slow enough for several frames of live progress. */
function openSlowSite(): Promise<TestSite> {
  return openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset(pageUrls(base, 100)),
    "/b.xml": async () => {
      await sleep(1500);
      return { body: urlset([`${base}/b`]) };
    },
  }));
}

const STYLE = /\u001b\[\d+m/;
const FRAME = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;

/** The final screen: applies the cursor movements and erased lines of log-update. */
function shownAtLast(stream: string): string[] {
  const lines: string[] = [""];
  let at = 0;
  for (const [piece] of stream.matchAll(/\u001b\[(?:\?\d+[hl]|\d*[A-Za-z])|\n|\r|[^\u001b\n\r]+/g)) {
    const [, times = "", action = ""] = /^\u001b\[(\d*)([A-Z])$/.exec(piece) ?? [];
    if (piece === "\n") lines[++at] ??= "";
    else if (action === "A") at = Math.max(0, at - Number(times || 1));
    else if (action === "K") lines[at] = "";
    else if (action === "J") lines.length = at + 1;
    else if (!piece.startsWith("\u001b") && piece !== "\r") lines[at] += piece;
  }
  return lines.filter((line) => line !== "");
}

describe.skipIf(!hasScript)("a terminal (skipped: no script)", () => {
  it("shows live progress, which disappears at the end", async () => {
    const site = await openSlowSite();
    const stream = await onTerminal(`$SITEATLAS ls ${site.url} --no-known -o pages.csv`);
    expect(stream).toMatch(/100 pages · /);
    expect(stream).toMatch(FRAME);
    expect(stream).toContain("1 of 2 sitemaps");
    expect(shownAtLast(stream)).toEqual(["101 pages in 2 sitemaps"]);
  });

  it("shows pages and progress on the same screen, and loses no page", async () => {
    const site = await openSlowSite();
    const stream = await onTerminal(`$SITEATLAS ls ${site.url} --no-known --color never`);
    expect(stream).toMatch(FRAME);
    expect(shownAtLast(stream)).toEqual([
      `${site.url}/a.xml`,
      ...pageUrls(site.url, 100).map((url) => `  ${url}`),
      `${site.url}/b.xml`,
      `  ${site.url}/b`,
      "101 pages in 2 sitemaps",
    ]);
  });

  it("draws no live lines over the output of a pipe", async () => {
    const site = await openSlowSite();
    const stream = await onTerminal(`$SITEATLAS ls ${site.url} --no-known | cat`);
    expect(stream).not.toContain("\u001b");
    expect(stream.split("\n")).toHaveLength(101 + 1 + 1);
  });

  it.each([{ CI: "true" }, { TERM: "dumb" }])("overwrites no output with %j", async (env) => {
    const site = await openSlowSite();
    const stream = await onTerminal(`$SITEATLAS ls ${site.url} --no-known -o pages.csv`, env);
    expect(stream).not.toMatch(FRAME);
    expect(stream).toBe("101 pages in 2 sitemaps\n");
  });

  it.each(["stats", "tree", "ls", "find", "robots"])(
    "has colors unless they are turned off: %s",
    async (name) => {
      const site = await openSmallSite();
      const command = `$SITEATLAS ${name} ${site.url} --progress none`;
      expect(await onTerminal(command)).toMatch(STYLE);
      for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
        expect(await onTerminal(command, env)).not.toContain("\u001b");
      }
      expect(await onTerminal(`${command} --color always`, { NO_COLOR: "1" })).toMatch(STYLE);
      expect(await onTerminal(`${command} --color never`)).not.toContain("\u001b");
    },
  );

  it("sets the width of the picture", async () => {
    const site = await openSmallSite();
    for (const columns of [60, 100]) {
      const stream = await onTerminal(
        `stty cols ${columns}; $SITEATLAS stats ${site.url} --color never --progress none`,
      );
      const widths = stream.split("\n").map((line) => [...line].length);
      expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
      expect(Math.max(...widths)).toBeGreaterThan(columns / 2);
    }
  });

  it("wraps messages between words", async () => {
    const site = await openSite({});
    const stream = await onTerminal(
      `stty cols 60; $SITEATLAS ${site.url} --color never --progress none || true`,
    );
    expect(stream.split("\n").map((line) => line.length > 60)).not.toContain(true);
    expect(stream).toMatch(/^error: no sitemap found on [\d.:]+\n {2}Tried: robots\.txt \(404\), /);
  });

  it("gets ASCII if it has no UTF-8", async () => {
    const site = await openSlowSite();
    const stream = await onTerminal(`$SITEATLAS tree ${site.url} --no-known --color never`, { LANG: "C" });
    expect(stream).toMatch(/^[\x00-\x7f]*$/);
    expect(stream).toContain("`- ");
    expect(stream).toContain("100 pages - ");
  });
});
