/**
 * Takes secrets out of what is logged, reported or thrown (sec-O07): user name and password of URLs, values
 * of parameters such as `?token=` and of headers such as `Authorization`.
 *
 * It knows secrets by their names. One in the path of a URL (`/hooks/T0/B0/xyz`) it cannot know. It is not
 * for data: a page's URL without its signature is another URL.
 *
 * Before you change this: the texts are strangers'. Each expression starts where another one cannot, or is
 * bounded, so that all of it takes linear time.
 */
import { MASK, maskUserinfo } from "./userinfo.ts";

/** `token`, `access_token`, `X-Amz-Signature`, `apiKey`; not `keyword`, `design`, `assign`. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  "auth",
  "authorization",
  "bearer",
  "cookie",
  "hmac",
  "jwt",
  "key",
  "oauth",
  "otp",
  "pass",
  "pw",
  "pwd",
  "session",
  "sid",
  "sig",
  "sign",
]);
const SECRET_ENDING =
  /(?:token|secret|passw(?:or)?d|passphrase|signature|apikey|accesskey|sess(?:ion)?id|credentials?)s?$/;

/** `//user:password@` where a URL is a parameter of another one, and escaped. */
const ESCAPED_USERINFO = /(?:%2f){2}(?:(?!%2f|%3f|%23|%40)[^\s\\/?#&"<>])*%40/gi;

/** A parameter's name, in a query, a fragment or behind a semicolon of the path; escaped as above. */
const PARAMETER = /(?:[?&;#]|%3f|%26|%3b|%23)((?:(?!%3f|%26|%3b|%23|%3d)[^=&;#?\s"<>])*)(?:=|%3d)/gi;
const VALUE = /[^&#\s"<>]*/y;

/** `Authorization: Basic …` to the end of the line. */
const HEADER_LINE =
  /\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{1,40}(?:key|token|secret))(["']?\s*[:=]\s*)[^\r\n]+/gi;
const BEARER = /\b(bearer|basic) +[\w.~+/=-]{16,}/gi;

/**
 * A URL without user name, password and secret parameters, normalised. Also for the URL of a proxy or of a
 * database. What is no URL is taken for a text.
 *
 * @example
 * redactUrl("https://user:pw@example.com/?id=1&token=abc"); // "https://***@example.com/?id=1&token=***"
 */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return redactText(url);
  const parsed = new URL(url);
  if (parsed.username !== "" || parsed.password !== "") {
    parsed.username = MASK;
    parsed.password = "";
  }
  const { href } = parsed;
  const queryAt = `${href}?`.search(/[?#]/);
  // A path may hold `//a@b`; behind it that is a URL within the URL.
  return redactParameters(href.slice(0, queryAt)) + redactUrlText(href.slice(queryAt));
}

/**
 * A text, such as an error message, without the secrets of the URLs and header lines in it.
 *
 * @example
 * redactText("cannot reach http://me:secret@proxy:3128"); // "cannot reach http://***@proxy:3128"
 */
export function redactText(text: string): string {
  return redactUrlText(text).replace(HEADER_LINE, `$1$2${MASK}`).replace(BEARER, `$1 ${MASK}`);
}

type HeaderValue = string | readonly string[] | undefined;

/** Headers of a request or a response; the values of the secret ones are masked. */
export function redactHeaders(headers: Readonly<Record<string, HeaderValue>>): Record<string, HeaderValue> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecret(name) ? MASK : redactValue(value)]),
  );
}

function redactValue(value: HeaderValue): HeaderValue {
  return typeof value === "string" ? redactText(value) : value?.map(redactText);
}

function redactUrlText(text: string): string {
  // Twice: the value of a parameter may have been what parted a user from its `@`.
  return redactUserinfo(redactParameters(redactUserinfo(text)));
}

function redactUserinfo(text: string): string {
  return maskUserinfo(text).replace(ESCAPED_USERINFO, (found) => `${found.slice(0, 6)}${MASK}%40`);
}

function redactParameters(text: string): string {
  let redacted = "";
  let from = 0;
  PARAMETER.lastIndex = 0;
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    if (!isSecret(unescapeName(match[1] as string))) continue;
    const start = PARAMETER.lastIndex;
    VALUE.lastIndex = start;
    VALUE.test(text);
    const end = VALUE.lastIndex;
    redacted += text.slice(from, start) + (end > start ? MASK : "");
    from = end;
    PARAMETER.lastIndex = end;
  }
  return redacted + text.slice(from);
}

/** Whether a parameter or a header of this name holds a secret. */
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
