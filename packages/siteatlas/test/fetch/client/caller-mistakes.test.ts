/** Errors may be logged: a message about a URL must not contain its user and password (sec-O07, sec-U06). */
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { createNodeClient } from "../../../src/fetch/client/node-client.ts";
import { parseSitemap } from "../../../src/parse/parse-sitemap.ts";
import { parseRobotsTxt } from "../../../src/parse/robots/robots.ts";
import { sitemapTreeForHomepage } from "../../../src/tree/tree.ts";
import { ask } from "./client-suite.ts";

/** Not URLs, some of them because of unescaped characters in the password. */
const MISTAKES = [
  "https://user:secret@exa mple.com/",
  "https://user:secret/1@example.com/",
  "https://user:secret#1@example.com/",
  "https://user:a secret@example.com/",
  "https://user:secret@example.com:99999/",
  "https:\\\\user:secret@exa mple.com/",
  "user:secret@example.com",
  "ftp://user:secret@example.com/",
  "//user:secret@example.com/",
];

const CALLS: Readonly<Record<string, (url: string) => unknown>> = {
  sitemapTreeForHomepage: (url) => sitemapTreeForHomepage(url),
  parseSitemap: (url) => parseSitemap("", { url }),
  isAllowed: (url) => parseRobotsTxt("", { url: "https://example.com/robots.txt" }).isAllowed(url, "bot"),
  "createNodeClient({ homepage })": (homepage) => createNodeClient({ homepage }).close(),
  "createNodeClient({ allow })": (entry) => createNodeClient({ allow: [entry] }).close(),
  "createNodeClient({ proxy })": (proxy) => createNodeClient({ proxy }).close(),
  "a request": async (url) => {
    await using client = createNodeClient();
    // Texts that are URLs fail for another reason.
    if (!URL.canParse(url)) await client(ask(url));
  },
};

it.each(Object.keys(CALLS))("%s", async (name) => {
  let errors = 0;
  for (const url of MISTAKES) {
    const error = await (async () => CALLS[name]!(url))().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) continue;
    errors++;
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/secret/);
  }
  expect(errors).toBeGreaterThan(3);
});
