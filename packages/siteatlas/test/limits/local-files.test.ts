/** Files from strangers: the memory for reading them is bounded whatever they say. Each in a process of its own. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bomb, forgeSnapshot, HEADER, SITEMAP_URL } from "../support/forged-snapshot.ts";
import { bundleChild, type Child } from "./bundle-child.ts";
import type { FileReport } from "./local-files-child.ts";

const MIB = 1024 * 1024;
const MAX_RSS = 96 * MIB;

let child: Child;
let folder: string;
beforeAll(async () => {
  child = await bundleChild(new URL("local-files-child.ts", import.meta.url));
  folder = mkdtempSync(join(tmpdir(), "siteatlas-limits-"));
});
afterAll(() => {
  child?.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Expected {
  readonly code: string;
  readonly maxRss?: number;
  /** The size of the file, if it is sparse. */
  readonly size?: number;
}

async function check(
  kind: "snapshot" | "tree",
  name: string,
  bytes: Buffer,
  expected: Expected,
): Promise<void> {
  const { code, maxRss = MAX_RSS, size = 0 } = expected;
  const file = join(folder, "file.gz");
  writeFileSync(file, bytes);
  if (size > 0) truncateSync(file, size);
  const report = (await child.run(kind, file)) as FileReport;
  process.stdout.write(
    `${kind}, ${name}: ${bytes.length} bytes, ${report.code}, RSS +${(report.rss / MIB).toFixed(1)} MiB\n`,
  );
  expect(report.code).toBe(code);
  expect(report.rss, "resident set").toBeLessThanOrEqual(maxRss);
}

const FACTS = JSON.stringify(HEADER.facts);
const GIGABYTE_OF = (text: string): Buffer => bomb(text, Math.ceil(1e9 / text.length));
/** Short, correct lines. */
const PAGES = "https://www.example.com/a\n".repeat(100_000);

test.each<[string, () => Buffer, string]>([
  [
    "a header of 1 GB of line feeds",
    () => forgeSnapshot({ headerRest: GIGABYTE_OF("\n".repeat(1e6)) }),
    "invalid",
  ],
  [
    "a header of 1 GB of spaces",
    () => forgeSnapshot({ headerRest: GIGABYTE_OF(" ".repeat(1e7)) }),
    "too-large",
  ],
  [
    "a header with a string of 1 GB",
    () => forgeSnapshot({ headerRest: bomb(`"${"x".repeat(1e7)}`, 100) }),
    "too-large",
  ],
  [
    "a header of 1 GB of empty objects",
    () => forgeSnapshot({ headerRest: GIGABYTE_OF("{},".repeat(1e6)) }),
    "too-large",
  ],
  [
    "a header of 1 GB of numbers",
    () => forgeSnapshot({ headerRest: GIGABYTE_OF("0,".repeat(1e6)) }),
    "too-large",
  ],
  ["a header of deep JSON", () => forgeSnapshot({ lines: [FACTS, "[".repeat(1e7)] }), "invalid"],
  ["a line of 100 MB", () => forgeSnapshot({ lines: [FACTS, `{"url":"${"x".repeat(1e8)}"}`] }), "too-large"],
  [
    "a section of 1 GB in one line",
    () => forgeSnapshot({ section: GIGABYTE_OF("x".repeat(1e7)) }),
    "too-large",
  ],
  [
    "a section of 1 GB of line feeds",
    () =>
      forgeSnapshot({
        section: Buffer.concat([gzipSync(`# ${SITEMAP_URL}\n`), GIGABYTE_OF("\n".repeat(1e6))]),
      }),
    "invalid",
  ],
  [
    "a section with more pages than it says",
    () => forgeSnapshot({ section: Buffer.concat([gzipSync(`# ${SITEMAP_URL}\n`), GIGABYTE_OF(PAGES)]) }),
    "invalid",
  ],
])("snapshot: %s", (name, forge, code) => check("snapshot", name, forge(), { code }));

test("snapshot: a sparse file of 32 GB", async () => {
  const bytes = forgeSnapshot();
  bytes.writeBigUInt64LE(2n ** 35n, 16);
  await check("snapshot", "a sparse file of 32 GB", bytes, { code: "invalid", size: 2 ** 35 });
});

const TREE = '{"format":"siteatlas-tree","version":1}\n';
const node = (more: object): string =>
  `${JSON.stringify({
    sitemap: { kind: "pages", format: "xml", url: SITEMAP_URL, issues: [], issueCount: 0, duplicateCount: 0 },
    subSitemaps: 0,
    pages: 0,
    ...more,
  })}\n`;
const page = (title: string): string => `${JSON.stringify({ url: "https://www.example.com/a", title })}\n`;
const tree = (...parts: readonly Buffer[]): Buffer => Buffer.concat([gzipSync(TREE), ...parts]);

test.each<[string, () => Buffer, string]>([
  ["a line of 100 MB", () => tree(bomb(`"${"x".repeat(1e7)}`, 10)), "too-large"],
  ["1 GB of line feeds", () => tree(GIGABYTE_OF("\n".repeat(1e6))), "invalid"],
  ["deep JSON", () => tree(gzipSync("[".repeat(8e6))), "too-large"],
  ["a line of empty objects", () => tree(gzipSync(`[${"{},".repeat(2e6)}0]\n`)), "too-large"],
  ["huge numbers", () => tree(gzipSync(node({ pages: Number.MAX_SAFE_INTEGER }))), "truncated"],
])("tree: %s", (name, forge, code) => check("tree", name, forge(), { code }));

test("tree: 1 GB of titles", async () => {
  const bytes = tree(gzipSync(node({ pages: 10_000 })), bomb(page("x".repeat(1e5)), 10_000));
  // 32 MiB and 64 times the size of the file are read before the ratio counts as a bomb.
  await check("tree", "1 GB of titles", bytes, { code: "too-large", maxRss: 256 * MIB });
});
