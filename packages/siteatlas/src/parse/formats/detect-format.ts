/**
 * Detects the format of a document from its first bytes: `<` is XML, `{` may be a JSON Feed, `["` is other JSON,
 * anything else is a list of URLs. The file name and the media type do not matter, except for `/robots.txt`.
 */
import { utf8Text } from "#platform";
import { FAST } from "#shortcuts";

/** Number of bytes at the start that are searched for a root element (X06). */
export const SNIFF_SIZE = 4096;

/** Matches the start tag of an entry. Used if the beginning of a sitemap, with its root, is missing. */
const ENTRY_TAG: RegExp = /<(?:[\w.-]{1,40}:)?(?:url|sitemap)[\s>/]/i;

/**
 * Matches the start tag of a root element. Used if other text is before the root.
 *
 * @internal exported for tests
 */
export const ROOT_TAG: RegExp = /<(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex|rss|rdf|feed)[\s>/]/i;

/** Detects the format. The first byte of `head` must not be white space. */
export function detectFormat(
  head: Uint8Array,
  isRobots: boolean,
): "xml" | "robots" | "json" | "text" | "binary" {
  const isTag = head[0] === 0x3c;
  if (isTag && !isRobots) return "xml";
  const start = utf8Text(head, 0, Math.min(head.length, SNIFF_SIZE));
  // robots.txt is XML only if it starts with a tag: a comment or a value may contain a root tag (R46).
  if (isRobots) return isTag && ROOT_TAG.test(start) ? "xml" : "robots";
  // Check this before searching for a root tag, because a tar archive may contain a sitemap (sec-E15).
  if (isBinary(start)) return "binary";
  // Check this before searching for a root tag, because a title in a JSON Feed may contain such a tag (F24). Text such
  // as `{literal}` before XML does not match.
  if (/^{\s*"|^\[\s*["{[\]]/.test(start)) return "json";
  if (ROOT_TAG.test(start) || ENTRY_TAG.test(start)) return "xml";
  return head[0] === 0x7b ? "json" : "text";
}

/** Whether this is binary data: it has a known signature, or more than 5 % of its characters are control characters. */
function isBinary(start: string): boolean {
  if (FAST && typeOf(start) !== undefined) return true;
  const controls = start.match(/[\x00-\x08\x0e-\x1f\ufffd]/g)?.length ?? 0;
  return 20 * controls > start.length;
}

/**
 * Signatures of files that people mistake for sitemaps. The text was decoded, so a byte above 127 may be any character.
 */
const SIGNATURES: readonly (readonly [type: string, RegExp])[] = [
  ["bzip2", /^BZh[1-9]1AY&SY/],
  ["xz", /^.7zXZ\0/s],
  ["7z", /^7z..'\x1c/s],
  ["rar", /^Rar!\x1a\x07/],
  ["zstd", /^\([\xb5\ufffd]\/[\xfd\ufffd]/],
  // A tar archive starts with a file name that ends with a zero byte.
  ["tar", /^[^\0]{1,100}\0.{156,255}ustar[\0 ]/s],
  ["pdf", /^%PDF-/],
];

function typeOf(start: string): string | undefined {
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0];
}

/**
 * The type of a binary document, such as `bzip2` or `pdf`. Undefined if its signature is unknown. Always undefined in
 * browsers, where the parser has to be small.
 */
export function binaryType(head: Uint8Array): string | undefined {
  return FAST ? typeOf(utf8Text(head, 0, Math.min(head.length, SNIFF_SIZE))) : undefined;
}
