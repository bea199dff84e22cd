/**
 * Makes a safe file name from a host or any other untrusted text.
 *
 * Stops these attacks (all sec-O04):
 * - a path such as `../../etc/x`
 * - a host called `con` or `nul`: on Windows, these names are devices, with any extension
 * - a name of 300 characters
 * - a name that starts with a dash: other programs take it for an option
 * - two hosts that differ only in case or in the Unicode form of an umlaut: some file systems use one file for both
 *
 * A safe name is not enough: open the file with the flag `wx` and mode 0600, so that no existing file or
 * symbolic link is overwritten.
 */
import { expectText } from "./expect-text.ts";
import { sha256Hex } from "./sha256.ts";

/**
 * Maximum length of the readable part. With the digest, the name is shorter than 143 characters, the lowest limit of a
 * common file system.
 */
const MAX_READABLE = 48;
/** Number of hexadecimal digits of the digest: 128 bits. An attacker cannot find two texts with the same digest. */
const DIGEST_LENGTH = 32;
/** An allowed extension. Only the extension may contain a dot, because on Windows `con.example` is also a device. */
const EXTENSION = /^[a-z0-9]{1,8}(?:\.[a-z0-9]{1,8}){0,2}$/;

/**
 * Returns a name such as `example-com-a379a6f6eeafb9a55e378c118034e275`, plus the extension. The name consists of
 * lower-case letters, digits and dashes. The same text always gets the same name. Different texts get different names.
 *
 * @throws {TypeError} if the extension is not valid. Valid extensions are `json` and `ndjson.gz`, for example
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
