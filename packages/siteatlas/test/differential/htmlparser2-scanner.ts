/**
 * htmlparser2 in XML mode with the interface of XmlScanner, for the format readers. So the results of a
 * document with either differ by the scanner alone.
 */
import { Parser } from "htmlparser2";
import { type FilledLimits, PARSE_LIMITS, type ParseLimits } from "../../src/model/generated/limits.ts";
import type { Report } from "../../src/model/issue-log.ts";
import { type ElementName, type NameContext, Scope } from "../../src/parse/xml/element-names.ts";
import { TextValue } from "../../src/parse/xml/element-text.ts";
import type { XmlReader, XmlScanner } from "../../src/parse/xml/scanner.ts";
import type { TagAttributes } from "../../src/parse/xml/tag-attributes.ts";

interface Open {
  readonly element: ElementName;
  /** The scope around it. */
  readonly outer: Scope;
  /** It is around the root, where the reader does not know it. */
  forgotten: boolean;
}

const encoder = new TextEncoder();
const silent: XmlReader = { open() {}, close() {}, looseText: () => false, doctype() {} };

export class Htmlparser2Scanner {
  reader: XmlReader = silent;
  readonly text: TextValue = new TextValue();
  readonly line = 1;
  readonly limits: FilledLimits<ParseLimits> = PARSE_LIMITS;
  stopped = false;
  readonly #names: NameContext;
  #scope: Scope;
  readonly #stack: Open[] = [];
  #attributes: ReadonlyMap<string, string> = new Map();
  #capturing = false;
  #looseTold = false;

  constructor(report: Report) {
    this.#names = { report, home: undefined, line: 1, folds: new Set() };
    this.#scope = new Scope(this.#names);
  }

  /** For the readers, which expect the class. */
  asScanner(): XmlScanner {
    return this as unknown as XmlScanner;
  }

  /** Reads a complete document. `closeAtEnd`: closes open elements at the end, as htmlparser2 does. */
  read(document: string, closeAtEnd: boolean): void {
    const parser = new Parser(
      {
        onopentag: (name, attributes) => this.#open(name, attributes),
        onclosetag: (_, implied) => this.#close(implied),
        ontext: (data) => this.#addText(data),
        oncomment: () => {
          this.#looseTold = false;
        },
        onprocessinginstruction: (name) => this.#declaration(name),
      },
      { xmlMode: true },
    );
    parser.write(document);
    if (closeAtEnd) parser.end();
  }

  get depth(): number {
    return this.#stack.reduce((depth, { forgotten }) => (forgotten ? depth : depth + 1), 0);
  }

  get attributes(): Pick<TagAttributes, "get" | "load" | "entries"> {
    const attributes = this.#attributes;
    const get = (name: string): string | undefined =>
      attributes.get(name) ?? [...attributes].find(([key]) => key.toLowerCase() === name)?.[1];
    return {
      get,
      entries: () => [...attributes],
      load: (name, text) => {
        text.clear();
        text.addString(get(name) ?? "");
        text.trim();
        return text.end > text.start;
      },
    };
  }

  startText(): void {
    this.#capturing = true;
    this.text.clear();
  }

  stopText(): void {
    this.#capturing = false;
  }

  stop(): void {
    this.stopped = true;
  }

  adoptRoot(root: ElementName): void {
    for (const open of this.#stack.slice(0, -1)) open.forgotten = true;
    this.#scope.adoptHome(root.namespace);
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.stopped) return;
    this.#looseTold = false;
    this.#attributes = new Map(Object.entries(attributes));
    const outer = this.#scope;
    const declarations = new Map<string, string>();
    for (const [key, value] of Object.entries(attributes)) {
      if (/^xmlns(:|$)/i.test(key)) declarations.set(key.slice(6), value);
    }
    if (declarations.size > 0) this.#scope = outer.derive(declarations);
    const bytes = encoder.encode(name);
    const hash = bytes.reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 0);
    const element = this.#scope.find(bytes, 0, bytes.length, hash);
    this.#stack.push({ element, outer, forgotten: false });
    this.reader.open(element);
  }

  #close(implied: boolean): void {
    if (this.stopped) return;
    this.#looseTold = false;
    const open = this.#stack.pop();
    if (open === undefined) return;
    this.#scope = open.outer;
    if (!open.forgotten) this.reader.close(open.element, implied);
  }

  #addText(data: string): void {
    if (this.stopped) return;
    if (!this.#capturing && !this.#looseTold && data.trim() !== "") {
      this.#looseTold = true;
      if (this.reader.looseText()) this.startText();
    }
    if (this.#capturing) this.text.addString(data);
  }

  #declaration(name: string): void {
    this.#looseTold = false;
    if (!this.stopped && /^!doctype$/i.test(name)) this.reader.doctype("");
  }
}
