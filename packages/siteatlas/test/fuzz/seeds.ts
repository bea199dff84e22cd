/**
 * The first inputs of each fuzz target: the fixtures of the repository in the form that the target expects, and the
 * findings of earlier runs (`findings/`).
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { SETTING_NAMES } from "../../src/cli/config/flags.ts";
import { parseSitemap, saveTree, treeFromJson } from "../../src/index.ts";
import { type Fixture, loadDates, loadFixtures } from "../support/fixtures.ts";
import { forgeSnapshot, HEADER, SITEMAP_URL } from "../support/forged-snapshot.ts";
import { documentChoice, textOf, writeInput } from "./input.ts";
import type { TargetName } from "./target-table.mjs";

const FINDINGS = fileURLToPath(new URL("findings/", import.meta.url));
/** Longer fixtures are left out: an input should run in about a millisecond. */
const MAX_FIXTURE_LENGTH = 4096;

export async function seedsOf(target: TargetName): Promise<Uint8Array[]> {
  return [...(await SEEDS[target]()), ...findingsOf(target)];
}

function findingsOf(target: TargetName): Uint8Array[] {
  const folder = FINDINGS + target;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => new Uint8Array(readFileSync(join(folder, name))));
}

const SEEDS: Readonly<Record<TargetName, () => Uint8Array[] | Promise<Uint8Array[]>>> = {
  parse: () => fixtures().map((fixture, n) => writeInput(choiceOf(fixture), 1 + (n % 5), fixture.input)),
  decode: decodeSeeds,
  robots: robotsSeeds,
  "json-feed": jsonSeeds,
  dates: () => loadDates().flatMap(({ text }) => [writeInput(0, 0, text), writeInput(1, 0, text)]),
  urls: urlSeeds,
  snapshot: snapshotSeeds,
  settings: settingsSeeds,
  "saved-tree": treeSeeds,
  "html-sitemap": () => HTML_SITEMAPS.map((text, n) => writeInput(n, 1 + (n % 5), text)),
  "llms-txt": () => LLMS_TXTS.map((text, n) => writeInput(0, 1 + (n % 5), text)),
};

const HTML_SITEMAPS: readonly string[] = [
  '<!DOCTYPE html><html><head><title>Sitemap</title><meta charset="utf-8"><base href="/dir/"></head><body><nav><a href="/nav">Nav</a></nav><h2>Chairs</h2><ul><li><a href="a">A &amp; B</a><li><a href="/b?x=1&amp;y=2#c" rel="nofollow">C</a></ul></body></html>',
  '<a href="https://shop.test/a" title=\'t\'>&#65;&eacute;&nbsp;<img alt="icon"><svg><title>T</title></svg></a><area href=/b alt=B>',
  '<!-- <a href="/no">no</a> --><script>"<a href=/no>"</script><style><a href="/no"></style><template><a href="/no"></a></template><textarea><a href="/no"></textarea><a href="/a"><!-- x -->1 < 2</a',
  '<meta http-equiv="content-type" content="text/html; charset=iso-8859-1"><body><select><option><a href="/a">A</a></select><table><a href="/b">B</table><![CDATA[<a href="/c">C</a>]]><?x?><a href="//www.example.com:8080/d">',
];

const LLMS_TXTS: readonly string[] = [
  '# Shop\n\n> Furniture.\n\n### Early\n\n## Guides\n\n- [Care](/care.md): how to clean it\n* [A \\[b\\]](<a b.md> "title")\n',
  "# T\r\n## S\r\n1. [a](https://www.example.com/a_(b)) ![i](/i.png) `[c](/c)` https://shop.test/bare, <https://www.example.com/x>\r\n",
  "# T\n\n```\n[no](/no)\n```\n~~~md\n[no](/no)\n~~~\n    [no](/no)\n<!-- [no](/no)\n-->\n[name]: /definition\n[t][name]\nSetext\n---\n- [a]( /a )\n",
];

function fixtures(...groups: readonly string[]): Fixture[] {
  return loadFixtures(...groups).filter(({ input }) => input.length <= MAX_FIXTURE_LENGTH);
}

function choiceOf({ expected }: Fixture): number {
  return documentChoice(expected.url, expected.contentType);
}

function decodeSeeds(): Uint8Array[] {
  const plain = fixtures("encoding", "compression").map((fixture, n) =>
    writeInput(choiceOf(fixture) & 0x1f, 1 + (n % 5), fixture.input),
  );
  const packed = fixtures("encoding").flatMap((fixture) =>
    [2, 3, 4, 5, 6, 7].map((packing) => writeInput(packing << 5, packing, fixture.input)),
  );
  return [...plain, ...packed];
}

function robotsSeeds(): Uint8Array[] {
  const robots = fixtures("robots");
  // A long file, so that the fuzzer does not start with short ones alone.
  const joined = robots.map(({ input }) => textOf(input)).join("\n");
  return [
    ...robots.map(({ input }, n) => writeInput(0, 1 + (n % 5), input)),
    ...robots.map(({ input }, n) => writeInput(4 * n, 1 + (n % 5), `${textOf(input)}\n/a/b?c=d`)),
    writeInput(0, 1, joined.slice(-3000)),
  ];
}

function jsonSeeds(): Uint8Array[] {
  const feeds = fixtures().filter(({ input }) => input[0] === 0x7b);
  const items = Array.from({ length: 20 }, (_, n) =>
    JSON.stringify({
      url: `https://www.example.com/${"abcdefghijklmnopqrst"[n]}`,
      title: "T",
      date_published: "2024-01-02",
    }),
  );
  return [
    ...feeds.map(({ input }, n) => writeInput(0, 1 + (n % 5), input)),
    writeInput(128, 1, items.join(",")),
    writeInput(
      128,
      2,
      '{"id":1},{"external_url":"/a","attachments":[{"url":"b.mp3","mime_type":"audio/mpeg"}]}',
    ),
  ];
}

function urlSeeds(): Uint8Array[] {
  const texts = fixtures("url").flatMap(({ input, expected }) => [
    ...Array.from(textOf(input).matchAll(/<(?:loc|link)>([^<]*)/g), ([, text = ""]) => text),
    ...(expected.pages ?? []),
  ]);
  return [...new Set(texts)].map((text, n) => writeInput(n % 12, n, text));
}

function snapshotSeeds(): Uint8Array[] {
  const lines = [HEADER.facts, { ...HEADER.sitemap, section: "@" }].map((line) => JSON.stringify(line));
  const pages = [
    "https://www.example.com/a\tlastModified=2026-05-01\tchangeFrequency=daily\tpriority=0.8\tnews=x8fRt2Qp",
    "https://www.example.com/b\tlastModified=2026-05-01T10:00:00Z\tpublished=2026\timages=x8fRt2Qp",
  ];
  const section = [`# ${SITEMAP_URL}`, ...pages].map((line) => `${line}\n`).join("");
  const header = lines.join("\n").replaceAll('"pageCount":1', '"pageCount":2');
  return [
    writeInput(0, 0, forgeSnapshot()),
    writeInput(1, 0, `${header}\n\n${section}`),
    ...fixtures("extension", "feed").map(({ input }) => writeInput(3, 0, input)),
  ];
}

function settingsSeeds(): Uint8Array[] {
  const values = [
    "true",
    "false",
    "1",
    '"none"',
    '"10s"',
    '"https://www.example.com/"',
    '["a","b"]',
    '"2026-01-01"',
  ];
  const single = SETTING_NAMES.flatMap((name, n) =>
    [0, 1, 2].map((source) =>
      writeInput(source, 0, `{ "${name}": ${values[(n + source) % values.length]} }`),
    ),
  );
  return [...single, writeInput(0, 0, '{\n  "concurrency": 4,\n  "exclude": ["/a/*"],\n  "maxDepth": 3,\n}')];
}

/** A tree of each kind of document, as JSON, as the lines of a file, and as a file. */
async function treeSeeds(): Promise<Uint8Array[]> {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-fuzz-seeds-"));
  const seeds: Uint8Array[] = [];
  try {
    for (const { input, expected } of fixtures("extension", "feed", "index")) {
      const { url } = expected;
      const json = JSON.stringify({ treeVersion: 1, ...(await parseSitemap(textOf(input), { url })) });
      const path = join(folder, "a.tree.gz");
      await saveTree(treeFromJson(json, { root: "any" }), path);
      const file = readFileSync(path);
      seeds.push(writeInput(0, 0, json), writeInput(1, 0, gunzipSync(file)), writeInput(3, 0, input));
      if (seeds.length < 10) seeds.push(writeInput(2, 0, file));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return seeds;
}
