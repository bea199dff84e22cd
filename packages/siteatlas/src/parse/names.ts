/**
 * Namespaces by meaning. Real sitemaps declare the wrong namespace, an old one, or none, and use
 * `image:` without declaring it; what counts is what an element means. An element's `key` says it:
 * the local name in lower case for the document's own vocabulary (`url`, `loc`, `item`, `entry`),
 * `meaning:local` for the extensions we know (`image:loc`, `dc:date`), and `other:local` for the rest.
 *
 * Names are cached per scope of namespace declarations, found again by their bytes. Every table here
 * is bounded, so that a document of a million distinct names or prefixes costs no memory.
 */

import { utf8Text } from "#platform";
import { FAST, NameTable } from "#shortcuts";
import type { Report } from "../issue-log.ts";
import type { Separator } from "./separators.ts";

export type Meaning =
  | "none"
  | "sitemap"
  | "image"
  | "video"
  | "news"
  | "xhtml"
  | "mobile"
  | "pagemap"
  | "atom"
  | "rss1"
  | "rdf"
  | "dc"
  | "media"
  | "feedburner"
  | "xml"
  | "other";

/** What a namespace URI was written for, told from the URI in lower case without `https` and final slash. */
const NAMESPACE_PATTERNS: readonly (readonly [part: string, meaning: Meaning])[] = [
  ["sitemaps.org/schemas/sitemap", "sitemap"],
  ["google.com/schemas/sitemap/", "sitemap"],
  ["w3.org/1999/xhtml", "xhtml"],
  ["w3.org/tr/xhtml", "xhtml"],
  ["w3.org/2005/atom", "atom"],
  ["purl.org/atom/", "atom"],
  ["purl.org/rss/1.0", "rss1"],
  ["netscape.com/rdf/simple/0.9", "rss1"],
  ["22-rdf-syntax-ns", "rdf"],
  ["purl.org/dc/", "dc"],
  ["search.yahoo.com/mrss", "media"],
  ["rssnamespace.org/feedburner", "feedburner"],
  ["w3.org/xml/1998/namespace", "xml"],
];

/** Google's extensions of the sitemap protocol: `http://www.google.com/schemas/sitemap-image/1.1`. */
const EXTENSION_NAMESPACE = /schemas\/sitemap-(image|video|news|mobile|pagemap)/;

/** What a prefix stands for when nobody declared it (X36, N14): itself, or something longer. */
const USUAL_PREFIX = /^(?:image|video|news|xhtml|mobile|pagemap|atom|dc|rdf|media|feedburner|sitemap)$/;
const SHORT_PREFIXES: ReadonlyMap<string, Meaning> = new Map([
  ["n", "news"],
  ["sm", "sitemap"],
]);

/** Vocabularies that a document can be written in without being its root's: RDF holds RSS 1.0 (F10). */
const OWN: ReadonlySet<Meaning> = new Set<Meaning>(["none", "sitemap", "rss1"]);

const SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** Whether the namespace of a sitemap's root is the one of the protocol, and if not, in which way. */
export function judgeSitemapNamespace(
  uri: string,
): "ns.missing" | "ns.nonstandard" | "ns.legacy" | "ns.wrong" | undefined {
  if (uri === SITEMAP_NAMESPACE) return undefined;
  if (uri.trim() === "") return "ns.missing";
  const folded = foldNamespace(uri);
  if (folded.includes("google.com/schemas/sitemap/")) return "ns.legacy";
  return meaningOf(uri) === "sitemap" || folded.includes("sitemap") ? "ns.nonstandard" : "ns.wrong";
}

function foldNamespace(uri: string): string {
  return uri.trim().toLowerCase().replace("https:", "http:");
}

function meaningOf(uri: string): Meaning {
  const folded = foldNamespace(uri);
  if (folded === "") return "none";
  const extension = EXTENSION_NAMESPACE.exec(folded)?.[1] as Meaning | undefined;
  return extension ?? NAMESPACE_PATTERNS.find(([part]) => folded.includes(part))?.[1] ?? "other";
}

/** The sitemap protocol's own names, for `xml.tag-case` (X14, X15). */
const PROTOCOL_NAMES: ReadonlySet<string> = new Set([
  "urlset",
  "sitemapindex",
  "url",
  "sitemap",
  "loc",
  "lastmod",
  "changefreq",
  "priority",
]);

const FEED_ROOTS: ReadonlySet<string> = new Set(["rss", "rdf", "feed"]);

/** Whether a name, as written, is that of a root. */
export function isRootName(name: string): boolean {
  const local = name.slice(name.indexOf(":") + 1).toLowerCase();
  return FEED_ROOTS.has(local) || local === "urlset" || local === "sitemapindex";
}

/** Whether a `<name` without its `>` is more likely a damaged tag than a stray sign and a word. */
export function isLikelyName(key: string): boolean {
  const local = key.slice(key.indexOf(":") + 1);
  return !key.startsWith("other:") || PROTOCOL_NAMES.has(local) || FEED_ROOTS.has(local);
}

/** An element name in one scope. Mutable only in what the scanner learns about it. */
export interface ElementName {
  /** What the element means, see above. */
  readonly key: string;
  /** As written, in lower case: end tags match start tags by it. */
  readonly fold: string;
  /** The URI of its namespace as declared, empty if there is none. */
  readonly namespace: string;
  readonly bytes: Uint8Array;
  readonly hash: number;
  /** The separators seen after text inside this element, the likeliest first. */
  readonly separators: Separator[];
  misses: number;
  /** What a reader has found out about the element, for the next time; its own affair. */
  note: unknown;
}

/** End tags of further names all match each other: memory stays bounded, nesting stays balanced. */
const MAX_FOLDS = 1024;
const OTHER_FOLD = "?";
/** Derived scopes remembered per scope: `xmlns:image` on every image gives the same one each time (N11). */
const MAX_DERIVED = 64;
/** Declarations nested deeper than this are ignored, so that a lookup stays cheap. */
const MAX_SCOPE_DEPTH = 32;

/** What all scopes of one document share. */
export interface NameContext {
  readonly report: Report;
  /** Namespace of the root: whatever it is, it is the document's own vocabulary (N05). */
  home: string | undefined;
  /** Line of the name being resolved, for issues. */
  line: number;
  readonly folds: Set<string>;
}

/** The namespace declarations in force at a point of the document. */
export class Scope {
  readonly parent: Scope | undefined;
  readonly #context: NameContext;
  readonly #bindings: ReadonlyMap<string, string>;
  readonly #depth: number;
  readonly #derived: Map<string, Scope> = new Map();
  #names = new NameTable();

  constructor(context: NameContext, parent?: Scope, bindings: ReadonlyMap<string, string> = new Map()) {
    this.#context = context;
    this.parent = parent;
    this.#bindings = bindings;
    this.#depth = parent === undefined ? 0 : parent.#depth + 1;
  }

  /** The scope inside an element with these declarations (prefix → URI, "" for the default one). */
  derive(declarations: ReadonlyMap<string, string>): Scope {
    if (this.#depth >= MAX_SCOPE_DEPTH) return this;
    const memo = JSON.stringify([...declarations]);
    const known = this.#derived.get(memo);
    if (known !== undefined) return known;
    const scope = new Scope(this.#context, this, declarations);
    if (this.#derived.size < MAX_DERIVED) this.#derived.set(memo, scope);
    return scope;
  }

  /** Declares the root's namespace to be the document's own vocabulary. */
  adoptHome(namespace: string): void {
    this.#context.home = namespace;
    this.#names = new NameTable();
  }

  /** The element whose name is `bytes[start, end)`; `hash` is `31 * hash + byte` over it. */
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
      // Lenient: `xmlns:image="http://www.example.com/"` still means images (Z23).
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
 * The same text as the engine's one copy of it, as literals are. Before you change this: readers compare
 * keys with literals for every tag, and two copies that are both the engine's own compare by address.
 */
function intern(text: string): string {
  return !FAST ? text : Object.keys({ [text]: 0 })[0]!;
}
