/**
 * Saved trees: reading one works or throws a `TreeError`, and a tree that was read is the same after it was written and
 * read again. Every page that the parser returns can be saved.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  allPages,
  loadTree,
  parseSitemap,
  type Sitemap,
  saveTree,
  TreeError,
  treeFromJson,
} from "../../../src/index.ts";
import { type FuzzInput, readInput, textOf } from "../input.ts";
import { onlyThrows, withinTime } from "../promises.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const folder = temporaryFolder();
const path = join(folder, "a.tree.gz");
const copy = join(folder, "copy.tree.gz");
const WEB_URL = /^https?:\/\/[!-.0-?A-~]+\/[!"$-~]*$/;
const ANY = { root: "any" } as const;

export async function fuzz(data: Uint8Array): Promise<void> {
  const input = readInput(data);
  const check = [checkJson, checkLines, checkFile, checkParsed][input.choice % 4]!;
  await withinTime(() => check(input));
}

async function checkJson({ bytes }: FuzzInput): Promise<void> {
  await checkReading(() => treeFromJson(textOf(bytes), ANY));
}

async function checkLines({ bytes }: FuzzInput): Promise<void> {
  writeFileSync(path, gzipSync(bytes, { level: 1 }));
  await checkReading(() => loadTree(path, ANY));
}

async function checkFile({ bytes }: FuzzInput): Promise<void> {
  writeFileSync(path, bytes);
  await checkReading(() => loadTree(path, ANY));
}

async function checkParsed({ choice, bytes }: FuzzInput): Promise<void> {
  const options = { url: "https://www.example.com/sitemap.xml", strict: choice >= 128 };
  const json = JSON.stringify({ treeVersion: 1, ...(await parseSitemap(textOf(bytes), options)) });
  const tree = treeFromJson(json, ANY);
  assert.deepEqual(JSON.parse(JSON.stringify(tree)), JSON.parse(json));
  await checkRoundTrip(tree);
}

async function checkReading(read: () => Sitemap | Promise<Sitemap>): Promise<void> {
  const trees: Sitemap[] = [];
  await onlyThrows(TreeError, async () => trees.push(await read()));
  for (const tree of trees) await checkRoundTrip(tree);
}

async function checkRoundTrip(tree: Sitemap): Promise<void> {
  for (const { url } of allPages(tree)) assert.match(url, WEB_URL);
  let json = "";
  const tooDeep = await onlyThrows(TreeError, () => {
    json = JSON.stringify(tree);
  });
  if (tooDeep !== undefined) return assert.equal(tooDeep.code, "too-large");
  assert.equal(JSON.stringify(treeFromJson(json, ANY)), json);
  await saveTree(tree, copy);
  assert.equal(JSON.stringify(await loadTree(copy, ANY)), json);
}
