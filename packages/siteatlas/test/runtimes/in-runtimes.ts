/**
 * `fetchClient(fetch)`, the walk and the parser in Deno and Bun, on the package as built: `npm run test:runtimes`,
 * which installs both. The servers run in Node, so only the client side is different.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeClient } from "../fetch/client/client-suite.ts";
import { loadFixtures } from "../support/fixtures.ts";
import { openAcceptanceSite, PAGE_COUNT } from "../walk/acceptance-site.ts";
import { Runtime } from "./runtime.ts";

interface Given {
  readonly folder: string;
  readonly agent: string;
  readonly runtimes: readonly { readonly name: string; readonly command: readonly string[] }[];
}

/** Cases that fail in a runtime and not in Node. Its fetch loses a body with a wrong Content-Encoding, or its URL parser differs. */
const LOST: Readonly<
  Record<string, { readonly troubles: readonly string[]; readonly fixtures: readonly string[] }>
> = {
  deno: { troubles: ["coding-untrue.xml", "coding-bare-deflate.xml"], fixtures: [] },
  // Bun escapes `^` in a path.
  bun: { troubles: ["coding-untrue.xml"], fixtures: ["U23"] },
};

const { folder, agent, runtimes } = JSON.parse(process.env["SITEATLAS_RUNTIMES"] ?? "{}") as Given;

describe.each(runtimes)("$name", ({ name, command }) => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = new Runtime(command, agent, folder);
    await runtime.ready();
  });
  afterAll(() => runtime.close());

  describeClient(`fetchClient(fetch) in ${name}`, () => (request) => runtime.client(request));

  const { troubles, fixtures } = LOST[name.split(" ")[0]!]!;

  it(`streamPages finds the ${PAGE_COUNT} pages of the acceptance site, but for ${troubles}`, async () => {
    const { site, expected, troubleOf } = await openAcceptanceSite();
    const found = await runtime.walk(site.url, { useHomepageLinks: true, limits: { backoffMs: 20 } });
    const missing = [...expected].filter((url) => !found.includes(url));
    expect([...new Set(missing.map(troubleOf))].sort()).toEqual([...troubles].sort());
    expect(found.filter((url) => !expected.has(url))).toEqual([]);
  });

  const parsed = loadFixtures().filter(({ expected }) => !fixtures.includes(expected.id));

  it.each(parsed.map((fixture) => [fixture.expected.id, fixture] as const))(
    "parses fixture %s",
    async (_, { input, expected }) => {
      const { url, contentType, kind, pages = [], children = [], codes = [] } = expected;
      const sitemap = await runtime.parse(input, { url, ...(contentType !== undefined && { contentType }) });
      if (kind !== undefined) expect(sitemap.kind).toBe(kind);
      if (expected.format !== undefined) expect(sitemap).toMatchObject({ format: expected.format });
      if (expected.pageCount === undefined) {
        expect([...sitemap.pages].map((page) => page.url)).toEqual(pages);
      } else expect(sitemap.pages).toHaveLength(expected.pageCount);
      expect(sitemap.subSitemaps.map((child) => child.url)).toEqual([...new Set(children)]);
      expect(sitemap.issues.map(({ code }) => code)).toEqual(expect.arrayContaining([...codes]));
    },
  );
});
