/** What the head of an HTML page tells crawlers: whether it may be indexed, and which URL is canonical. */
import { type AttributeReader, HtmlTokenizer } from "../../parse/formats/html-tokenizer.ts";

/** What an HTML page tells crawlers. */
export interface HtmlFacts {
  /** Whether `<meta name="robots">` forbids indexing. */
  readonly isNoindex: boolean;
  /** The href of `<link rel="canonical">`, as written. */
  readonly canonical: string | undefined;
}

/** Names of the attributes that `HeadReader` needs. */
export const HEAD_ATTRIBUTES = ["name", "content", "rel", "href"] as const;

/** Collects the facts from the tags of a page. */
export class HeadReader implements HtmlFacts {
  isNoindex = false;
  /** The hrefs of all `<link rel="canonical">`, as written. */
  readonly canonicals: string[] = [];

  get canonical(): string | undefined {
    return this.canonicals[0];
  }

  startTag(name: string, attribute: AttributeReader): void {
    if (name === "meta" && /^(?:robots|googlebot)$/i.test(attribute("name") ?? "")) {
      this.isNoindex ||= /\b(?:noindex|none)\b/i.test(attribute("content") ?? "");
    }
    if (name === "link" && /(?:^|\s)canonical(?:\s|$)/i.test(attribute("rel") ?? "")) {
      const href = attribute("href")?.trim();
      if (href !== undefined) this.canonicals.push(href);
    }
  }
}

/** Reads the head of a page. The rest is not read. */
export function htmlFacts(html: string): HtmlFacts {
  const head = new HeadReader();
  let isNoscript = false;
  const tokenizer = new HtmlTokenizer(
    {
      startTag: (name, attribute) => {
        if (name === "noscript") isNoscript = true;
        // Browsers and Google ignore the content of <noscript>.
        if (!isNoscript) head.startTag(name, attribute);
        if (name === "body") tokenizer.done = true;
      },
      endTag: (name) => {
        if (name === "noscript") isNoscript = false;
      },
    },
    HEAD_ATTRIBUTES,
  );
  tokenizer.push(html);
  return { isNoindex: head.isNoindex, canonical: head.canonical };
}
