/** How the program ends. 5 is kept for findings of lint. */
export const EXIT: {
  readonly done: 0;
  /** Something that should not happen: a bug of ours, a disk that is full. */
  readonly unexpected: 1;
  readonly usage: 2;
  readonly nothingFound: 3;
  /** With `--fail-on-partial`: some sitemaps failed or were cut. */
  readonly partial: 4;
  /** With `--exit-code`: sync or diff found a change. */
  readonly changed: 6;
  /** A limit ended it; goes before `partial`. */
  readonly limit: 7;
  readonly interrupted: 130;
  readonly terminated: 143;
} = {
  done: 0,
  unexpected: 1,
  usage: 2,
  nothingFound: 3,
  partial: 4,
  changed: 6,
  limit: 7,
  interrupted: 130,
  terminated: 143,
};

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
