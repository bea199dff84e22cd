/** Traversal of a tree: order, laziness, and trees of any depth. */
import { expect, it } from "vitest";
import type { Page, PageList, Sitemap } from "../../src/model/model.ts";
import { allPages, allSitemaps } from "../../src/tree/tree.ts";

function node(
  url: string,
  pages: Pick<PageList, "length" | typeof Symbol.iterator>,
  subSitemaps: readonly Sitemap[] = [],
): Sitemap {
  const rest = { issues: [], issueCount: 0, duplicateCount: 0 };
  return { kind: "index", format: "xml", url, pages: pages as PageList, subSitemaps, ...rest };
}

const page = (url: string): Page => ({ url });

it("visits nodes depth first, parents before children, without the node itself", () => {
  const tree = node(
    "top",
    [page("1")],
    [node("a", [page("2")], [node("b", [page("3")]), node("c", [page("4")])]), node("d", [page("5")])],
  );
  expect([...allSitemaps(tree)].map(({ url }) => url)).toEqual(["a", "b", "c", "d"]);
  expect([...allPages(tree)].map(({ url }) => url)).toEqual(["1", "2", "3", "4", "5"]);
});

it("reads a page only when the loop needs it", () => {
  let made = 0;
  const pages = {
    length: 3,
    *[Symbol.iterator]() {
      for (const url of ["1", "2", "3"]) {
        made++;
        yield page(url);
      }
    },
  };
  for (const { url } of allPages(node("top", [], [node("a", pages), node("b", pages)])))
    if (url === "2") break;
  expect(made).toBe(2);
});

it("visits 100,000 levels", () => {
  let tree = node("leaf", [page("1")]);
  for (let level = 0; level < 100_000; level++) tree = node("index", [], [tree]);
  expect([...allPages(tree)]).toHaveLength(1);
  expect([...allSitemaps(tree)]).toHaveLength(100_000);
});
