/**
 * Text, attribute values and links of an HTML page.
 *
 * Stops the title `</title><script>…`, the URL with a quote in it (`'` and the backtick survive what WHATWG
 * does to a URL) and the `javascript:` link (all sec-O03). A page made of strangers' text wants a
 * Content-Security-Policy (`default-src 'none'`), `rel="noopener nofollow"` on its links and `<bdi>` around
 * what may be written in the other direction besides; none of this is for the inside of `<script>`
 * (`jsonForScript` is), `<style>`, comments, event handlers and attributes without quotes.
 */

/** Markup; a carriage return, which a browser would make a line feed; and what no page may hold. */
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

/** U+FFFD for control characters and lone surrogates: no reference can name them. */
function reference(character: string): string {
  return REFERENCES[character] ?? "\ufffd";
}

/**
 * Text between two tags. A browser shows exactly that text, but for control characters.
 *
 * @example
 * htmlText("a < b"); // "a &lt; b"
 */
export function htmlText(text: string): string {
  return text.replace(MARKUP, reference);
}

/**
 * The value of an attribute, to be put between quotes.
 *
 * @example
 * `<p title="${htmlAttribute(title)}">`
 */
export function htmlAttribute(text: string): string {
  return htmlText(text).replace(BLANKS, reference);
}

/**
 * The value of an `href`, to be put between quotes: an absolute http or https URL without user name and
 * password, or nothing.
 *
 * @example
 * htmlHref("https://example.com/?a=1&b=2"); // "https://example.com/?a=1&amp;b=2"
 * htmlHref("javascript:alert(1)"); // ""
 */
export function htmlHref(url: string): string {
  if (!URL.canParse(url)) return "";
  const parsed = new URL(url);
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return "";
  parsed.username = "";
  parsed.password = "";
  return htmlAttribute(parsed.href);
}
