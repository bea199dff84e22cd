import { type Check, checkAt, InvalidValue } from "../../check/check-value.ts";

/** The reason why a tree cannot be read or saved. */
export type TreeErrorCode =
  /** The file or the text is not a tree that siteatlas wrote. */
  | "not-a-tree"
  /** A newer or older version of siteatlas wrote the tree. */
  | "unsupported-version"
  /** The file ends early. */
  | "truncated"
  /** A checksum of the file does not match, or its bytes are not text. */
  | "damaged"
  /** A value is missing, unknown or of the wrong type. The message contains its place. */
  | "invalid"
  /** A limit of `loadTree` was reached, a page is too large for a file, or a tree is too deep for JSON. */
  | "too-large"
  /** The root is a single sitemap, not a website. Pass `{ root: "any" }` to read it. */
  | "not-a-website"
  /** A sitemap of the tree contains itself. */
  | "cyclic";

/**
 * Thrown if a tree cannot be read or saved. `code` is the reason.
 *
 * @example
 * try {
 *   tree = await loadTree("example.tree.gz");
 * } catch (error) {
 *   if (error instanceof TreeError && error.code === "truncated") tree = undefined;
 *   else throw error;
 * }
 */
export class TreeError extends Error {
  /** Always `TreeError`. */
  override readonly name = "TreeError";
  /** The reason, as a code for programs. */
  readonly code: TreeErrorCode;

  /** Created by `treeFromJson`, `loadTree`, `saveTree` and `JSON.stringify` of a tree. */
  constructor(code: TreeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Checks a value of a tree. Throws a `TreeError` if the value is invalid. */
export function checkTreeAt<T>(name: () => string, check: Check<T>, value: unknown): T {
  try {
    return checkAt(name, check, value);
  } catch (error) {
    throw error instanceof InvalidValue ? new TreeError("invalid", error.message) : error;
  }
}
