/** The result of a page handler: a promise to wait for, or "limit-reached" if `--limit` needs no more pages. */
export type Taken = void | Promise<void> | "limit-reached";
