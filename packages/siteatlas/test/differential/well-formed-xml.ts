/**
 * Writes arbitrary well-formed XML of no vocabulary: nested and mixed content, attributes in both quotes,
 * entities, numeric references, CDATA sections, comments, instructions, prefixes, names and texts beyond
 * ASCII, white space anywhere. Few names, so that markup repeats as in real documents.
 *
 * No bare CR, which XML parsers turn into a line feed and the scanner does not. No `<` inside an instruction,
 * which ends it for the scanner (Lenient: X05).
 */

type Random = () => number;

const NAMES = [
  "a",
  "b",
  "loc",
  "url",
  "image:loc",
  "x:y",
  "Ünïcode",
  "数据",
  "_u",
  "n-1.2",
  "A",
  "lastmod",
] as const;
const ATTRIBUTES = ["id", "xml:lang", "xmlns", "xmlns:x", "href", "größe", "a.b-c", "_", "x:y"] as const;
const PIECES = [
  "text",
  " ",
  "\n",
  "\t",
  "&amp;",
  "&lt;",
  "&gt;",
  "&quot;",
  "&apos;",
  "&#65;",
  "&#x42;",
  "&#xE9;",
  "&#128512;",
  "&#x1F600;",
  "&#10;",
  "&#13;",
  "é",
  "中文",
  "😀",
  "]]",
  "--",
  "?>",
  "/",
  "=",
  "https://www.example.com/?a=1&amp;b=2",
  "2024-01-02",
] as const;
const SECTIONS = ["", "x", "a & b < c > d", "]]", "]", "<loc>no</loc>", "é中😀", "&amp;", "\n"] as const;
const COMMENTS = ["", " note ", "<a>", " - ", "&nosuch;", "]]>", "é", "\n"] as const;
const INSTRUCTIONS = ["", " ", ' a="b"', " > ? ", " é"] as const;

export function writeWellFormed(random: Random): string {
  return new Writer(random).document();
}

class Writer {
  readonly #random: Random;
  /** Elements that may still be written. */
  #budget: number;

  constructor(random: Random) {
    this.#random = random;
    this.#budget = 2 + Math.floor(random() * random() * 60);
  }

  document(): string {
    const declaration = this.#chance(0.5) ? '<?xml version="1.0" encoding="UTF-8"?>\n' : "";
    const doctype = this.#chance(0.1) ? "<!DOCTYPE a [<!ELEMENT a ANY> <!-- > -->]>\n" : "";
    return `${declaration}${this.#misc()}${doctype}${this.#misc()}${this.#element(0)}${this.#misc()}`;
  }

  #misc(): string {
    const parts = ["", "\n", " ", this.#comment(), this.#instruction()];
    return this.#pick(parts) + this.#pick(parts);
  }

  #element(depth: number): string {
    const name = this.#pick(NAMES);
    const tag = name + this.#attributes() + (this.#chance(0.1) ? "\n " : "");
    if (this.#chance(0.1)) return `<${tag}/>`;
    return `<${tag}>${this.#content(depth)}</${name}${this.#chance(0.1) ? " " : ""}>`;
  }

  #attributes(): string {
    if (this.#chance(0.6)) return "";
    const names = ATTRIBUTES.filter(() => this.#chance(0.3));
    return names.map((name) => this.#attribute(name)).join("");
  }

  #attribute(name: string): string {
    const quote = this.#chance(0.5) ? '"' : "'";
    const value = this.#some(PIECES, 4).join("") + this.#pick(["", quote === '"' ? "'" : '"', ">", "]]>"]);
    const blank = this.#pick([" ", " ", "\n", "\t  "]);
    const equals = this.#pick(["=", "=", " = ", "\n="]);
    return `${blank}${name}${equals}${quote}${value}${quote}`;
  }

  #content(depth: number): string {
    const parts: string[] = [];
    while (this.#chance(0.7)) {
      const kind = this.#random();
      if (kind < 0.5 && depth < 12 && this.#budget > 0) {
        this.#budget--;
        parts.push(this.#element(depth + 1));
      } else if (kind < 0.8) parts.push(this.#some(PIECES, 5).join(""));
      else if (kind < 0.87) parts.push(`<![CDATA[${this.#pick(SECTIONS)}]]>`);
      else if (kind < 0.94) parts.push(this.#comment());
      else parts.push(this.#instruction());
    }
    // Adjacent texts must not form the end of a section.
    return parts.join("").replaceAll("]]&gt;", "]] &gt;");
  }

  #comment(): string {
    return `<!--${this.#pick(COMMENTS)}-->`;
  }

  #instruction(): string {
    return `<?pi${this.#pick(INSTRUCTIONS)}?>`;
  }

  #some<T>(choices: readonly T[], most: number): T[] {
    return Array.from({ length: Math.floor(this.#random() * (most + 1)) }, () => this.#pick(choices));
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)]!;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }
}
