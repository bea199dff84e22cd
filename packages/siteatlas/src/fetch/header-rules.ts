/** Checks and reads the request headers that a caller passes. */
import { type Rule, rule } from "../check/rules.ts";

/** The headers that a caller passes. A header with the value `undefined` is not sent. */
export type HeaderOptions = Headers | Readonly<Record<string, string | undefined>>;

/** Matches a header name (RFC 9110 section 5.1). */
const NAME = /^[!#$%&'*+.^_`|~\da-z-]+$/i;
/**
 * Matches a header value (RFC 9110 section 5.5). Line breaks are not allowed, because they could add another header.
 * Only Latin-1 is allowed, because Node cannot send other characters.
 */
const TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;
const TEXT_ALLOWED = "a Latin-1 string without line breaks or other control characters";

/** Headers that describe the connection or a request body. Clients cannot send them with a GET request. */
const RESERVED = /^(?:content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

export const HEADER_TEXT: Rule<string> = rule(
  TEXT_ALLOWED,
  (value) => typeof value === "string" && TEXT.test(value),
);

const CREDENTIALS_ALLOWED = "a string such as user:password";

export const CREDENTIALS: Rule<string> = {
  allowed: CREDENTIALS_ALLOWED,
  find: (value) =>
    typeof value === "string" && value.includes(":")
      ? undefined
      : { path: "", value, allowed: CREDENTIALS_ALLOWED, isSecret: true },
};

const HEADERS_ALLOWED = "a Headers object, or an object with strings";

export const HEADERS: Rule<HeaderOptions> = {
  allowed: HEADERS_ALLOWED,
  find: (value) => {
    if (typeof value !== "object" || value === null || Symbol.iterator in value !== isHeaders(value)) {
      return { path: "", value, allowed: HEADERS_ALLOWED, isSecret: typeof value === "string" };
    }
    for (const [name, text] of entriesOf(value as HeaderOptions)) {
      // Cut the name before it is shown: it may be a whole line with a password, such as `Authorization: Basic …`.
      if (!NAME.test(name)) {
        const value = name.replace(/[^!#$%&'*+.^_`|~\da-z-].*$/is, " …");
        return { path: "", value, allowed: "an object with valid header names" };
      }
      if (RESERVED.test(name) && text !== undefined) {
        const allowed = "an object without headers that the client sets itself";
        return { path: "", value, allowed, shown: `one with "${name}"` };
      }
      if (/^connection$/i.test(name) && text !== undefined && !/^(?:close|keep-alive)$/i.test(text)) {
        return { path: `.${name}`, value: text, allowed: '"close" or "keep-alive"' };
      }
      const fault = text === undefined ? undefined : HEADER_TEXT.find(text);
      // Do not show the value. It may be a password or a cookie.
      if (fault !== undefined) return { ...fault, path: `.${name}`, isSecret: typeof text === "string" };
    }
    return undefined;
  },
};

/** Returns the headers with names in lower case. */
export function readHeaders(headers: HeaderOptions = {}): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [name, value] of entriesOf(headers)) {
    if (value !== undefined) read[name.toLowerCase()] = value;
  }
  return read;
}

function entriesOf(headers: HeaderOptions): Iterable<[string, string | undefined]> {
  return isHeaders(headers) ? headers : Object.entries(headers);
}

/** Recognizes a `Headers` object by its methods: `instanceof` would fail for another implementation of fetch. */
function isHeaders(value: object): value is Headers {
  return typeof (value as Partial<Headers>).getSetCookie === "function";
}
