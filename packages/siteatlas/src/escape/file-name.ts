/**
 * Makes a safe file name from a host or any other untrusted text.
 *
 * Stops (all sec-O04):
 * - `../../etc/x`
 * - a host called `con` or `nul`, which are devices on Windows with any extension
 * - a name of 300 characters
 * - a name that starts with a dash, which the next program takes for an option
 * - two hosts that differ only in case or in the form of an umlaut: some file systems take them for one file
 *
 * A safe name is not enough: open the file with the flag `wx` and mode 0600, so that no existing file or
 * symbolic link is overwritten.
 */
import { expectText } from "./expect-text.ts";
import { sha256Hex } from "./sha256.ts";

/**
 * Maximum length of the readable part. With the digest, the name is well below 143 characters, the limit of the
 * strictest usual file system.
 */
const MAX_READABLE = 48;
/** Hexadecimal digits of the digest. With 128 bits, an attacker cannot find two texts with the same digest. */
const DIGEST_LENGTH = 32;
/** Only the extension may contain a dot, because on Windows `con.example` is also a device. */
const EXTENSION = /^[a-z0-9]{1,8}(?:\.[a-z0-9]{1,8}){0,2}$/;

/**
 * Returns a name such as `example-com-a379a6f6eeafb9a55e378c118034e275`, plus the extension. It consists of
 * lower-case letters, digits and dashes. The same text always gets the same name, different texts get different names.
 *
 * @throws {TypeError} for an extension that is not like `json` or `ndjson.gz`
 */
export function safeFileName(text: string, extension?: string): string {
  expectText("safeFileName", text);
  if (extension !== undefined && !EXTENSION.test(extension)) {
    throw new TypeError(`Cannot name a file: ${JSON.stringify(extension)} is not an extension such as json`);
  }
  const readable = text
    .slice(0, MAX_READABLE)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_READABLE)
    .replace(/^-|-$/g, "");
  const digest = sha256Hex(text).slice(0, DIGEST_LENGTH);
  return `${readable === "" ? "" : `${readable}-`}${digest}${extension === undefined ? "" : `.${extension}`}`;
}
