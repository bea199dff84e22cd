/**
 * Writes README.md of the repository into the package, for npm: `node scripts/package-readme.mjs`, part of its prepack.
 * Links become absolute, because the package holds neither docs/ nor bench/. Comments are left out.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/**
 * @param {string} page
 * @param {string} repository `https://github.com/owner/name`
 * @returns {string}
 */
export function packagedReadme(page, repository) {
  const pages = `${repository}/blob/main/`;
  const images = `${repository.replace("https://github.com/", "https://raw.githubusercontent.com/")}/main/`;
  return page
    .replace(/<!--[\s\S]*?-->\n/g, "")
    .replace(/(?<=\]\()(?![a-z]+:|#)/g, pages)
    .replace(/(?<=\s(?:src|srcset)=")(?![a-z]+:)/g, images);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { repository } = JSON.parse(readFileSync(pathOf("packages/siteatlas/package.json"), "utf8"));
  const address = repository.url.replace(/^git\+|\.git$/g, "");
  const page = packagedReadme(readFileSync(pathOf("README.md"), "utf8"), address);
  writeFileSync(pathOf("packages/siteatlas/README.md"), page);
}
