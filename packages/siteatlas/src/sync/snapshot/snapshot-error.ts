/** Why a snapshot cannot be used. */
export type SnapshotErrorCode =
  /** The file is not a snapshot. */
  | "not-a-snapshot"
  /** Another version of siteatlas wrote the snapshot. */
  | "unsupported-version"
  /** The snapshot is shorter than its header says. */
  | "truncated"
  /** A checksum does not match. */
  | "damaged"
  /** A value is missing, unknown, of the wrong type or out of range: siteatlas did not write it. */
  | "invalid"
  /** The snapshot is larger than any that siteatlas writes with its default limits. */
  | "too-large"
  /** The snapshot belongs to another website. */
  | "other-site"
  /** The snapshot is of single sitemaps but the sync is of the whole site, or the reverse. */
  | "other-start"
  /** Another sync replaced the file while this one ran. */
  | "replaced";

/** A snapshot that cannot be used. `code` says why. */
export class SnapshotError extends Error {
  /** Always `SnapshotError`. */
  override readonly name = "SnapshotError";
  /** Why the snapshot cannot be used, as a code for programs. */
  readonly code: SnapshotErrorCode;

  constructor(code: SnapshotErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
