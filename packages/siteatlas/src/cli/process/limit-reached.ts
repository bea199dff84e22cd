/**
 * The result of handling a page: a promise to wait for, or "limit-reached" if no more pages are needed because of
 * `--limit`.
 */
export type Taken = void | Promise<void> | "limit-reached";
