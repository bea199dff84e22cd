/** Going through a tree: order, laziness, and trees of any depth. */
import { expect, it } from "vitest";
import type { Page, Sitemap } from "../../src/model.ts";
import { allPages, allSitemaps } from "../../src/tree.ts";

function node(
  url: string,
  pages: Iterable<Page> & { length: number },
  subSitemaps: readonly Sitemap[] = [],
): Sitemap {
  const rest = { issues: [], issueCount: 0, duplicateCount: 0 };
  return { kind: "index", format: "xml", url, pages, subSitemaps, ...rest };
}

const page = (url: string): Page => ({ url });

it("goes depth first, a node before what it lists, and leaves out the node itself", () => {
  const tree = node(
    "top",
    [page("1")],
    [node("a", [page("2")], [node("b", [page("3")]), node("c", [page("4")])]), node("d", [page("5")])],
  );
  expect([...allSitemaps(tree)].map(({ url }) => url)).toEqual(["a", "b", "c", "d"]);
  expect([...allPages(tree)].map(({ url }) => url)).toEqual(["1", "2", "3", "4", "5"]);
});

it("asks for no page before it is wanted", () => {
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

it("goes through 100,000 levels", () => {
  let tree = node("leaf", [page("1")]);
  for (let level = 0; level < 100_000; level++) tree = node("index", [], [tree]);
  expect([...allPages(tree)]).toHaveLength(1);
  expect([...allSitemaps(tree)]).toHaveLength(100_000);
});
