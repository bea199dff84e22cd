/** Exit codes. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  nothingFound: 3,
  partial: 4,
  findings: 5,
  changed: 6,
  limit: 7,
  disallowed: 8,
  undelivered: 9,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The texts of `siteatlas help exit-codes`. */
export const EXIT_TEXTS: Readonly<Record<ExitCode, string>> = {
  0: "done; if sitemaps failed, the last line says so",
  1: "unexpected error",
  2: "usage error: unknown flag, existing output file, missing folder, snapshot in use by another process",
  3: "no sitemap found, or the site could not be reached",
  4: "a sitemap failed or was truncated (only with --fail-on-partial); a sitemap with errors that could be repaired does not count",
  5: "findings at or above --fail-on (only lint and check); takes precedence over 3 and 4",
  6: "pages changed (only sync, diff and compare, with --exit-code)",
  7: "a limit stopped the run; takes precedence over 4",
  8: "robots.txt disallows a URL (only robots, with --can-fetch)",
  9: "the webhook did not accept all changes (only sync, with --webhook); the next sync sends them",
  129: "the terminal was closed (SIGHUP)",
  130: "interrupted by Ctrl-C",
  143: "terminated by SIGTERM",
};
