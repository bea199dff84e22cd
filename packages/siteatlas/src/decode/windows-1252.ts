/** Reads stray bytes outside ASCII in a UTF-8 document as windows-1252 (WHATWG index). */

/** The characters of the bytes from 0x80 on. Without `stream`, Node 20 reads 0x80 to 0x9F as ISO-8859-1. */
const CHARACTERS: string = new TextDecoder("windows-1252").decode(
  Uint8Array.from({ length: 0x80 }, (_, index) => 0x80 + index),
  { stream: true },
);

const encoder = new TextEncoder();
const ENCODED: readonly Uint8Array[] = Array.from(CHARACTERS, (character) => encoder.encode(character));

/** A byte of windows-1252 becomes at most this many bytes of UTF-8. */
export const MAX_EXPANSION = 3;

/** The byte must be at least 0x80. */
export function windows1252Character(byte: number): string {
  return CHARACTERS.charAt(byte - 0x80);
}

export function windows1252Bytes(byte: number): Uint8Array {
  return ENCODED[byte - 0x80]!;
}
