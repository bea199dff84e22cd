/**
 * URLs of a damaged document that htmlparser2 finds and siteatlas does not, with the reasons. Only URLs of
 * the undamaged document count: others are text that the damage created.
 */
import { ROOT_TAG } from "../../src/parse/formats/detect-format.ts";
import { ourUrls, theirUrls } from "./page-urls.ts";
import { separateTags } from "./separate-tags.ts";

interface Loss {
  readonly bytes: Uint8Array;
  readonly url: string;
}

/** Reasons why a URL that htmlparser2 finds is not reported, each with its test. */
export const reasons: Readonly<Record<string, (loss: Loss) => boolean>> = {
  /**
   * X10, X11: an incomplete entry is not reported. htmlparser2 finds its URL earlier: it takes `</url` for an
   * end tag as soon as its name ends, or has swallowed the `<url>`, so that the `<loc>` is alone. siteatlas
   * finds it as soon as the document continues.
   */
  "the document ends inside the entry": ({ bytes, url }) =>
    CONTINUATIONS.some((continuation) => ourUrls(append(bytes, continuation)).has(url)),

  /**
   * `<"x:feed xmlns:x="…">`: htmlparser2 accepts any character at the start of a name, and this name ends
   * like a root. For siteatlas the `<` is text (X43), and without a root there is no format.
   */
  "the root does not begin like a tag": ({ bytes }) => BROKEN_ROOT.test(decode(bytes)),

  /**
   * siteatlas forgets elements around the root (X05), so their end tags are ignored. For htmlparser2,
   * `</item>` ends the root inside it, and a wrong namespace with it.
   */
  "htmlparser2 finds it because of markup around the root": ({ bytes, url }) =>
    !theirUrls(encoder.encode(fromRoot(decode(bytes))), { closeAtEnd: false }).has(url),

  /**
   * Lenient: `<![cdata[` is a section for siteatlas, and without an end it takes the rest of the document.
   */
  "a section in lower case does not end": ({ bytes, url }) =>
    ourUrls(encoder.encode(decode(bytes).replace(LOWER_CASE_SECTION, ""))).has(url),

  /**
   * The link of an item is damaged. siteatlas reads it and reports the damaged URL. htmlparser2 does not see
   * it and uses the rdf:about of the item.
   */
  "htmlparser2 did not see the damaged link": ({ bytes, url }) =>
    !theirUrls(encoder.encode(decode(bytes).replace(RDF_ABOUT, "")), { closeAtEnd: false }).has(url),

  /**
   * Where one tag runs into the next, htmlparser2 swallows the second and siteatlas reads it. That finds far
   * more URLs than it loses, but loses one if the second tag is harmful.
   */
  "htmlparser2 swallowed the harmful tag": ({ bytes, url }) =>
    !theirUrls(encoder.encode(separateTags(decode(bytes))), { closeAtEnd: false }).has(url),

  /** Lenient: names match in any case (X14), so `</Item` in a title ends the item. */
  "an end tag in another case": ({ bytes, url }) =>
    !theirUrls(encoder.encode(foldTags(separateTags(decode(bytes)))), { closeAtEnd: false }).has(url),
};

const LOWER_CASE_SECTION = /<!\[(?!CDATA\[)[Cc][Dd][Aa][Tt][Aa]\[/g;
const RDF_ABOUT = /rdf:about\s*=\s*(?:"[^"]*"|'[^']*')/g;
const BROKEN_ROOT = /<[^a-z_:/!?\s>\u0080-\uffff][^\s<>]*:(?:urlset|sitemapindex|rss|rdf|feed)[\s>]/i;

function foldTags(document: string): string {
  return document.replace(/<\/?[^\s<>/!?]+/g, (tag) => tag.toLowerCase());
}

function fromRoot(document: string): string {
  return document.slice(Math.max(0, document.search(ROOT_TAG)));
}

/** Possible ends of incomplete markup. */
const CLOSED = "</url></sitemap></item></entry>";
const CONTINUATIONS: readonly string[] = [
  ">",
  CLOSED,
  `>${CLOSED}`,
  `">${CLOSED}`,
  `'>${CLOSED}`,
  `]]>${CLOSED}`,
];

export interface Comparison {
  /** Number of these URLs that each found. */
  readonly ours: number;
  readonly theirs: number;
  /** URLs that siteatlas did not find, with the reason, or "". */
  readonly lost: readonly { readonly url: string; readonly reason: string }[];
}

/** Compares the URLs of a damaged document. `original`: the URLs before the damage. */
export function compare(bytes: Uint8Array, original: ReadonlySet<string>): Comparison {
  const ours = ourUrls(bytes);
  const theirs = theirUrls(bytes, { closeAtEnd: false });
  const wanted = [...theirs].filter((url) => original.has(url));
  const lost = wanted
    .filter((url) => !ours.has(url))
    .map((url) => ({ url, reason: reasonFor({ bytes, url }) }));
  return { ours: [...ours].filter((url) => original.has(url)).length, theirs: wanted.length, lost };
}

function reasonFor(loss: Loss): string {
  return Object.entries(reasons).find(([, applies]) => applies(loss))?.[0] ?? "";
}

const encoder = new TextEncoder();

function append(bytes: Uint8Array, continuation: string): Uint8Array {
  return Uint8Array.of(...bytes, ...encoder.encode(continuation));
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
