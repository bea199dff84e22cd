/** `parseSitemap` and `parseEntries`: nothing throws, URLs are safe, the chunks make no difference, time is linear. */
import assert from "node:assert/strict";
import { type Entry, parseEntries, parseSitemap, type Sitemap } from "../../../src/parse/index.ts";
import { streamOf } from "../../support/splits.ts";
import { type DocumentOptions, documentOptions, readInput } from "../input.ts";
import { checkSameSitemap, checkSitemap, chunksOf, repeated, withinTime } from "../promises.ts";

export async function fuzz(data: Uint8Array): Promise<void> {
  const { choice, cut, bytes } = readInput(data);
  const options = documentOptions(choice);
  await withinTime(async () => {
    const whole = await parseSitemap(bytes, options);
    checkSitemap(whole);
    if (cut % 4 === 3) return checkEntries(whole, await allEntries(bytes, options));
    const inChunks = await parseSitemap(streamOf(chunksOf(bytes, cut)), options);
    // Strict mode ends at the first fault, and the chunks decide which one is found first.
    if (options.strict && whole.kind === "invalid") assert.equal(inChunks.kind, "invalid");
    else checkSameSitemap(inChunks, whole);
  });
  const long = repeated(bytes);
  if (long !== undefined) await withinTime(async () => checkSitemap(await parseSitemap(long, options)));
}

async function allEntries(bytes: Uint8Array, options: DocumentOptions): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of parseEntries(bytes, options)) entries.push(entry);
  return entries;
}

/** `parseEntries` yields what `parseSitemap` returns. */
function checkEntries(whole: Sitemap, entries: readonly Entry[]): void {
  const issues = entries.flatMap((entry) => (entry.kind === "issue" ? [entry.issue] : []));
  assert.equal(JSON.stringify(issues), JSON.stringify(whole.issues));
  if (whole.kind === "invalid") return;
  const pages = entries.flatMap((entry) => (entry.kind === "page" ? [entry.page] : []));
  const children = entries.flatMap((entry) => (entry.kind === "sitemap" ? [entry.sitemap.url] : []));
  assert.equal(JSON.stringify(pages), JSON.stringify([...whole.pages]));
  assert.deepEqual(
    children,
    whole.subSitemaps.map(({ url }) => url),
  );
}
