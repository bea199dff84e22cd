/** A chain of indexes that is deeper than the stack of Node allows for recursion. */
import { expect, it } from "vitest";
import { allSitemaps, sitemapTree } from "../../src/index.ts";
import { openSite, sitemapIndex } from "../support/test-site.ts";

const LEVELS = 2000;

it("builds a tree of thousands of levels", async () => {
  const site = await openSite((base) =>
    Object.fromEntries(
      Array.from({ length: LEVELS }, (_, i) => [`/${i}.xml`, sitemapIndex([`${base}/${i + 1}.xml`])]),
    ),
  );
  const limits = { depth: Number.POSITIVE_INFINITY, indexes: LEVELS, retries: 0 };
  const tree = await sitemapTree(`${site.url}/0.xml`, { limits });
  const nodes = [...allSitemaps(tree)];
  expect(nodes).toHaveLength(LEVELS);
  expect(nodes.at(-1)).toMatchObject({ kind: "invalid", url: `${site.url}/${LEVELS}.xml` });
});
