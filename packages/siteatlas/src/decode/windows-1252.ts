/** Decodes single bytes as windows-1252, as the WHATWG Encoding Standard defines it. */

/**
 * The characters of the bytes 0x80 to 0xFF. The option `stream` avoids a bug of Node 20: without it, 0x80 to 0x9F are
 * decoded as ISO-8859-1.
 */
const CHARACTERS: string = new TextDecoder("windows-1252").decode(
  Uint8Array.from({ length: 0x80 }, (_, index) => 0x80 + index),
  { stream: true },
);

const encoder = new TextEncoder();
const ENCODED: readonly Uint8Array[] = Array.from(CHARACTERS, (character) => encoder.encode(character));

/** Maximum number of UTF-8 bytes for one byte of windows-1252. */
export const MAX_EXPANSION = 3;

/** Returns the character of a byte. The byte must be at least 0x80. */
export function windows1252Character(byte: number): string {
  return CHARACTERS.charAt(byte - 0x80);
}

export function windows1252Bytes(byte: number): Uint8Array {
  return ENCODED[byte - 0x80]!;
}
