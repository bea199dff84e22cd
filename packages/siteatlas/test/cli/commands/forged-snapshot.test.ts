/** Commands that read snapshots of strangers: a message and an exit code, no escape character, no credentials. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Forged,
  forgePages,
  forgeSnapshot,
  HEADER,
  SITEMAP_URL,
} from "../../support/forged-snapshot.ts";
import { openSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

const ESC = "\u001b]0;owned\u0007";

const FORGED: readonly [string, Buffer][] = [
  ["an escape character in a page", forgePages([`https://www.example.com/${ESC}`])],
  ["credentials in a page", forgePages(["https://user:S1tePw@www.example.com/"])],
  ...[
    { facts: { homepage: `https://www.example.com/${ESC}` } },
    { facts: { homepage: "https://user:S1tePw@www.example.com/" } },
    { facts: { startedAt: ESC } },
    { facts: { version: ESC } },
    { sitemap: { url: "https://user:S1tePw@www.example.com/a.xml" } },
    { sitemap: { etag: `"${ESC}"` } },
    { sitemap: { [ESC]: 1 } },
    { sitemap: { format: ESC } },
  ].map((forged: Forged): [string, Buffer] => [JSON.stringify(forged), forgeSnapshot(forged)]),
];

describe.each(FORGED)("%s", (_, bytes) => {
  it.each([
    [["snapshot", "show", "bad.gz", "--json"]],
    [["snapshot", "export", "bad.gz", "-f", "csv"]],
    [["diff", "good.gz", "bad.gz"]],
    [["sync", "http://127.0.0.1:9/", "--snapshot", "bad.gz"]],
  ])("%j", async (args) => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "good.gz"), forgePages(["https://www.example.com/b"]));
    writeFileSync(join(cwd, "bad.gz"), bytes);
    const { code, stdout, stderr } = await runCli(args, { cwd });
    const isOfPages = bytes === FORGED[0]![1] || bytes === FORGED[1]![1];
    // These do not read the pages.
    if (!(isOfPages && /show|sync/.test(args.join(" ")))) expect(code).toBe(2);
    for (const text of [stdout, stderr]) {
      expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]|S1tePw/);
      expect(text).not.toContain("This should not happen");
    }
  });
});

it("texts of a snapshot that the format does not restrict are escaped", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "odd.gz"), forgeSnapshot({ sitemap: { declared: ESC } }));
  const { code, stdout } = await runCli(["snapshot", "show", "odd.gz", "--json"], { cwd });
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
});

it("snapshot show --json writes one object, whatever the number of sitemaps", async () => {
  const cwd = emptyFolder();
  const facts = { ...HEADER.facts, pageCount: 0 };
  // The counts of old snapshots are dropped.
  const { unread: _, unasked: __, ...evidence } = HEADER.sitemap["evidence"] as Record<string, unknown>;
  for (const [number, parents] of [
    [0, []],
    [3, Array.from({ length: 600 }, () => 0)],
  ] as const) {
    const sitemaps = Array.from({ length: number }, (_, i) => ({
      ...HEADER.sitemap,
      pageCount: 0,
      url: SITEMAP_URL + (i === 0 ? "a".repeat(1_000_000) : i),
      parents,
    }));
    writeFileSync(
      join(cwd, "a.gz"),
      forgeSnapshot({ lines: [facts, ...sitemaps].map((line) => JSON.stringify(line)) }),
    );
    const { code, stdout } = await runCli(["snapshot", "show", "a.gz", "--json"], { cwd });
    expect(code).toBe(0);
    expect(stdout.length).toBeLessThan(5_000_000);
    expect(JSON.parse(stdout)).toEqual({
      ...facts,
      lastmod: HEADER.sitemap["lastmod"],
      sitemaps: sitemaps.map((sitemap) => ({ ...sitemap, evidence, parents: [sitemaps[0]!.url] })),
      pending: [],
    });
  }
});

it("sync names the file, the place and what to do", async () => {
  const site = await openSite((base) => ({ "/sitemap.xml": urlset([`${base}/page`]) }));
  const cwd = emptyFolder();
  const name = `${new URL(site.url).host.replace(":", "_")}.snapshot.gz`;
  writeFileSync(join(cwd, name), forgeSnapshot({ facts: { pageCount: -1 } }));
  const { code, stderr } = await runCli(["sync", site.url], { cwd });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: .*\.snapshot\.gz is not valid: \$\.pageCount must be a count, but is -1\n/);
  expect(stderr).toContain("Restore a backup, or remove the file");
});
