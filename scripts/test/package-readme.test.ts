import { expect, test } from "vitest";
import { packagedReadme } from "../package-readme.mjs";

const REPOSITORY = "https://github.com/owner/name";

test("links to files of the repository become absolute, others stay", () => {
  const page = "[a](docs/a.md#b) [c](#c) [d](https://example.com/) [e](LICENSE)\n";
  expect(packagedReadme(page, REPOSITORY)).toBe(
    "[a](https://github.com/owner/name/blob/main/docs/a.md#b) [c](#c) [d](https://example.com/) [e](https://github.com/owner/name/blob/main/LICENSE)\n",
  );
});

test("pictures become addresses of raw files", () => {
  const page = `<source srcset="docs/dark.svg">\n<img alt="A" src="docs/light.svg">\n`;
  const raw = "https://raw.githubusercontent.com/owner/name/main/docs";
  expect(packagedReadme(page, REPOSITORY)).toBe(
    `<source srcset="${raw}/dark.svg">\n<img alt="A" src="${raw}/light.svg">\n`,
  );
});

test("comments are left out", () => {
  expect(packagedReadme("a\n<!-- not\nshown -->\nb\n", REPOSITORY)).toBe("a\nb\n");
});
