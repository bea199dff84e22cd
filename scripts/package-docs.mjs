/**
 * Writes README.md, the pages of docs/, and the recipes and units that they refer to into the package: `node
 * scripts/package-docs.mjs`, part of its prepack.
 * Pages about the fleet and the development of siteatlas stay out. Links to files that are not in the package become
 * absolute. Those of README.md all do, because npm shows it without the other files. Comments are left out.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Pages of docs/ that are not for users of the package. */
const leftOut = new Set(["dependencies.md", "fleet.md", "internet-scale.md", "real-documents.md"]);

/** @returns {string[]} the names of the packed pages, sorted */
export function packagedPages() {
  return readdirSync(pathOf("docs"))
    .filter((name) => name.endsWith(".md") && !leftOut.has(name))
    .sort();
}

/** @returns {string[]} the recipes, and the units of systemd for `siteatlas`, which have the same paths in the package */
export function packagedFiles() {
  const filesIn = (/** @type {string} */ folder) =>
    readdirSync(pathOf(folder)).map((name) => `${folder}/${name}`);
  const units = filesIn("deploy").filter((path) => /\/siteatlas-(?:sync|watch)/.test(path));
  return [...filesIn("examples"), ...units].sort();
}

/**
 * @param {string} page
 * @param {string} repository `https://github.com/owner/name`
 * @returns {string}
 */
export function packagedReadme(page, repository) {
  return editText(page, (text) =>
    text
      .replace(/(?<=\]\()(?![a-z]+:|#)/g, blobAddress(repository))
      .replace(/(?<=\s(?:src|srcset)=")(?![a-z]+:)/g, rawAddress(repository))
      .replace(
        "\n## Documentation\n",
        "\n## Documentation\n\nThe pages for users are also in the folder `docs` of this package.\n",
      ),
  );
}

/**
 * @param {string} page a page of docs/
 * @param {string} repository
 * @param {readonly string[]} pages the pages that are packed
 * @returns {string}
 */
export function packagedPage(page, repository, pages) {
  return editText(page, (text) =>
    text.replace(/(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)#]+)/g, (_, mark, title, target) => {
      const address = addressOf(target, repository, pages, mark === "!");
      return `${mark}${title}${address}`;
    }),
  );
}

/**
 * @param {string} target relative to docs/
 * @param {string} repository
 * @param {readonly string[]} pages
 * @param {boolean} isImage
 */
function addressOf(target, repository, pages, isImage) {
  if (pages.includes(target)) return target;
  const path = posix.join("docs", target);
  if (packagedFiles().includes(path)) return `../${path}`;
  const inPackage = /^packages\/siteatlas\/((?:src|schemas)\/.*)/.exec(path)?.[1];
  if (inPackage !== undefined) return `../${inPackage}`;
  return `${isImage ? rawAddress(repository) : blobAddress(repository)}${path}`;
}

/** Matches a comment, a block of code, or inline code, which cannot contain a blank line. */
const COMMENT_OR_CODE =
  /<!--[\s\S]*?-->\n|^ *(`{3,}|~{3,})[\s\S]*?(?:\n *\1[`~]*[ \t]*$|(?![\s\S]))|(?<!`)(`+)(?!`)(?:(?!\n\n)[\s\S])+?(?<!`)\2(?!`)/gm;

/**
 * Removes the comments of a page and edits its text. Code stays as it is.
 * @param {string} page
 * @param {(text: string) => string} edit
 */
function editText(page, edit) {
  /** @type {string[]} */
  const codes = [];
  const text = page.replace(COMMENT_OR_CODE, (found) =>
    found.startsWith("<!--") ? "" : `\0${codes.push(found) - 1}\0`,
  );
  return edit(text).replace(/\0(\d+)\0/g, (_, index) => codes[Number(index)] ?? "");
}

const blobAddress = (/** @type {string} */ repository) => `${repository}/blob/main/`;

const rawAddress = (/** @type {string} */ repository) =>
  `${repository.replace("https://github.com/", "https://raw.githubusercontent.com/")}/main/`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { repository } = JSON.parse(readFileSync(pathOf("packages/siteatlas/package.json"), "utf8"));
  const address = repository.url.replace(/^git\+|\.git$/g, "");
  const readme = packagedReadme(readFileSync(pathOf("README.md"), "utf8"), address);
  writeFileSync(pathOf("packages/siteatlas/README.md"), readme);
  rmSync(pathOf("packages/siteatlas/docs"), { recursive: true, force: true });
  mkdirSync(pathOf("packages/siteatlas/docs"));
  const pages = packagedPages();
  for (const folder of ["examples", "deploy"])
    rmSync(pathOf(`packages/siteatlas/${folder}`), { recursive: true, force: true });
  for (const path of packagedFiles()) cpSync(pathOf(path), pathOf(`packages/siteatlas/${path}`));
  for (const name of pages) {
    const page = packagedPage(readFileSync(pathOf(`docs/${name}`), "utf8"), address, pages);
    writeFileSync(pathOf(`packages/siteatlas/docs/${name}`), page);
  }
}
