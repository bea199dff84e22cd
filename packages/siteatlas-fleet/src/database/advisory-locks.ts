/** Keys of PostgreSQL's advisory locks. They are arbitrary numbers that no other program uses in this database. */
export const ADVISORY_LOCKS = {
  migration: 7_416_035_521,
  /**
   * Keeps a sweep from deleting a merged file before it is committed. A compaction holds this lock, shared with other
   * compactions, from before it stores the file until the commit. A sweep deletes uncommitted merged files only if no
   * compaction holds the lock. The age of a file is not enough: with `--grace 0`, a sweep would delete a merged file of
   * another process just before its commit, and the pages in it would be lost.
   */
  mergedFiles: 7_416_035_522,
} as const;
