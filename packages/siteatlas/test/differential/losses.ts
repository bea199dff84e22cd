/**
 * The URLs of a damaged document that htmlparser2 finds and we do not, and which of them we have a reason
 * not to find. Only URLs of the document before it was damaged count: what else htmlparser2 gives is text
 * that the damage made.
 */
import { ROOT_TAG } from "../../src/parse/root-finder.ts";
import { ourUrls, theirUrls } from "./page-urls.ts";
import { separateTags } from "./separate-tags.ts";

interface Loss {
  readonly bytes: Uint8Array;
  readonly url: string;
}

/** Why a URL that htmlparser2 finds is not given, each with what tells such a case. */
export const reasons: Readonly<Record<string, (loss: Loss) => boolean>> = {
  /**
   * X10, X11: an entry that the document does not close is not given out. htmlparser2 comes to the same
   * URL earlier: it takes `</url` for an end tag when its name is over, or has swallowed the `<url>`, so
   * that the location stands alone. It is ours as soon as the document goes on.
   */
  "the document ends inside the entry": ({ bytes, url }) =>
    CONTINUATIONS.some((continuation) => ourUrls(append(bytes, continuation)).has(url)),

  /**
   * `<"x:feed xmlns:x="…">`: htmlparser2 takes any character for the start of a name, and the name still
   * ends in that of a root. To us a `<` before a sign is a sign (X43), and without root there is no format.
   */
  "the root does not begin like a tag": ({ bytes }) => BROKEN_ROOT.test(decode(bytes)),

  /**
   * Elements around the root are forgotten when it is found (X05), so that their end tags mean nothing.
   * htmlparser2 does not forget them: `</item>` ends the root inside it, and a wrong namespace with it.
   */
  "htmlparser2 owes it to what is around the root": ({ bytes, url }) =>
    !theirUrls(encoder.encode(fromRoot(decode(bytes))), { closeAtEnd: false }).has(url),

  /** Lenient: `<![cdata[` is a section to us, and one that does not end takes the rest with it. */
  "a section in lower case does not end": ({ bytes, url }) =>
    ourUrls(encoder.encode(decode(bytes).replace(LOWER_CASE_SECTION, ""))).has(url),

  /**
   * The link of an item is damaged; we read it, and give the URL as it is now. htmlparser2 does not see it,
   * and the item falls back to its rdf:about.
   */
  "htmlparser2 did not see the damaged link": ({ bytes, url }) =>
    !theirUrls(encoder.encode(decode(bytes).replace(RDF_ABOUT, "")), { closeAtEnd: false }).has(url),

  /**
   * Where tags run into each other, htmlparser2 swallows the second one and we read it. That gives us more
   * URLs by far than it costs, but it does cost one where the swallowed tag does harm.
   */
  "htmlparser2 swallowed the tag that does the harm": ({ bytes, url }) =>
    !theirUrls(encoder.encode(separateTags(decode(bytes))), { closeAtEnd: false }).has(url),

  /** Lenient: names match in any case (X14), so that `</Item` in a title ends the item. */
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

/** How the markup that was cut off may have gone on. */
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
  /** URLs of the undamaged document that each of them found. */
  readonly ours: number;
  readonly theirs: number;
  /** What we did not find, by reason; "" for those without. */
  readonly lost: readonly { readonly url: string; readonly reason: string }[];
}

/** Compares what both find in a damaged document of which `original` are the URLs. */
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
