/** The text of an element as a range of bytes, for the shortcuts. `TextValue` of the scanner implements it. */
export interface TextSlice {
  readonly bytes: Uint8Array;
  readonly start: number;
  end: number;
  /** Whether the text may contain bytes above 0x7f. */
  high: boolean;
  /** Whether the scanner's probe (`TextProbe`) has accepted the complete text. */
  probed: boolean;
  toString(): string;
}
