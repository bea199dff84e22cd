/**
 * Snapshot files: reading one works or throws a `SnapshotError`, pages have safe URLs, and every page that the parser
 * returns has a line that the reader accepts.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, gzipSync } from "node:zlib";
import { parseSitemap } from "../../../src/parse/index.ts";
import { diffSnapshots } from "../../../src/sync/diff-snapshots.ts";
import { SectionChecker } from "../../../src/sync/snapshot/check-section.ts";
import { pageLine, readPageLine } from "../../../src/sync/snapshot/page-line.ts";
import { readSnapshot } from "../../../src/sync/snapshot/read-snapshot.ts";
import { SnapshotError } from "../../../src/sync/snapshot/snapshot-error.ts";
import type { SnapshotSitemap } from "../../../src/sync/snapshot/snapshot-format.ts";
import { forgeSnapshot } from "../../support/forged-snapshot.ts";
import { type FuzzInput, readInput, textOf } from "../input.ts";
import { onlyThrows, withinTime } from "../promises.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const folder = temporaryFolder();
const path = join(folder, "a.snapshot");
const good = join(folder, "good.snapshot");
writeFileSync(good, forgeSnapshot());

/** In a header, stands for the length and the checksums of the section, which a fuzzer does not find. */
const SECTION_MARK = '"section":"@"';
/** Separates the header and the section. */
const SECTION_START = "\n\n";

const WEB_URL = /^https?:\/\/[!-.0-?A-~]+\/[!-~]*$/;

export async function fuzz(data: Uint8Array): Promise<void> {
  const input = readInput(data);
  await withinTime(() => (input.choice % 4 === 3 ? checkPages(input) : checkFile(input)));
}

async function checkFile({ choice, bytes }: FuzzInput): Promise<void> {
  // A part of the inputs is the file itself, the others are its content with correct checksums.
  writeFileSync(path, choice % 4 === 0 ? bytes : forge(bytes));
  await onlyThrows(SnapshotError, async () => {
    const snapshot = await readSnapshot(path);
    try {
      for (const url of [snapshot.facts.homepage, ...snapshot.sitemaps.map(({ url }) => url)]) {
        assert.match(url, WEB_URL);
      }
      for await (const { url } of snapshot.pages()) assert.match(url, WEB_URL);
      for await (const _ of diffSnapshots(good, snapshot));
    } finally {
      await snapshot.close();
    }
  });
}

function forge(bytes: Uint8Array): Buffer {
  const content = Buffer.from(bytes).toString("latin1");
  const [header = "", section = ""] = content.split(SECTION_START, 2);
  const packed = gzipSync(Buffer.from(section, "latin1"));
  const facts = { bytes: packed.length, hash: "0123456789abcdef", crc: crc32(packed) };
  const lines = Buffer.from(header, "latin1")
    .toString()
    .replace(SECTION_MARK, `"section":${JSON.stringify(facts)}`);
  return forgeSnapshot({ lines: lines.split("\n"), section: packed });
}

async function checkPages({ bytes }: FuzzInput): Promise<void> {
  const { pages } = await parseSitemap(textOf(bytes), { url: "https://www.example.com/sitemap.xml" });
  const url = "https://www.example.com/sitemap.xml";
  const lines = [...pages].map((page) => pageLine(page));
  const checker = new SectionChecker({ url, pageCount: lines.length } as SnapshotSitemap, "a");
  checker.add([`# ${url}`, ...lines].map((line) => `${line}\n`).join(""));
  checker.end();
  assert.deepEqual(
    lines.map((line) => readPageLine(line).url),
    [...pages].map((page) => page.url),
  );
}
