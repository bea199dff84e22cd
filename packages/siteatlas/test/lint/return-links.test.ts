/** Language links that wait for their return link: the bounds never make a finding that is not true. */
import { expect, it } from "vitest";
import { ReturnLinks } from "../../src/lint/site/return-links.ts";

const S = "https://example.com/sitemap.xml";
const oneWay = (links: ReturnLinks): string[] => [...links.oneWay].map(({ from, to }) => `${from} > ${to}`);

it("finds links without a return link, in any order", () => {
  const links = new ReturnLinks();
  for (const [from, to] of ["ab", "ca", "ba", "bc", "ad"]) links.add(from!, to!, S);
  expect(oneWay(links)).toEqual(["c > a", "b > c", "a > d"]);
});

it("beyond its limit, a return link does not count as a link of its own", () => {
  const links = new ReturnLinks(2);
  for (const [from, to] of ["ab", "cd", "ef", "ba", "fe"]) links.add(from!, to!, S);
  // The link from e to f was not added. So the link from f to e has nothing to wait for.
  expect(oneWay(links)).toEqual(["c > d"]);
});
