/**
 * robots.txt: nothing throws, both readers find the same sitemaps, the two ways to apply rules agree, and patterns
 * match as a simple matcher says. The last line of the text is also the path that is checked.
 */
import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { parseRobotsTxt, parseSitemap } from "../../../src/parse/index.ts";
import { decidingRule, matchesRobotsPattern } from "../../../src/parse/robots/robots-match.ts";
import { streamOf } from "../../support/splits.ts";
import { readInput, textOf } from "../input.ts";
import { checkSameSitemap, checkSitemap, checkUrl, chunksOf, repeated, withinTime } from "../promises.ts";

const URL_TEXT = "https://www.example.com/robots.txt";
const AGENTS = ["Googlebot/2.1", "*", "a", ""];

export async function fuzz(data: Uint8Array): Promise<void> {
  const { choice, cut, bytes } = readInput(data);
  const options = { url: URL_TEXT, strict: choice % 4 === 3 };
  await withinTime(async () => {
    const whole = await parseSitemap(bytes, options);
    checkSitemap(whole);
    const inChunks = await parseSitemap(streamOf(chunksOf(bytes, cut)), options);
    if (options.strict && whole.kind === "invalid") assert.equal(inChunks.kind, "invalid");
    else checkSameSitemap(inChunks, whole);
    const sitemaps = checkText(textOf(bytes), options, choice);
    // A byte order mark, another encoding or compression is not a part of the text.
    if (
      whole.kind === "index" &&
      whole.format === "robots" &&
      isUtf8(bytes) &&
      !/^\ufeff|\0/.test(textOf(bytes)) &&
      bytes[0] !== 0x78
    ) {
      assert.deepEqual(
        whole.subSitemaps.map(({ url }) => url),
        sitemaps,
      );
    }
  });
  const long = repeated(bytes);
  if (long !== undefined) await withinTime(() => checkText(textOf(long), options, choice));
}

function checkText(
  text: string,
  options: { url: string; strict: boolean },
  choice: number,
): readonly string[] {
  const robots = parseRobotsTxt(text, options);
  for (const url of robots.sitemaps) checkUrl(url);
  const agent = AGENTS[(choice >> 2) % AGENTS.length]!;
  assert.ok((robots.crawlDelay(agent) ?? 0) >= 0);
  const path = text.slice(text.lastIndexOf("\n") + 1);
  if (URL.canParse(path, URL_TEXT)) {
    const rule = decidingRule(robots.groups, new URL(path, URL_TEXT), agent);
    assert.equal(robots.isAllowed(path, agent), rule?.allow ?? true, `${path} ${JSON.stringify(rule)}`);
  }
  const patterns = robots.groups.flatMap(({ rules }) => rules.map((rule) => rule.path));
  for (const pattern of patterns.slice(0, 20)) {
    if (pattern.length > 64 || path.length > 128) continue;
    assert.equal(matchesRobotsPattern(pattern, path), matchesSimply(pattern, path), `${pattern} ${path}`);
  }
  return robots.sitemaps;
}

/** A table of which start of the pattern matches which start of the path. Slow and obvious. */
function matchesSimply(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const parts = isAnchored ? pattern.slice(0, -1) : `${pattern}*`;
  let ends = new Set([0]);
  for (const part of parts.split("")) {
    const next = new Set<number>();
    for (const end of ends) {
      if (part === "*") for (let at = end; at <= path.length; at++) next.add(at);
      else if (path[end] === part) next.add(end + 1);
    }
    ends = next;
  }
  return ends.has(path.length);
}
