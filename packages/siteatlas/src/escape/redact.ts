/**
 * Removes secrets from texts that are logged, reported or thrown (sec-O07): user names and passwords in URLs, values of
 * parameters such as `?token=`, and values of headers such as `Authorization`.
 *
 * Secrets are recognized by the name of their parameter or header. A secret in the path of a URL (`/hooks/T0/B0/xyz`)
 * is not recognized. Do not use these functions for data: the URL of a page without its signature is a different URL.
 *
 * Before you change this file: the texts are untrusted, so the regular expressions must take linear time. A failed
 * match must end where the next match may start, or after a limited length. No group may repeat without a limit,
 * because V8 needs a stack entry for each repetition: a text of 10 MB would overflow the stack.
 */
import { expectText } from "./expect-text.ts";
import { MASK, MAX_PARSED_LENGTH } from "./userinfo.ts";

/**
 * Names that contain one of these words are secret, such as `apiKey` and `X-Session`. `keyword` is not secret, because
 * it is a different word.
 */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  "auth authorization bearer cookie hmac jwt key oauth otp pass pw pwd session sid sig sign".split(" "),
);
const SECRET_ENDING =
  /(?:token|secret|passw(?:or)?d|passphrase|signature|apikey|accesskey|sess(?:ion)?id|credentials?)s?$/;

/** Matches `//user:password@`. Matches cannot overlap, so the search takes linear time. */
const USERINFO = /([\\/]{2})[^\s\\/?#"<>]*@/g;
/**
 * Matches `https:user:password@`, without slashes. The length is limited. Otherwise the search could take quadratic
 * time, because matches could overlap.
 */
const SLASHLESS_USERINFO = /\b(https?:[\\/]?)[^\s\\/?#"<>]{0,256}@/gi;
const MASKED = `$1${MASK}@`;

/**
 * Matches delimiters. Used to find `//user:password@` in a percent-encoded URL that is a parameter of another URL.
 */
const ESCAPED_PARTS = /%(?:2f|3f|23|40)|[\s\\/?#&"<>]/gi;

/** Matches the delimiters before and after the name of a parameter. They may be percent-encoded. */
const PARAMETER_PARTS = /[?&;#=\s"<>]|%(?:3f|26|3b|23|3d)/gi;
/** Matches a delimiter before a parameter. Parameters are in the query, in the fragment or after a semicolon. */
const BEFORE_NAME = /[?&;#]|%(?:3f|26|3b|23)/i;
const AFTER_NAME = /=|%3d/i;
const VALUE = /[^&#\s"<>]*/y;

/** Matches a header such as `Authorization: Basic …`, up to the end of the line. */
const HEADER_LINE =
  /\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{1,40}(?:key|token|secret))(["']?\s*[:=]\s*)[^\r\n]+/gi;
const BEARER = /\b(bearer|basic) +[\w.~+/=-]{16}[\w.~+/=-]*/gi;

/**
 * Returns the normalized URL without user name, password and secret parameters. Also accepts URLs of proxies and
 * databases. A text that is not a URL is passed to `redactText`.
 *
 * @example
 * redactUrl("https://user:pw@example.com/?id=1&token=abc"); // "https://***@example.com/?id=1&token=***"
 */
export function redactUrl(url: string): string {
  expectText("redactUrl", url, "url");
  if (url.length > MAX_PARSED_LENGTH || !URL.canParse(url)) return redactText(url);
  const parsed = new URL(url);
  if (parsed.username !== "" || parsed.password !== "") {
    parsed.username = MASK;
    parsed.password = "";
  }
  const { href } = parsed;
  const queryAt = `${href}?`.search(/[?#]/);
  // In a path, the `a` of `//a@b` is not a user name, so it stays. In a query or fragment, `//a@b` may be part of
  // another URL, and `a` its user name.
  return redactParameters(href.slice(0, queryAt)) + redactUrlText(href.slice(queryAt));
}

/**
 * Returns a text, such as an error message, without the secrets in its URLs and header lines.
 *
 * @example
 * redactText("cannot reach http://me:secret@proxy:3128"); // "cannot reach http://***@proxy:3128"
 */
export function redactText(text: string): string {
  expectText("redactText", text);
  return redactUrlText(text).replace(HEADER_LINE, `$1$2${MASK}`).replace(BEARER, `$1 ${MASK}`);
}

/** The value of a header, or a list of values if the header was sent several times. */
export type HeaderValue = string | readonly string[] | undefined;

/** Returns the headers of a request or response with masked secrets. `headers` may be a `Headers` object. */
export function redactHeaders(
  headers: Readonly<Record<string, HeaderValue>> | Iterable<readonly [string, string]>,
): Record<string, HeaderValue> {
  if (typeof headers !== "object" || headers === null) {
    throw new TypeError("redactHeaders: headers must be a Headers object or an object with strings");
  }
  const entries: Iterable<readonly [string, HeaderValue]> =
    Symbol.iterator in headers
      ? (headers as Iterable<readonly [string, string]>)
      : Object.entries(headers as Readonly<Record<string, HeaderValue>>);
  return Object.fromEntries(
    Array.from(entries).map(([name, value]) => [name, isSecret(name) ? MASK : redactValue(value)]),
  );
}

function redactValue(value: HeaderValue): HeaderValue {
  return typeof value === "string" ? redactText(value) : value?.map(redactText);
}

function redactUrlText(text: string): string {
  // Mask user names twice. The first call misses a user name if a secret parameter is between it and the `@`.
  return redactUserinfo(redactParameters(redactUserinfo(text)));
}

function redactUserinfo(text: string): string {
  return redactEscapedUserinfo(text.replace(USERINFO, MASKED).replace(SLASHLESS_USERINFO, MASKED));
}

/** Masks the text between `%2f%2f` and the next `%40`: the user name and password of a percent-encoded URL. */
function redactEscapedUserinfo(text: string): string {
  let redacted = "";
  let from = 0;
  /** End of the last `%2f`. `start` is the end of the last `%2f%2f`. */
  let slash = -1;
  let start = -1;
  for (const { 0: part, index } of text.matchAll(ESCAPED_PARTS)) {
    const end = index + part.length;
    if (part.toLowerCase() === "%2f") {
      start = slash === index ? end : -1;
      slash = end;
      continue;
    }
    if (part === "%40" && start >= 0) {
      redacted += text.slice(from, start) + MASK;
      from = index;
    }
    start = -1;
  }
  return redacted + text.slice(from);
}

function redactParameters(text: string): string {
  let redacted = "";
  let from = 0;
  let name = -1;
  const parts = PARAMETER_PARTS;
  parts.lastIndex = 0;
  for (let match = parts.exec(text); match !== null; match = parts.exec(text)) {
    const [part] = match;
    const start = parts.lastIndex;
    if (name >= 0 && AFTER_NAME.test(part) && isSecret(unescapeName(text.slice(name, match.index)))) {
      VALUE.lastIndex = start;
      VALUE.test(text);
      const end = VALUE.lastIndex;
      redacted += text.slice(from, start) + (end > start ? MASK : "");
      from = end;
      parts.lastIndex = end;
    }
    name = BEFORE_NAME.test(part) ? start : -1;
  }
  return redacted + text.slice(from);
}

function isSecret(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/);
  return words.some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word));
}

function unescapeName(name: string): string {
  return name.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
