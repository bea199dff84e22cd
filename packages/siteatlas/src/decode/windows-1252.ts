/** The bytes of windows-1252 outside ASCII, by the WHATWG index: stray ones in UTF-8 are read so. */

/** Streaming, because Node 20 reads 0x80 to 0x9F as ISO-8859-1 otherwise. */
const CHARACTERS: string = new TextDecoder("windows-1252").decode(
  Uint8Array.from({ length: 0x80 }, (_, index) => 0x80 + index),
  { stream: true },
);

const encoder = new TextEncoder();
const ENCODED: readonly Uint8Array[] = Array.from(CHARACTERS, (character) => encoder.encode(character));

/** The most UTF-8 bytes that one byte becomes. */
export const MAX_EXPANSION = 3;

/** The character of a byte from 0x80 on. */
export function windows1252Character(byte: number): string {
  return CHARACTERS.charAt(byte - 0x80);
}

/** The same as UTF-8. */
export function windows1252Bytes(byte: number): Uint8Array {
  return ENCODED[byte - 0x80]!;
}
