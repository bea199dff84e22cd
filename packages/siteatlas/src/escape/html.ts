/**
 * Escapes text, attribute values and links for an HTML page.
 *
 * Stops these attacks (all sec-O03):
 * - a title such as `</title><script>…`
 * - a URL that contains a quote: URL normalization keeps `'` and the backtick
 * - a `javascript:` link
 *
 * A page with untrusted text also needs a Content-Security-Policy (`default-src 'none'`), `rel="noopener nofollow"` on
 * links, and `<bdi>` around text of unknown direction.
 *
 * Do not use these functions inside `<script>` (use `jsonForScript`), `<style>`, comments, event handlers and
 * attributes without quotes.
 */
import { expectText } from "./expect-text.ts";
import { MAX_PARSED_LENGTH } from "./userinfo.ts";

/**
 * Matches markup, characters that HTML does not allow, and the carriage return, which browsers turn into a line feed.
 */
const MARKUP = /[&<>"'`\r]|[\0-\x08\v\f\x0e-\x1f\x7f-\x9f]|\p{Cs}/gu;
const BLANKS = /[\t\n]/g;

const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
  "\r": "&#13;",
  "\t": "&#9;",
  "\n": "&#10;",
};

/** Escapes a character. Control characters and lone surrogates become U+FFFD, because HTML cannot represent them. */
function reference(character: string): string {
  return REFERENCES[character] ?? "\ufffd";
}

/**
 * Escapes text between two tags. A browser shows exactly this text, except for control characters.
 *
 * @example
 * htmlText("a < b"); // "a &lt; b"
 */
export function htmlText(text: string): string {
  expectText("htmlText", text);
  return text.replace(MARKUP, reference);
}

/**
 * Escapes the value of an attribute, for use between quotes.
 *
 * @example
 * `<p title="${htmlAttribute(title)}">`
 */
export function htmlAttribute(text: string): string {
  expectText("htmlAttribute", text);
  return htmlText(text).replace(BLANKS, reference);
}

/**
 * Returns the value of an `href`, for use between quotes: an absolute http or https URL without user name and
 * password. Returns an empty string for anything else, and for a URL of more than 65,536 characters.
 *
 * @example
 * htmlHref("https://example.com/?a=1&b=2"); // "https://example.com/?a=1&amp;b=2"
 * htmlHref("javascript:alert(1)"); // ""
 */
export function htmlHref(url: string): string {
  expectText("htmlHref", url, "url");
  if (url.length > MAX_PARSED_LENGTH || !URL.canParse(url)) return "";
  const parsed = new URL(url);
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return "";
  parsed.username = "";
  parsed.password = "";
  return htmlAttribute(parsed.href);
}
