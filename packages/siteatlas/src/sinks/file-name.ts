/**
 * A name of a file for a host or any other text of a stranger.
 *
 * Stops `../../etc/x`, the host called `con` or `nul` (devices on Windows, with any ending), the name of 300
 * characters, the one that starts with a dash and is an option to the next program, and two hosts that differ
 * in case or in the form of an umlaut and are one file on some file systems (all sec-O04).
 *
 * A safe name is half of it: open the file with the flag `wx` and mode 0600, so that neither a file nor a
 * symbolic link that is there already is written to.
 */
import { sha256Hex } from "./sha256.ts";

/** The readable part; with the digest well below the 143 characters of the strictest usual file system. */
const MAX_READABLE = 48;
/** 128 bits: nobody finds two texts with the same name. */
const DIGEST_LENGTH = 32;
/** A dot is in no readable part: `con.example` is a device too. */
const EXTENSION = /^[a-z0-9]{1,8}(?:\.[a-z0-9]{1,8}){0,2}$/;

/**
 * `example-com-a379a6f6eeafb9a55e378c118034e275`, and the ending: letters, digits and dashes in lower case.
 * Different texts have different names, the same text always has the same.
 *
 * @throws {TypeError} for an extension that is not like `json` or `ndjson.gz`
 */
export function safeFileName(text: string, extension?: string): string {
  if (extension !== undefined && !EXTENSION.test(extension)) {
    throw new TypeError(`Cannot name a file: ${JSON.stringify(extension)} is no extension`);
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
