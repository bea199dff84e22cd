/**
 * The text of an element as a slice of bytes, for the shortcuts. `TextValue` of the scanner implements it.
 */
export interface TextSlice {
  readonly bytes: Uint8Array;
  readonly start: number;
  end: number;
  /** May contain bytes above 0x7f. */
  high: boolean;
  /** Whether the scanner's probe has read the complete text. */
  probed: boolean;
  toString(): string;
}
