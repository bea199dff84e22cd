/**
 * Maps element names to their meaning. Real sitemaps declare a wrong, an old or no namespace, and use the prefix
 * `image:` without declaring it. So the `key` of an element does not depend on its exact namespace. There are three
 * kinds of keys:
 *
 * - the local name in lower case, for elements of the document's own format (`url`, `loc`, `item`, `entry`);
 * - `meaning:local`, for known extensions (`image:loc`, `dc:date`);
 * - `other:local`, for all other elements.
 *
 * Names are cached per scope of namespace declarations, and found by their bytes. Every table has a maximum size, so
 * that a million different names or prefixes do not fill memory.
 */

import { utf8Text } from "#platform";
import { FAST, NameTable } from "#shortcuts";
import type { Report } from "../../model/issue-log.ts";
import type { SeparatorOwner } from "../fast/markup-cache.ts";
import type { HashedName } from "../fast/name-table.ts";

/**
 * The meanings of namespace URIs. Each row is a text and a meaning. A URI that contains the text has this meaning. URIs
 * are compared in lower case, and `https` counts as `http`.
 */
const NAMESPACE_PATTERNS = [
  ["sitemaps.org/schemas/sitemap", "sitemap"],
  ["google.com/schemas/sitemap/", "sitemap"],
  ["w3.org/1999/xhtml", "xhtml"],
  ["w3.org/tr/xhtml", "xhtml"],
  ["w3.org/2005/atom", "atom"],
  ["purl.org/atom/", "atom"],
  // Extensions of RSS 1.0 also have elements with the name `item`. They are not entries of the feed (F31).
  ["purl.org/rss/1.0/modules", "other"],
  ["purl.org/rss/1.0", "rss1"],
  ["base.google.com/ns", "g"],
  ["netscape.com/rdf/simple/0.9", "rss1"],
  ["22-rdf-syntax-ns", "rdf"],
  ["purl.org/dc/", "dc"],
  ["search.yahoo.com/mrss", "media"],
  ["rssnamespace.org/feedburner", "feedburner"],
  ["w3.org/xml/1998/namespace", "xml"],
] as const;

type Extension = "image" | "video" | "news" | "mobile" | "pagemap";
type Meaning = (typeof NAMESPACE_PATTERNS)[number][1] | Extension | "none" | "other";

/** Matches the URIs of Google's sitemap extensions, such as `http://www.google.com/schemas/sitemap-image/1.1`. */
const EXTENSION_NAMESPACE = /schemas\/sitemap-(image|video|news|mobile|pagemap)/;

/**
 * Prefixes that have a meaning without a declaration (X36, N14). The meaning is the prefix itself. For abbreviations,
 * see `SHORT_PREFIXES`.
 */
const USUAL_PREFIX = /^(?:image|video|news|xhtml|mobile|pagemap|atom|dc|rdf|media|feedburner|sitemap|g)$/;
const SHORT_PREFIXES: ReadonlyMap<string, Meaning> = new Map([
  ["n", "news"],
  ["sm", "sitemap"],
]);

/**
 * Meanings whose elements have a key without a prefix, even if the root has another namespace. For example, the
 * elements of RSS 1.0 are inside an RDF root (F10).
 */
const OWN: ReadonlySet<Meaning> = new Set<Meaning>(["none", "sitemap", "rss1"]);

const SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** Returns an issue code if the namespace of a sitemap is not the namespace of the protocol. */
export function judgeSitemapNamespace(
  uri: string,
): "ns.missing" | "ns.nonstandard" | "ns.https" | "ns.legacy" | "ns.wrong" | undefined {
  if (uri === SITEMAP_NAMESPACE) return undefined;
  if (uri.trim() === "") return "ns.missing";
  const folded = foldNamespace(uri);
  if (folded.includes("google.com/schemas/sitemap/")) return "ns.legacy";
  if (uri.trim() === SITEMAP_NAMESPACE.replace(":", "s:")) return "ns.https";
  return meaningOf(uri) === "sitemap" || folded.includes("sitemap") ? "ns.nonstandard" : "ns.wrong";
}

function foldNamespace(uri: string): string {
  return uri.trim().toLowerCase().replace("https:", "http:");
}

function meaningOf(uri: string): Meaning {
  const folded = foldNamespace(uri);
  if (folded === "") return "none";
  const extension = EXTENSION_NAMESPACE.exec(folded)?.[1] as Extension | undefined;
  return extension ?? NAMESPACE_PATTERNS.find(([part]) => folded.includes(part))?.[1] ?? "other";
}

/** The element names of the sitemap protocol. If one is not in lower case, `xml.tag-case` is reported (X14, X15). */
const PROTOCOL_NAMES: ReadonlySet<string> = new Set(
  "urlset sitemapindex url sitemap loc lastmod changefreq priority".split(" "),
);

const FEED_ROOTS: ReadonlySet<string> = new Set(["rss", "rdf", "feed"]);

export function isRootName(name: string): boolean {
  const local = name.slice(name.indexOf(":") + 1).toLowerCase();
  return FEED_ROOTS.has(local) || local === "urlset" || local === "sitemapindex";
}

/** Whether a `<name` without `>` is probably a damaged tag. Otherwise it is a stray `<` before a word. */
export function isLikelyName(key: string): boolean {
  const local = key.slice(key.indexOf(":") + 1);
  return !key.startsWith("other:") || PROTOCOL_NAMES.has(local) || FEED_ROOTS.has(local);
}

/** An element name, and its meaning in one scope of namespace declarations. */
export interface ElementName extends HashedName, SeparatorOwner<ElementName> {
  /** The meaning of the element. The top of this file describes the kinds of keys. */
  readonly key: string;
  /** The name as written, in lower case. An end tag matches a start tag with the same `fold`. */
  readonly fold: string;
  /** The URI of the element's namespace as declared. Empty if none is declared. */
  readonly namespace: string;
  /** Data that a reader stores about elements of this name. */
  note: unknown;
}

/**
 * Maximum number of different names per document. All further names share OTHER_FOLD, so that memory stays bounded, and
 * their start and end tags still match.
 */
const MAX_FOLDS = 1024;
const OTHER_FOLD = "?";
/**
 * Maximum number of inner scopes that a scope caches. If every image has the same `xmlns:image`, all of them share one
 * scope (N11).
 */
const MAX_DERIVED = 64;
/** Maximum number of nested scopes. Deeper declarations are ignored, so that a lookup stays fast. */
const MAX_SCOPE_DEPTH = 32;

/** State that all scopes of one document share. */
export interface NameContext {
  readonly report: Report;
  /** The namespace of the root. Elements of this namespace always have a key without a prefix (N05). */
  home: string | undefined;
  /** Line of the current element name, for issues. */
  line: number;
  readonly folds: Set<string>;
}

/** The namespace declarations that are valid in an element. */
export class Scope {
  readonly parent: Scope | undefined;
  readonly #context: NameContext;
  readonly #bindings: ReadonlyMap<string, string>;
  readonly #depth: number;
  readonly #derived: Map<string, Scope> = new Map();
  #names = new NameTable<ElementName>();

  constructor(context: NameContext, parent?: Scope, bindings: ReadonlyMap<string, string> = new Map()) {
    this.#context = context;
    this.parent = parent;
    this.#bindings = bindings;
    this.#depth = parent === undefined ? 0 : parent.#depth + 1;
  }

  /**
   * Returns the scope inside an element with these declarations. Keys are prefixes ("" for the default namespace),
   * values are URIs.
   */
  derive(declarations: ReadonlyMap<string, string>): Scope {
    if (this.#depth >= MAX_SCOPE_DEPTH) return this;
    const memo = JSON.stringify([...declarations]);
    const known = this.#derived.get(memo);
    if (known !== undefined) return known;
    const scope = new Scope(this.#context, this, declarations);
    if (this.#derived.size < MAX_DERIVED) this.#derived.set(memo, scope);
    return scope;
  }

  /** Sets the namespace of the root, whose elements have a key without a prefix. */
  adoptHome(namespace: string): void {
    this.#context.home = namespace;
    this.#names = new NameTable<ElementName>();
  }

  /** Finds the element with the name `bytes[start, end)`. `hash` is the hash of these bytes (name-table.ts). */
  find(bytes: Uint8Array, start: number, end: number, hash: number): ElementName {
    const known = this.#names.find(bytes, start, end, hash);
    if (known !== undefined) return known;
    const name = this.#resolve(bytes.slice(start, end), hash);
    this.#names.add(name);
    return name;
  }

  #resolve(bytes: Uint8Array, hash: number): ElementName {
    const raw = utf8Text(bytes, 0, bytes.length);
    const colon = raw.indexOf(":");
    const prefix = colon < 0 ? "" : raw.slice(0, colon);
    const written = raw.slice(colon + 1);
    const local = written.toLowerCase();
    const namespace = this.#lookup(prefix);
    const meaning = this.#meaning(prefix, namespace, raw);
    const key = OWN.has(meaning) ? local : `${meaning}:${local}`;
    if (written !== local && PROTOCOL_NAMES.has(key)) {
      this.#context.report("xml.tag-case", raw, this.#context.line);
    }
    return {
      key: intern(key),
      fold: this.#fold(raw),
      namespace: namespace ?? "",
      bytes,
      hash,
      separators: [],
      misses: 0,
      note: undefined,
    };
  }

  #meaning(prefix: string, namespace: string | undefined, raw: string): Meaning {
    if (namespace !== undefined) {
      const meaning = namespace === this.#context.home ? "none" : meaningOf(namespace);
      // Lenient: with a wrong URI, a usual prefix keeps its meaning. `xmlns:image="http://www.example.com/"` means
      // images (Z23).
      return meaning === "other" && USUAL_PREFIX.test(prefix) ? (prefix as Meaning) : meaning;
    }
    if (prefix === "") return "none";
    if (prefix === "xml") return "xml";
    this.#context.report("xml.unbound-prefix", raw, this.#context.line);
    const folded = prefix.toLowerCase();
    return USUAL_PREFIX.test(folded) ? (folded as Meaning) : (SHORT_PREFIXES.get(folded) ?? "other");
  }

  #lookup(prefix: string): string | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const uri = scope.#bindings.get(prefix);
      if (uri !== undefined) return uri;
    }
    return undefined;
  }

  #fold(raw: string): string {
    const { folds } = this.#context;
    const fold = intern(raw.toLowerCase());
    if (folds.has(fold)) return fold;
    if (folds.size >= MAX_FOLDS) return OTHER_FOLD;
    folds.add(fold);
    return fold;
  }
}

/**
 * Returns the copy of the text that the JavaScript engine also uses for literals. Before you change this: readers
 * compare keys with literals for every tag, and such strings are compared by address, which is fast.
 */
function intern(text: string): string {
  return !FAST ? text : Object.keys({ [text]: 0 })[0]!;
}
