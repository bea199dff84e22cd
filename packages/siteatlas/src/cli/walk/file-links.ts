/** Chooses how the links of a local file are read: as an HTML sitemap, as llms.txt, or not at all. */
import { basename } from "node:path";
import { type LinkFormats, linkFormats } from "../../parse/formats/link-formats.ts";
import { sameHost } from "../../parse/parse-links.ts";
import type { Settings } from "../config/flags.ts";

/**
 * The readers of links for a file. A file is an llms.txt if its name is `llms.txt`, or if it is stdin. If the URL of the
 * file is unknown, links to all hosts count.
 */
export function linkFormatsOf(path: string, { htmlSitemaps, llms = false, url }: Settings): LinkFormats {
  const isLlmsTxt = llms && (path === "-" || basename(path).toLowerCase() === "llms.txt");
  return linkFormats({ html: htmlSitemaps ? "all" : "none", llms: isLlmsTxt, isOwnHost: sameHost(url) });
}
