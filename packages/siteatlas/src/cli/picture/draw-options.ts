/** What every picture of a site is drawn with. */
export interface DrawOptions {
  /** The site's URL, for the line at the top. Its origin is left out below. */
  readonly homepage: string;
  /** Columns that there are; `Infinity` where nothing is to be cut. */
  readonly width: number;
  readonly color: boolean;
  /** No characters beyond ASCII. @default false */
  readonly ascii?: boolean;
}
