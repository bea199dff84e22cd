/**
 * Writes a tree of elements as well-formed XML, in any style that XML allows: indented or on one line, with
 * comments, CDATA sections, processing instructions and references anywhere, with any prefixes, declared on the
 * root or where they are used. Small choices come from the seed of the style.
 *
 * Names in a tree have the prefix of `namespaces`; the style chooses the prefix that is written.
 */
import fc from "fast-check";
import { seededRandom } from "./splits.ts";

export interface XmlElement {
  readonly name: string;
  readonly attributes?: readonly (readonly [name: string, value: string])[];
  /** Elements, or one text. */
  readonly children?: readonly XmlElement[] | string;
}

export interface XmlStyle {
  readonly seed: number;
  /** Undefined: no white space between tags. */
  readonly indent: string | undefined;
  readonly comments: boolean;
  readonly cdata: boolean;
  readonly references: boolean;
  readonly instructions: boolean;
  /** Line breaks around texts. */
  readonly padded: boolean;
  readonly singleQuotes: boolean;
  /** `<loc>` or `<sm:loc>`. */
  readonly homePrefix: string;
  /** `<image:loc>` or `<n4:loc>`. */
  readonly ownPrefixes: boolean;
  /** Extensions are declared on the element that uses them (N11). */
  readonly declaredLocally: boolean;
  readonly declaration: boolean;
  /** The children of an entry in any order. */
  readonly shuffled: boolean;
}

export const xmlStyle: fc.Arbitrary<XmlStyle> = fc.record({
  seed: fc.nat(),
  indent: fc.constantFrom(undefined, "", "  ", "\t"),
  comments: rarely(),
  cdata: rarely(),
  references: rarely(),
  instructions: rarely(),
  padded: rarely(),
  singleQuotes: fc.boolean(),
  homePrefix: fc.constantFrom("", "", "", "sm", "x"),
  ownPrefixes: rarely(),
  declaredLocally: rarely(),
  declaration: fc.boolean(),
  shuffled: fc.boolean(),
});

function rarely(): fc.Arbitrary<boolean> {
  return fc.constantFrom(false, false, true);
}

const namespaces: Readonly<Record<string, string>> = {
  sm: "http://www.sitemaps.org/schemas/sitemap/0.9",
  image: "http://www.google.com/schemas/sitemap-image/1.1",
  video: "http://www.google.com/schemas/sitemap-video/1.1",
  news: "http://www.google.com/schemas/sitemap-news/0.9",
  mobile: "http://www.google.com/schemas/sitemap-mobile/1.0",
  pagemap: "http://www.google.com/schemas/sitemap-pagemap/1.0",
  xhtml: "http://www.w3.org/1999/xhtml",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rss: "http://purl.org/rss/1.0/",
  dc: "http://purl.org/dc/elements/1.1/",
  atom: "http://www.w3.org/2005/Atom",
  atom03: "http://purl.org/atom/ns#",
  media: "http://search.yahoo.com/mrss/",
  feedburner: "http://rssnamespace.org/feedburner/ext/1.0",
};

export interface XmlOutput {
  /** Prefix of the document's own vocabulary, which may become the default namespace. */
  readonly home: string | undefined;
  /** The encoding in the XML declaration. */
  readonly encoding: string | undefined;
  /** Whether the encoding has this character; it is written as a reference if not. */
  readonly canWrite: (character: string) => boolean;
}

/** The document with this root. */
export function writeXml(root: XmlElement, style: XmlStyle, output: XmlOutput): string {
  return new XmlWriter(style, output).document(root);
}

class XmlWriter {
  readonly #style: XmlStyle;
  readonly #output: XmlOutput;
  readonly #random: () => number;
  readonly #quote: string;

  constructor(style: XmlStyle, output: XmlOutput) {
    this.#style = style;
    this.#output = output;
    this.#random = seededRandom(style.seed);
    this.#quote = style.singleQuotes ? "'" : '"';
  }

  document(root: XmlElement): string {
    const { encoding } = this.#output;
    const label = encoding === undefined ? "" : ` encoding=${this.#quote}${encoding}${this.#quote}`;
    // Without its label, another encoding could not be recognized.
    const declared = this.#style.declaration || encoding !== undefined;
    const declaration = declared ? `<?xml version="1.0"${label}?>\n` : "";
    return declaration + this.#between(0) + this.#element(root, 0, new Set()) + this.#between(0);
  }

  #element(element: XmlElement, depth: number, outer: ReadonlySet<string>): string {
    const { children = "" } = element;
    const name = this.#name(element.name);
    const declared = this.#declarationsFor(element, depth, outer);
    const attributes = [
      ...declared.map((prefix) => this.#declaration(prefix)),
      ...(element.attributes ?? []).map(([key, value]) => this.#attribute(key, value)),
    ].join("");
    if (children.length === 0 && this.#chance(0.5))
      return `<${name}${attributes}${this.#chance(0.3) ? " " : ""}/>`;
    const inside = new Set([...outer, ...declared]);
    const content =
      typeof children === "string"
        ? this.#text(children, depth)
        : children
            .map((child) => this.#between(depth + 1) + this.#element(child, depth + 1, inside))
            .join("") + this.#between(depth);
    return `<${name}${attributes}>${content}</${name}${this.#chance(0.05) ? " " : ""}>`;
  }

  /** The prefixes that are declared on this element: those it needs, on the root all that are used. */
  #declarationsFor(element: XmlElement, depth: number, outer: ReadonlySet<string>): string[] {
    const used = depth === 0 && !this.#style.declaredLocally ? prefixesIn(element) : prefixesOf(element);
    return [...used].filter((prefix) => !outer.has(prefix));
  }

  #declaration(prefix: string): string {
    const written = this.#prefix(prefix);
    return this.#attribute(written === "" ? "xmlns" : `xmlns:${written}`, namespaces[prefix]!);
  }

  #name(name: string): string {
    const colon = name.indexOf(":");
    if (colon < 0) return name;
    const prefix = this.#prefix(name.slice(0, colon));
    return (prefix === "" ? "" : `${prefix}:`) + name.slice(colon + 1);
  }

  #prefix(prefix: string): string {
    if (prefix === this.#output.home) return this.#style.homePrefix;
    // `rdf:about` is an attribute that is known by its usual prefix.
    if (!this.#style.ownPrefixes || prefix === "rdf") return prefix;
    return `n${Object.keys(namespaces).indexOf(prefix)}`;
  }

  #attribute(name: string, value: string): string {
    const text = Array.from(value, (character) => {
      if (character === "&" || character === "<" || character === this.#quote)
        return this.#reference(character);
      return this.#output.canWrite(character) ? character : this.#numeric(character);
    }).join("");
    const blank = this.#chance(0.05) ? "\n  " : " ";
    const equals = this.#chance(0.05) ? " = " : "=";
    return `${blank}${name}${equals}${this.#quote}${text}${this.#quote}`;
  }

  /** Content that may occur between two tags. */
  #between(depth: number): string {
    const { indent, comments, instructions } = this.#style;
    const blank = indent === undefined ? "" : `\n${indent.repeat(depth)}`;
    const comment = comments && this.#chance(0.2) ? blank + COMMENTS[this.#pick(COMMENTS.length)] : "";
    const instruction = instructions && this.#chance(0.1) ? `${blank}<?note a="b" > c?>` : "";
    return comment + instruction + blank;
  }

  #text(text: string, depth: number): string {
    if (text === "") return "";
    const { padded, indent, comments } = this.#style;
    const blank = padded && this.#chance(0.5) ? `\n${(indent ?? "").repeat(depth + 1)}` : "";
    const characters = Array.from(text);
    // In one piece, or split in two by a comment or a CDATA boundary.
    const cut = (this.#style.cdata || comments) && this.#chance(0.2) ? this.#pick(characters.length + 1) : 0;
    const comment = cut > 0 && comments ? COMMENTS[this.#pick(COMMENTS.length)] : "";
    const head = this.#piece(characters.slice(0, cut).join(""));
    return blank + head + comment + this.#piece(characters.slice(cut).join("")) + blank;
  }

  #piece(text: string): string {
    const { cdata } = this.#style;
    const fits = !text.includes("\r") && Array.from(text).every(this.#output.canWrite);
    if (text !== "" && cdata && fits && this.#chance(0.5)) {
      return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
    }
    return Array.from(text, (character) => {
      if (character === "&" || character === "<" || character === ">") return this.#reference(character);
      // A reader turns a bare carriage return into a line feed.
      if (character === "\r" || !this.#output.canWrite(character)) return this.#numeric(character);
      return this.#style.references && this.#chance(0.1) ? this.#numeric(character) : character;
    }).join("");
  }

  #reference(character: string): string {
    return this.#style.references && this.#chance(0.3) ? this.#numeric(character) : ENTITIES[character]!;
  }

  #numeric(character: string): string {
    const code = character.codePointAt(0)!;
    if (this.#chance(0.5)) return `&#${code};`;
    return this.#chance(0.5) ? `&#x${code.toString(16)};` : `&#x${code.toString(16).toUpperCase()};`;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick(count: number): number {
    return Math.floor(this.#random() * count);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Comments with content that does not end them. */
const COMMENTS: readonly string[] = [
  "<!-- a note -->",
  "<!---->",
  "<!-- <url><loc>https://no.example/</loc></url> -->",
  "<!-- ]]> & < > - -->",
];

/** The prefixes that the element itself uses, in its name or in an attribute. */
function prefixesOf(element: XmlElement): Set<string> {
  const names = [element.name, ...(element.attributes ?? []).map(([name]) => name)];
  return new Set(names.flatMap((name) => (name.includes(":") ? [name.slice(0, name.indexOf(":"))] : [])));
}

function prefixesIn(element: XmlElement): Set<string> {
  const found = prefixesOf(element);
  if (typeof element.children !== "object") return found;
  for (const child of element.children) for (const prefix of prefixesIn(child)) found.add(prefix);
  return found;
}
