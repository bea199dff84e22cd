/**
 * Lists the pages of a static site in a folder. `about/index.html` is the page `/about/`, and `about.html` is
 * `/about.html`. Error pages such as `404.html`, hidden files and symbolic links are skipped.
 */
import { opendir } from "node:fs/promises";
import { join } from "node:path";

const PAGE = /\.html?$/i;
const INDEX = /^index\.html?$/i;
const ERROR_PAGE = /^(?:404|500|_error)\.html?$/i;
const BATCH = 1000;

/** Yields the URLs of the pages in batches. @param origin such as `https://example.com` */
export async function* folderPages(folder: string, origin: string): AsyncGenerator<readonly string[]> {
  let urls: string[] = [];
  /** Folders that were not read yet, as parts of their paths. */
  const waiting: (readonly string[])[] = [[]];
  for (let parts = waiting.pop(); parts !== undefined; parts = waiting.pop()) {
    for await (const entry of await opendir(join(folder, ...parts))) {
      const { name } = entry;
      if (name.startsWith(".")) continue;
      if (entry.isDirectory()) waiting.push([...parts, name]);
      else if (entry.isFile() && PAGE.test(name) && !(parts.length === 0 && ERROR_PAGE.test(name))) {
        const path = [...parts, INDEX.test(name) ? "" : name].map(escapeName).join("/");
        urls.push(new URL(`${origin}/${path}`).href);
      }
      if (urls.length < BATCH) continue;
      yield urls;
      urls = [];
    }
  }
  yield urls;
}

/** Escapes the characters that end a path or a segment. `URL` escapes all others that need it. */
function escapeName(name: string): string {
  return name.replace(/[%?#\\]/g, encodeURIComponent);
}
