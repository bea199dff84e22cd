/** Keys of PostgreSQL's advisory locks: any numbers that no other program uses in this database. */
export const ADVISORY_LOCKS = {
  migration: 7_416_035_521,
  /**
   * A compaction shares this lock from before it stores a merged file until the file is committed. A sweep deletes
   * uncommitted merged files only if no compaction has the lock. It must not go by their age: `--grace 0` would delete
   * a merged file of another process just before its commit, and the pages in it would be lost.
   */
  mergedFiles: 7_416_035_522,
} as const;
