/**
 * Turns the links of an HTML page or of llms.txt into pages. Links are resolved as browsers do
 * (https://url.spec.whatwg.org), without the repairs that sitemaps need: `a.example/b` is a path, not a host. Left out:
 * links to other sites, links that are not http(s), such as `mailto:` and `javascript:`, and links to a part of the
 * same document (`#top`).
 */
import { writtenText } from "../../escape/userinfo.ts";
import { omitUndefined } from "../../model/omit-undefined.ts";
import { parseUrl } from "../values/parse-url.ts";
import { trimUrl } from "../values/url.ts";
import type { EntrySink } from "./entry-sink.ts";
import { cutText } from "./xml-text-fields.ts";

/** Returns an http or https URL without credentials and fragment. Undefined for all other URLs. */
export function resolveLink(href: string, base: string | undefined): URL | undefined {
  const url = parseUrl(href, base);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return undefined;
  // Each assignment parses the URL again.
  if (url.username + url.password !== "") {
    url.username = "";
    url.password = "";
  }
  if (url.href.includes("#")) url.hash = "";
  return url;
}

/** The facts about a document that its links depend on. */
export interface LinkOptions {
  /** URL of the document. Empty if it is unknown. */
  readonly url: string;
  readonly sink: EntrySink;
  /** Whether a host belongs to the site. */
  isOwnHost(hostname: string): boolean;
  readonly urlLength: number;
  readonly textLength: number;
}

/** A link as it is written in a document. */
export interface WrittenLink {
  readonly href: string;
  /** The text of the link, with collapsed white space. */
  readonly title: string;
  readonly section?: string | undefined;
  readonly line?: number | undefined;
}

export class LinkedPages {
  /** Whether the document has a link to a page of the site. */
  hasPages = false;
  /** URL of the document, or its `<base href>`. */
  base: string | undefined;
  readonly #options: LinkOptions;
  readonly #format: "html" | "llms";

  constructor(options: LinkOptions, format: "html" | "llms") {
    this.#options = options;
    this.#format = format;
    this.base = options.url === "" ? undefined : options.url;
  }

  add({ href, title, section, line }: WrittenLink): void {
    const { sink, urlLength, textLength } = this.#options;
    const { report } = sink;
    const written = trimUrl(href);
    if (written === "" || written.startsWith("#") || OTHER_SCHEME.test(written)) return;
    // Do not parse a long URL: Punycode takes quadratic time for a host of a million letters.
    if (written.length > urlLength) return report("url.too-long", written, line);
    const url = resolveLink(written, this.base);
    if (url === undefined) {
      const isRelative = this.base === undefined && !WEB_SCHEME.test(written);
      return report(isRelative ? "url.no-base" : "url.invalid", written, line);
    }
    if (url.href.length > urlLength) return report("url.too-long", written, line);
    if (!this.#options.isOwnHost(url.hostname)) {
      // Report a link to another site only in llms.txt, which is a list made by hand. Nearly every HTML page has such
      // links.
      if (this.#format === "llms") report("url.cross-site", written, line);
      return;
    }
    this.hasPages = true;
    sink.page(
      omitUndefined({
        url: url.href,
        urlText: writtenText(url.href, written),
        title: cutText(title, textLength, report, line) || undefined,
        section,
        linkedFrom: this.#format,
      }),
    );
  }
}

const WEB_SCHEME = /^https?:/i;
/** Matches a scheme that is not http or https. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z\d+.-]*:/i;

/** Collapses white space, as browsers do when they show a text. No-break spaces become spaces. */
export function collapse(text: string): string {
  return text.split(/\s+/).filter(Boolean).join(" ");
}
