/** Turns texts of files into normalized URLs. Counts texts that are not URLs. */
import { plainOrigin } from "#shortcuts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { UrlReader } from "../../parse/values/url.ts";
import type { FactCounts } from "../source-facts.ts";

/**
 * Reads URLs that people and tools wrote. Common mistakes are repaired, as in a sitemap. Only a text that starts with a
 * slash is a path: `n/a` in a table is not a page.
 */
export class UrlTexts {
  readonly #facts: FactCounts;
  readonly #urls: UrlReader;
  readonly #paths: UrlReader | undefined;
  #isTooLong = false;

  /** @param origin resolves paths, such as `/blog/a` */
  constructor(origin: string | undefined, facts: FactCounts) {
    this.#facts = facts;
    const report = (code: IssueCode): void => {
      if (code === "url.too-long") this.#isTooLong = true;
    };
    const options = { strict: false, escapeCode: "url.html-escaped" } as const;
    this.#urls = new UrlReader("", report, options);
    this.#paths = origin === undefined ? undefined : new UrlReader(origin, report, options);
  }

  /** Returns undefined if the text is not a URL. A blank text does not count. */
  read(text: string): string | undefined {
    const isPath = PATH.test(text);
    this.#isTooLong = false;
    const url = (isPath ? this.#paths : this.#urls)?.resolve(text, "asset");
    if (url !== undefined) return url;
    if (text.trim() === "") return undefined;
    this.#facts.drop(
      this.#isTooLong ? "too-long" : isPath && this.#paths === undefined ? "relative" : "invalid",
    );
    return undefined;
  }
}

const PATH = /^\s*\/(?!\/)/;

/** Reads the target of a request. Nothing is repaired: a client may have requested a URL with a mistake. */
export class TargetUrls {
  readonly #origin: { readonly prefix: string };

  constructor(origin: string) {
    this.#origin = { prefix: `${origin}/` };
  }

  /** Returns undefined if the target is not a path or an http URL, such as the `*` of `OPTIONS *`. */
  read(target: string): string | undefined {
    const { prefix } = this.#origin;
    const text = target.startsWith("/") ? prefix + target.slice(1) : target;
    if (plainOrigin(text, this.#origin, undefined) !== undefined) return text;
    if (!/^https?:\/\//i.test(text)) return undefined;
    try {
      const url = new URL(text);
      url.hash = "";
      url.username = "";
      url.password = "";
      return url.href;
    } catch {
      return undefined;
    }
  }
}
