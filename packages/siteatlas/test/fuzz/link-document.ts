/** The promises of the two formats whose pages are links: HTML sitemaps and llms.txt. */
import assert from "node:assert/strict";
import type { parseHtmlSitemap } from "../../src/index.ts";
import { streamOf } from "../support/splits.ts";
import { readInput } from "./input.ts";
import { checkSameSitemap, checkSitemap, chunksOf, repeated, withinTime } from "./promises.ts";

const CONTENT_TYPES = [undefined, "text/html", "text/html; charset=shift_jis", "text/plain; charset=utf-16"];
const MAX_TITLE_LENGTH = 4096;

export async function checkLinkDocument(
  parse: typeof parseHtmlSitemap,
  url: string,
  data: Uint8Array,
): Promise<void> {
  const { choice, cut, bytes } = readInput(data);
  const contentType = CONTENT_TYPES[choice % CONTENT_TYPES.length];
  const isOwnHost = (host: string): boolean => host === "www.example.com" || host.endsWith(".test");
  const options = { url, isOwnHost, ...(contentType !== undefined && { contentType }) };
  await withinTime(async () => {
    const whole = await parse(bytes, options);
    checkSitemap(whole);
    // An XML sitemap at such a URL is read as XML, and may list pages of other hosts.
    const isLinkDocument = whole.kind !== "invalid" && (whole.format === "html" || whole.format === "llms");
    for (const page of isLinkDocument ? whole.pages : []) {
      assert.ok(isOwnHost(new URL(page.url).hostname), page.url);
      for (const text of [page.title, page.section]) assert.ok((text ?? "").length <= MAX_TITLE_LENGTH);
    }
    checkSameSitemap(await parse(streamOf(chunksOf(bytes, cut)), options), whole);
  });
  const long = repeated(bytes);
  if (long !== undefined) await withinTime(async () => checkSitemap(await parse(long, options)));
}
