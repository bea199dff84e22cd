/**
 * JSON Feed: nothing throws, the chunks make no difference, and a document that `JSON.parse` accepts gives every page
 * whose URL needs no repair.
 */
import assert from "node:assert/strict";
import { type Page, parseSitemap } from "../../../src/parse/index.ts";
import { streamOf } from "../../support/splits.ts";
import { readInput, textOf, utf8 } from "../input.ts";
import { checkSameSitemap, checkSitemap, chunksOf, repeated, withinTime } from "../promises.ts";

const OPTIONS = { url: "https://www.example.com/feed.json", contentType: "application/feed+json" };
const START = '{"version":"https://jsonfeed.org/version/1.1","items":[';
const PLAIN_URL = /^https:\/\/www\.example\.com\/[a-z]{1,20}$/;

export async function fuzz(data: Uint8Array): Promise<void> {
  const { choice, cut, bytes: given } = readInput(data);
  const options = { ...OPTIONS, strict: choice % 8 === 7 };
  // Half of the inputs are the items of a feed.
  const bytes = choice >= 128 ? utf8(`${START}${textOf(given)}]}`) : given;
  await withinTime(async () => {
    const whole = await parseSitemap(bytes, options);
    checkSitemap(whole);
    const inChunks = await parseSitemap(streamOf(chunksOf(bytes, cut)), options);
    if (options.strict && whole.kind === "invalid") assert.equal(inChunks.kind, "invalid");
    else checkSameSitemap(inChunks, whole);
    if (options.strict) return;
    const pages = new Set([...whole.pages].map(({ url }: Page) => url));
    for (const url of plainUrls(textOf(bytes))) assert.ok(pages.has(url), `${url} is missing`);
  });
  const long = repeated(bytes);
  if (long !== undefined) await withinTime(async () => checkSitemap(await parseSitemap(long, options)));
}

/** The URLs of the items of a valid feed. Names that occur twice in an object are ambiguous, so such feeds are skipped. */
function plainUrls(text: string): string[] {
  // A document with control characters may be binary data.
  if (!text.startsWith("{") || /[\\\ufffd]|(?![\t\n\r])\p{Cc}/u.test(text)) return [];
  const feed = parseJson(text);
  const { version, items } = (feed ?? {}) as { readonly version?: unknown; readonly items?: unknown };
  if (typeof version !== "string" || !version.startsWith("https://jsonfeed.org/version/1")) return [];
  if (!Array.isArray(items)) return [];
  const isOnce = (name: string, count: number): boolean => text.split(`"${name}"`).length === count + 1;
  if (!isOnce("version", 1) || !isOnce("items", 1)) return [];
  const urls = items.flatMap((item: { readonly url?: unknown } | null) =>
    typeof item === "object" && item !== null && typeof item.url === "string" ? [item.url] : [],
  );
  if (!isOnce("url", urls.length) || /"(?:external_url|id)"/.test(text)) return [];
  return urls.filter((url) => PLAIN_URL.test(url));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
