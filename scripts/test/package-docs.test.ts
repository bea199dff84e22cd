import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { packagedFiles, packagedPage, packagedPages, packagedReadme } from "../package-docs.mjs";

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

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

test("code stays as it is", () => {
  const code =
    "```md\n[a](b.md) <!-- c -->\n![d](e.svg)\n```\n\n~~~~\n```\n[f](g.md)\n~~~~\n`[h](i.md)` ``[`](j.md)``\n";
  const page = `${code}[\`k\`](l.md) \` [m](n.md)\n`;
  const blob = "https://github.com/owner/name/blob/main";
  expect(packagedReadme(page, REPOSITORY)).toBe(`${code}[\`k\`](${blob}/l.md) \` [m](${blob}/n.md)\n`);
  expect(packagedPage(page, REPOSITORY, [])).toBe(
    `${code}[\`k\`](${blob}/docs/l.md) \` [m](${blob}/docs/n.md)\n`,
  );
});

test("README.md of the package says where its pages are", () => {
  expect(packagedReadme(readFileSync(pathOf("README.md"), "utf8"), REPOSITORY)).toContain(
    "## Documentation\n\nThe pages for users are also in the folder `docs` of this package.\n",
  );
});

test("links between pages of the package stay, others become absolute", () => {
  const page =
    "[a](a.md#b) [b](fleet.md) [c](../packages/siteatlas/src/index.ts) ![d](d.svg) [e](../SECURITY.md#f) [g](#g)\n";
  expect(packagedPage(page, REPOSITORY, ["a.md"])).toBe(
    "[a](a.md#b) [b](https://github.com/owner/name/blob/main/docs/fleet.md) [c](../src/index.ts) " +
      "![d](https://raw.githubusercontent.com/owner/name/main/docs/d.svg) " +
      "[e](https://github.com/owner/name/blob/main/SECURITY.md#f) [g](#g)\n",
  );
});

test("the recipes and units that the pages refer to are packed, those of the fleet are not", () => {
  const page =
    "[a](../examples/rag-list.mjs) [b](../deploy/siteatlas-sync@.timer) [c](../deploy/compose.yaml)\n";
  expect(packagedPage(page, REPOSITORY, [])).toBe(
    "[a](../examples/rag-list.mjs) [b](../deploy/siteatlas-sync@.timer) " +
      "[c](https://github.com/owner/name/blob/main/deploy/compose.yaml)\n",
  );
  expect(packagedFiles()).toEqual(expect.arrayContaining(["examples/postgres-search.mjs"]));
});

test("every page for users is packed, and leads to files that the package has", () => {
  const pages = packagedPages();
  expect(pages).toEqual(expect.arrayContaining(["cli.md", "custom-client.md", "sync.md", "trees.md"]));
  expect(pages).not.toContain("fleet.md");
  for (const name of pages) {
    const page = packagedPage(readFileSync(pathOf(`docs/${name}`), "utf8"), REPOSITORY, pages);
    const text = page.replace(/^```[\s\S]*?^```$|`[^`\n]+`/gm, "");
    const links = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)].map(([, target = ""]) => target);
    const files = packagedFiles().map((path) => `../${path}`);
    const missing = links.filter(
      (target) =>
        !pages.includes(target) &&
        !files.includes(target) &&
        !existsSync(pathOf(`packages/siteatlas/${target.slice(3)}`)),
    );
    expect([name, missing]).toEqual([name, []]);
  }
});
