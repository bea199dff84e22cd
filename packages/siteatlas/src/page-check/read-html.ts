/** Reads what a page says about itself: title, languages, canonical URL, dates and the amount of text. */

import { createHash } from "node:crypto";
import type { LinkValue } from "../discover/homepage-links.ts";
import { HEAD_ATTRIBUTES, HeadReader } from "../lint/documents/html-facts.ts";
import { HtmlTokenizer } from "../parse/formats/html-tokenizer.ts";
import { parseUrl } from "../parse/values/parse-url.ts";
import { decodeReferences } from "../parse/xml/entities.ts";
import type { LanguageLink, PageHtml } from "./checked-page.ts";

const MAX_TEXT = 200;
/** URLs are cut to this length, or left out if they are links. */
const MAX_URL = 2048;
const MAX_CANONICALS = 5;
const MAX_ALTERNATES = 200;

const ATTRIBUTES = [...HEAD_ATTRIBUTES, "lang", "hreflang", "http-equiv", "property", "type"];

/** Elements that do not start the body. The tags `<head>` and `<body>` may be left out. */
const HEAD_ELEMENTS: ReadonlySet<string> = new Set(
  "html head title base link meta style script noscript template basefont bgsound".split(" "),
);

/** A page that was read. */
interface ReadPage {
  readonly facts: PageHtml;
  /** The text of the body. */
  readonly text: string;
}

interface HtmlSource {
  /** Whether the text is the whole page, not only its start. */
  readonly isWhole: boolean;
  /** The links of the header Link. Its language links count like those of the HTML. */
  readonly links: readonly LinkValue[];
}

/** Reads a page. @param html the first part of the page @param url its URL, for relative links */
export function readHtml(html: string, url: string, { isWhole, links }: HtmlSource): ReadPage {
  const reader = new PageReader(url, links);
  reader.read(html);
  return { facts: reader.facts(isWhole), text: reader.text };
}

/** A hash of a text without digits, which is the same for two error pages that show different times. */
export function roughHash(text: string): string {
  return hashOf(text.replace(/[\d\s]+/g, ""));
}

class PageReader {
  readonly #head = new HeadReader();
  readonly #alternates: LanguageLink[] = [];
  /** The text of the body. */
  text = "";
  #words = 0;
  /** Texts by element: only the first `<title>` and `<h1>` are kept. */
  readonly #named: Map<string, string> = new Map();
  readonly #found: Map<string, string> = new Map();
  /** The open `<title>` or `<h1>`. */
  #open: string | undefined;
  /** Whether the reader is inside of `<noscript>`. Browsers and Google ignore its content. */
  #isNoscript = false;
  #isTitle = false;
  /** Whether the reader is inside of `<svg>`, which has titles of its own. */
  #isSvg = false;
  #isBody = false;
  #base: string;

  constructor(url: string, links: readonly LinkValue[]) {
    this.#base = url;
    for (const { target, parameters } of links)
      this.#link(parameters.get("rel") ?? "", parameters.get("hreflang"), target);
  }

  read(html: string): void {
    const tokenizer = new HtmlTokenizer(
      {
        startTag: (name, attribute) => this.#startTag(name, attribute),
        endTag: (name) => {
          if (name === this.#open) this.#open = undefined;
          if (name === "noscript") this.#isNoscript = false;
          if (name === "title") this.#isTitle = false;
          if (name === "svg") this.#isSvg = false;
        },
        text: (text, from, end) => this.#text(text.slice(from, end)),
      },
      ATTRIBUTES,
    );
    tokenizer.push(html);
    if (/<html\b[^>]*\s(?:amp|⚡)[\s>=]/i.test(html.slice(0, 4096))) this.#found.set("amp", "");
    const modified = /"dateModified"\s*:\s*"([^"]{8,40})"/.exec(html)?.[1];
    if (modified !== undefined) this.#keep("modified", modified);
  }

  facts(isWhole: boolean): PageHtml {
    const { isNoindex, canonical, canonicals } = this.#head;
    return {
      isNoindex,
      canonicals: canonicals.slice(0, MAX_CANONICALS).flatMap((href) => this.#absolute(href) ?? []),
      ...(canonical !== undefined && { canonical: canonical.slice(0, MAX_URL) }),
      ...(canonical !== undefined && { isCanonicalAbsolute: /^https?:\/\//i.test(canonical) }),
      alternates: this.#alternates,
      ...this.#part("title", this.#named.get("title")),
      ...this.#part("heading", this.#named.get("h1")),
      ...this.#part("language", this.#found.get("language")),
      ...this.#part("robots", this.#found.get("robots")),
      ...this.#part("refresh", this.#found.get("refresh")),
      ...this.#part("modified", this.#found.get("modified")),
      ...(this.#found.has("amp") && { isAmp: true as const }),
      ...(this.#found.has("password") && { asksForPassword: true as const }),
      ...(!isWhole && { cutIn: this.#isBody ? ("body" as const) : ("head" as const) }),
      words: this.#words,
      textHash: hashOf(this.text),
    };
  }

  #part<K extends string>(name: K, text: string | undefined): { [name in K]?: string } {
    const value = text?.replace(/\s+/g, " ").trim().slice(0, MAX_TEXT);
    return (value === undefined || value === "" ? {} : { [name]: value }) as { [name in K]?: string };
  }

  #startTag(name: string, attribute: (name: string) => string | undefined): void {
    if (name === "noscript") this.#isNoscript = true;
    if (this.#isNoscript) return;
    if (!HEAD_ELEMENTS.has(name)) this.#isBody = true;
    if (name === "svg") this.#isSvg = true;
    if (name === "title") this.#isTitle = true;
    // Search engines ignore a canonical URL outside of the head.
    if (name === "meta" || (name === "link" && !this.#isBody)) this.#head.startTag(name, attribute);
    if ((name === "title" || name === "h1") && !this.#isSvg && !this.#named.has(name)) {
      this.#named.set(name, "");
      this.#open = name;
    }
    switch (name) {
      case "html":
        this.#keep("language", attribute("lang"));
        break;
      case "base":
        this.#base = this.#absolute(attribute("href") ?? "") ?? this.#base;
        break;
      case "link":
        if (!this.#isBody) this.#link(attribute("rel") ?? "", attribute("hreflang"), attribute("href"));
        break;
      case "meta":
        if (/^refresh$/i.test(attribute("http-equiv") ?? "")) this.#keep("refresh", attribute("content"));
        if (/^robots$/i.test(attribute("name") ?? "")) this.#addRobots(attribute("content"));
        if (/^article:modified_time$/i.test(attribute("property") ?? ""))
          this.#keep("modified", attribute("content"));
        break;
      case "input":
        if (/^password$/i.test(attribute("type") ?? "")) this.#found.set("password", "");
        break;
    }
  }

  #link(rel: string, hreflang: string | undefined, href: string | undefined): void {
    if (hreflang === undefined || href === undefined || !/(?:^|\s)alternate(?:\s|$)/i.test(rel)) return;
    const url = this.#absolute(href);
    if (url === undefined || this.#alternates.length >= MAX_ALTERNATES) return;
    this.#alternates.push({ language: hreflang.trim().toLowerCase().slice(0, 40), url });
  }

  /** A page may have several `<meta name="robots">`: all of them count. */
  #addRobots(content: string | undefined): void {
    if (content === undefined) return;
    const before = this.#found.get("robots");
    this.#found.set("robots", before === undefined ? content : `${before}, ${content}`.slice(0, MAX_TEXT));
  }

  #text(text: string): void {
    if (this.#isNoscript) return;
    if (this.#open !== undefined) {
      const before = this.#named.get(this.#open)!;
      if (before.length < MAX_TEXT)
        this.#named.set(this.#open, before + decodeReferences(text, () => {}).text);
    }
    // Text outside of a head element starts the body, if the tag <body> is left out.
    if (!this.#isBody && !this.#isTitle && text.trim() !== "") this.#isBody = true;
    if (!this.#isBody) return;
    this.text += text;
    this.#words += countWords(text);
  }

  #keep(name: string, text: string | undefined): void {
    if (text !== undefined && !this.#found.has(name)) this.#found.set(name, text);
  }

  #absolute(href: string): string | undefined {
    const text = href.trim();
    const url = text === "" ? undefined : parseUrl(text, this.#base);
    if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
    url.hash = "";
    url.username = "";
    url.password = "";
    return url.href.length > MAX_URL ? undefined : url.href;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** Number of words in a piece of text. Words are separated by white space, and by tags. */
function countWords(text: string): number {
  let words = 0;
  let isInside = false;
  for (let at = 0; at < text.length; at++) {
    const isSpace = text.charCodeAt(at) <= 0x20;
    if (!isSpace && !isInside) words++;
    isInside = !isSpace;
  }
  return words;
}
