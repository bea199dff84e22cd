import { expect, it, vi } from "vitest";
import { pageLine, pageLines } from "../../../src/sync/snapshot/page-line.ts";

it("pages of one entry: their images are hashed once, not once per page", () => {
  const images = Array.from({ length: 1000 }, (_, index) => ({ url: `https://example.com/${index}.jpg` }));
  const title = "A title";
  const pages = Array.from({ length: 200 }, (_, index) => ({
    url: `https://example.com/${index}`,
    ...(index % 2 === 0 && { title }),
    images: index < 150 ? images : [...images],
  }));
  const stringify = vi.spyOn(JSON, "stringify");
  const lines = pageLines(pages);
  // The title, the shared images, and those of the last 50 pages.
  expect(stringify).toHaveBeenCalledTimes(1 + 1 + 50);
  stringify.mockRestore();
  expect(lines.split("\n")).toEqual(pages.map((page) => pageLine(page)));
});
