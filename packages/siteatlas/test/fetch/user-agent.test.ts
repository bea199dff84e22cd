/** The User-Agent has the version of package.json, in walks and in syncs. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sitemapTreeForHomepage, syncSite } from "../../src/index.ts";
import { VERSION } from "../../src/model/generated/version.ts";
import { serve } from "../support/http-server.ts";

const manifest = new URL("../../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };

it("the generated version is that of package.json", () => {
  expect(VERSION).toBe(version);
});

it("every request of a walk and of a sync has it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "user-agent-"));
  await using server = await serve({ "/sitemap.txt": { body: "https://example.com/a" } });
  await sitemapTreeForHomepage(server.url);
  for await (const _ of syncSite(server.url, { snapshot: join(folder, "a.snapshot.gz") }));
  await rm(folder, { recursive: true });
  const sent = new Set(server.requests.map(({ headers }) => headers["user-agent"]));
  expect([...sent]).toEqual([`siteatlas/${version} (+https://github.com/siteatlas/siteatlas)`]);
});
