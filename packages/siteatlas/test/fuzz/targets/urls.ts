/**
 * URLs in documents and arguments: nothing throws, a URL that is returned is safe and stays the same when it is read
 * again, a known path stays on its host, and texts for messages have no invisible character.
 */
import assert from "node:assert/strict";
import { knownUrl, readHomepageUrl } from "../../../src/discover/homepage-url.ts";
import { logLine, logUrl } from "../../../src/escape/log-line.ts";
import { redactText, redactUrl } from "../../../src/escape/redact.ts";
import { issueValue } from "../../../src/model/issue-log.ts";
import type { IssueCode } from "../../../src/model/issue-severity.ts";
import { issueTable } from "../../../src/model/issue-table.ts";
import { UrlReader, type UrlRole } from "../../../src/parse/values/url.ts";
import { readInput, textOf } from "../input.ts";
import { checkShown, checkUrl, repeated, withinTimeSync } from "../promises.ts";

const BASES = ["https://www.example.com/dir/sitemap.xml", "http://[::1]:8080/a", "file:///a.xml", ""];
const REPAIRED_AGAIN = /&(?:amp|lt|gt|quot|apos);|,$/;
const ROLES: readonly UrlRole[] = ["page", "child", "asset"];

export function fuzz(data: Uint8Array): void {
  const { choice, cut, bytes } = readInput(data);
  withinTimeSync(() => check(textOf(bytes), choice, cut));
  const long = repeated(bytes);
  if (long !== undefined) withinTimeSync(() => check(textOf(long), choice, cut));
}

function check(text: string, choice: number, cut: number): void {
  checkDocumentUrl(text, choice, cut);
  checkHomepage(text);
  for (const shown of [issueValue(text), logLine(text, { maxLength: 512 }), logUrl(text)]) checkShown(shown);
  assert.equal(typeof redactText(text) + typeof redactUrl(text), "stringstring");
}

function checkDocumentUrl(text: string, choice: number, cut: number): void {
  const base = BASES[choice % BASES.length]!;
  const role = ROLES[(choice >> 2) % ROLES.length]!;
  const options = { strict: choice >= 192, escapeCode: "url.double-escaped" } as const;
  // A part of the inputs has an xml:base before a tab.
  const [before, after] = cut < 64 && text.includes("\t") ? text.split("\t", 2) : [undefined, text];
  const codes: IssueCode[] = [];
  const url = new UrlReader(base, (code) => codes.push(code), options).resolve(after!, role, 1, before);
  for (const code of codes) assert.ok(Object.hasOwn(issueTable, code), code);
  if (url === undefined) return;
  checkUrl(url);
  assert.ok(url.length <= 8192);
  const again = new UrlReader(base, () => {}, options).resolve(url, role);
  // Each reading unescapes a text once, and removes a comma at its end.
  if (!REPAIRED_AGAIN.test(url)) assert.equal(again, url);
}

function checkHomepage(text: string): void {
  try {
    const homepage = readHomepageUrl(text, { normalize: false });
    assert.match(homepage.href, /^https?:\/\/[!-.0-?A-~]+\/[!"$-~]*$/);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    checkShown(error.message);
  }
  const home = new URL("https://www.example.com/blog");
  assert.equal(new URL(knownUrl(home, text)).origin, home.origin);
}
