/** The options that all pictures have. */
export interface DrawOptions {
  /** The homepage, shown in the first line. Other URLs are shown without its origin. */
  readonly homepage: string;
  /** Width in columns. With `Infinity`, nothing is shortened. */
  readonly width: number;
  readonly color: boolean;
  /** Whether to use only ASCII. @default false */
  readonly ascii?: boolean;
  /** Why the numbers are incomplete, such as `interrupted`. Shown in the first line. Undefined if they are complete. */
  readonly incomplete?: string | undefined;
}
