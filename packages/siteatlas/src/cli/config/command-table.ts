/**
 * The table of commands: names, arguments, flags and texts. Help and completion are derived from it. The file is long
 * because it is one table.
 */
import type { CommandInfo } from "./command-info.ts";
import { type FlagGroup, flags, SETTING_NAMES, type SettingName } from "./flags.ts";
import { formatText } from "./output-formats.ts";

const all = (...groups: readonly FlagGroup[]): SettingName[] =>
  SETTING_NAMES.filter((name) => groups.includes(flags[name].group));

const without = (names: readonly SettingName[], ...left: readonly SettingName[]): SettingName[] =>
  names.filter((name) => !left.includes(name));

const MESSAGES = all("Messages");
const WALK = [
  ...all("Discovery", "Parsing", "Requests", "Politeness", "Site", "Index", "Document", "Request", "Value"),
  ...MESSAGES,
];
const ONE_WALK = without(WALK, "jobs");
const SITEMAP_FILTERS = all("Sitemaps");
const TEXT_OUTPUT = ["json", "output", "force", "failOnPartial"] as const;
const CHANGES_OUTPUT = ["format", "output", "force", "json"] as const;
const PAGES_JSON = "print one JSON object per page (same as -f ndjson)";
const SITEMAPS_TEXTS = { json: "print one JSON object per sitemap" } as const;
/** The text of -v for commands in which a single -v shows nothing more. */
const ERRORS_ONLY = "given twice (-vv): show the stack trace of an unexpected error";
const CHANGES_TEXTS = {
  output: "write to FILE; the extension sets the format (.ndjson, .json, .txt for urls)",
  json: "print one JSON object per change (same as -f ndjson)",
} as const;

const FINDINGS_OUTPUT = [
  "failOn",
  "rule",
  "ignore",
  "baseline",
  "updateBaseline",
  "format",
  "json",
  "output",
  "force",
] as const;
const FINDINGS_TEXTS = {
  json: "print one JSON object (same as -f json)",
  output: "write to FILE; the extension sets the format",
} as const;

const EXPORT_TEXTS = {
  format: formatText("snapshot"),
  fields: "fields to write, in the given order: url,lastmod,priority",
  verbose: ERRORS_ONLY,
  since:
    "only pages modified since DATE: 2026-11-01, 7d; skips undated pages, and news without lastmod (a snapshot does not keep their date)",
  quiet: "only errors",
} as const;

const URL_NOTE =
  "<url> is a host (example.com) or any URL on the site; https:// is assumed. If <url> is the URL of a sitemap (.xml, .xml.gz, .txt, .rss, .atom), only that sitemap is read.";
const URLS_NOTE = `${URL_NOTE} Use - to read one host or URL per line from stdin. A private address on stdin needs --allow or --allow-private.`;
const FILE_NOTE = `${URL_NOTE} <file> is a sitemap on your disk, or a folder of sitemaps. Use - to read a sitemap from stdin.`;

/** Explains the score of LastmodTrust. */
const SCORE_NOTE =
  "The lastmod score says how reliable the dates of the pages are, from 0 to 1. It is lower if pages have no date, if dates are in the future, or if nearly all pages have the same date. It is also lower if a page gets a new date but did not change.";

/** Explains which sitemaps are counted (`isCountedSitemap`). */
const COUNT_NOTE =
  "The summary at the end counts each sitemap once, even if several indexes list it. It counts indexes, but not robots.txt and failed sitemaps.";

export const commands: readonly CommandInfo[] = [
  {
    name: "ls",
    argument: "<url...>",
    takes: "urls",
    group: "Read a site",
    summary: "list its pages",
    about: "List the pages of one or more sites. Pages are printed as they are found.",
    usage: ["siteatlas ls - [flags] < hosts.txt"],
    notes: [URLS_NOTE],
    details: [COUNT_NOTE],
    examples: [
      ["siteatlas ls example.com", "all pages"],
      ["siteatlas ls example.com -o pages.parquet", "as a table"],
      ["siteatlas ls example.com --since 7d --kind news", "news from the last week"],
      ["siteatlas ls example.com --sample 50", "50 pages, the same each time"],
    ],
    settings: [...all("Selection", "Sitemaps", "Output"), ...WALK],
    texts: { format: formatText("ls"), json: PAGES_JSON },
  },
  {
    name: "tree",
    argument: "<url>",
    takes: "both",
    group: "Read a site",
    summary: "show its sitemaps as a tree",
    about:
      "Show the sitemaps of a site as a tree, each with its format, pages, bytes, status, date and issues.",
    usage: ["siteatlas tree <file...> [flags]"],
    notes: [FILE_NOTE],
    details: [COUNT_NOTE],
    examples: [
      ["siteatlas tree example.com", "all sitemaps"],
      ["siteatlas tree example.com -v", "also why some of them failed"],
      ["siteatlas tree example.com --json", "one JSON object per sitemap"],
      ["siteatlas tree ./sitemaps", "files of a folder, without the network"],
    ],
    settings: [...SITEMAP_FILTERS, ...TEXT_OUTPUT, ...ONE_WALK],
    texts: {
      ...SITEMAPS_TEXTS,
      includeSitemap: "fetch only sitemaps that match, and those that they list: '*news*'; can be repeated",
    },
  },
  {
    name: "find",
    argument: "<url...>",
    takes: "urls",
    group: "Read a site",
    summary: "show where its sitemaps are",
    about:
      "Show where the sitemaps of a site are, and how they were found: in robots.txt, at known locations or on the homepage. Sitemaps that an index lists are not fetched.",
    usage: ["siteatlas find - [flags] < hosts.txt"],
    notes: [URLS_NOTE],
    details: [COUNT_NOTE],
    examples: [
      ["siteatlas find example.com", "all sitemaps, and how they were found"],
      ["siteatlas find example.com --known thorough", "try about 100 locations"],
      ["siteatlas find - --json < hosts.txt", "many sites"],
    ],
    settings: [...SITEMAP_FILTERS, ...TEXT_OUTPUT, ...WALK],
    texts: {
      ...SITEMAPS_TEXTS,
      includeSitemap: "fetch only sitemaps that match: '*news*'; can be repeated",
      homepageLinks:
        "look for sitemap links on the homepage: always, never or when-empty, that is, if no sitemap was found before (default: always)",
    },
  },
  {
    name: "stats",
    argument: "<url>",
    takes: "both",
    group: "Read a site",
    summary: "show sections, dates, languages and problems",
    about: "Show an overview of a site: sections, dates, languages, formats and problems.",
    usage: ["siteatlas stats <file...> [flags]"],
    notes: [FILE_NOTE],
    details: [COUNT_NOTE],
    examples: [
      ["siteatlas example.com", "short for siteatlas stats"],
      ["siteatlas stats example.com --json", "numbers for a script"],
      ["siteatlas stats example.com --include '/docs/*'", "one section"],
      ["siteatlas stats ./sitemaps", "files of a folder"],
      ["siteatlas stats example.com --svg months -o months.svg", "one chart, for a README"],
    ],
    settings: [
      "svg",
      ...without(all("Selection", "Sitemaps"), "sample", "stratify", "rewriteOrigin", "stripUrl"),
      ...TEXT_OUTPUT,
      ...ONE_WALK,
    ],
    texts: {
      json: "print one JSON object with all numbers",
      unique: "count each URL once (keeps all URLs in memory)",
    },
  },
  {
    name: "lint",
    argument: "<url>",
    takes: "both",
    group: "Read a site",
    summary: "find mistakes in its sitemaps and robots.txt",
    about:
      "Find mistakes in the sitemaps and the robots.txt of a site. Each finding says what is wrong, where, why it matters and how to fix it. Pages are not requested.",
    usage: ["siteatlas lint <file...> [flags]"],
    notes: [
      `${URL_NOTE} <file> is a sitemap on your disk, or a folder with the files of a site, such as ./dist.`,
    ],
    details: [
      "Findings are errors (a specification forbids it, or data is lost), warnings (search engines ignore or distrust it) or notes. docs/lint-rules.md lists all rules. A settings file can set rule, ignore, baseline and failOn.",
      COUNT_NOTE,
    ],
    examples: [
      ["siteatlas lint example.com", "all findings"],
      ["siteatlas lint example.com -f sarif -o lint.sarif", "for code scanning"],
      ["siteatlas lint example.com --fail-on warning", "fail on warnings"],
      ["siteatlas lint ./dist --origin https://example.com", "a build folder"],
    ],
    settings: ["origin", "snapshot", "fix", "write", ...FINDINGS_OUTPUT, ...ONE_WALK],
    texts: {
      ...FINDINGS_TEXTS,
      format: formatText("lint"),
      snapshot: "compare with a snapshot of siteatlas sync",
    },
  },
  {
    name: "check",
    argument: "<url>",
    takes: "both",
    group: "Read a site",
    summary: "request its pages and find those that are broken",
    about:
      "Request the pages that a site lists, and find those that do not exist, redirect, forbid indexing or name another canonical URL.",
    usage: ["siteatlas check <file> [flags]"],
    notes: [
      `${URL_NOTE} <file> is a snapshot, a list of URLs, a table or a sitemap on your disk. Use - to read stdin.`,
    ],
    details: [
      "The findings have the same formats, severities and exit codes as those of siteatlas lint. docs/lint-rules.md lists all rules.",
      "Pages that robots.txt disallows are not requested. Requests are polite: 2 at the same time (--concurrency), with the delay of --delay. A page is requested with GET, and its first 128 KiB are read. One more request per host finds out what the server sends for a page that does not exist.",
    ],
    examples: [
      ["siteatlas check example.com --sample 500", "500 pages"],
      ["siteatlas check example.com --state example.check", "continue later"],
      ["siteatlas check urls.txt --headers-only", "only status and headers"],
      ["siteatlas check example.com -f sarif -o check.sarif", "for code scanning"],
    ],
    settings: [
      "sample",
      "stratify",
      "include",
      "exclude",
      "state",
      "maxChecks",
      "headersOnly",
      ...FINDINGS_OUTPUT,
      ...ONE_WALK,
    ],
    texts: {
      ...FINDINGS_TEXTS,
      format: formatText("check"),
      sample: "check N pages, picked by URL hash; stable between runs",
      include: "only pages that match: '/blog/*'; can be repeated",
    },
  },
  {
    name: "report",
    argument: "<url>",
    takes: "both",
    group: "Read a site",
    summary: "write a report with charts as one HTML file",
    about:
      "Write a report about a site: sections, dates, languages, sitemaps and findings, with charts. The HTML file needs no network and contains no script.",
    usage: ["siteatlas report <snapshot> [flags]", "siteatlas report <file...> [flags]"],
    notes: [`${FILE_NOTE} <snapshot> is a file that siteatlas sync wrote, such as example.com.snapshot.gz.`],
    details: [
      COUNT_NOTE,
      "A report of a snapshot shows what the last syncs found. It does not show languages, images and findings, because a snapshot does not keep them.",
    ],
    examples: [
      ["siteatlas report example.com -o report.html", "a page with charts"],
      ["siteatlas report example.com --pdf report.pdf", "for print, with Chromium"],
      ["siteatlas report example.com -o report.json", "the same numbers for a script"],
      ["siteatlas report example.com -f markdown >> $GITHUB_STEP_SUMMARY", "for a job summary"],
      ["siteatlas report example.com.snapshot.gz -o report.html", "the last sync, without the network"],
    ],
    settings: [
      "title",
      "logo",
      "lint",
      "findings",
      "compare",
      "png",
      "pdf",
      "browser",
      ...SITEMAP_FILTERS,
      "format",
      ...TEXT_OUTPUT,
      ...ONE_WALK,
    ],
    texts: {
      format: formatText("report"),
      output: "write to FILE; the extension sets the format (.html, .md, .json)",
      json: "print one JSON object with all numbers (same as -f json)",
    },
  },
  {
    name: "robots",
    argument: "<url>",
    takes: "urls",
    group: "Read a site",
    summary: "show its robots.txt, or test a URL against it",
    about: "Show the robots.txt of a site: groups, rules, sitemaps and problems. Or test URLs against it.",
    examples: [
      ["siteatlas robots example.com", "groups, rules, sitemaps and problems"],
      [
        "siteatlas robots example.com --can-fetch /admin --as Googlebot",
        "test whether Googlebot may fetch /admin",
      ],
      ["siteatlas robots example.com --json", "its robots.txt as one JSON object"],
    ],
    settings: [
      "canFetch",
      "as",
      "strict",
      "json",
      "output",
      "force",
      ...all("Requests"),
      ...without(all("Request"), "maxCrawlDelay"),
      "maxBytes",
      "deadline",
      ...MESSAGES,
    ],
    texts: {
      json: "print one JSON object with groups, rules, sitemaps and problems",
      output: "write to FILE; .json writes JSON",
      strict: "repair nothing: drop lines that are not valid",
      verbose: ERRORS_ONLY,
      quiet: "only errors",
    },
  },
  {
    name: "compare",
    argument: "<a> <b>",
    takes: "both",
    group: "Read a site",
    needs: "two inputs: sites, files or folders",
    summary: "compare its pages with a crawl, a log or a list",
    about: "Show which pages only one of two inputs has, and which pages both have.",
    notes: [
      "<a> and <b> are sites, snapshots, lists of URLs, crawl exports (CSV, TSV, NDJSON), server logs, sitemaps or folders of static sites. Use - to read stdin.",
    ],
    details: [
      "The content of a file decides what it is. It may be compressed with gzip. Server logs and folders need --origin. Of a server log, only GET and HEAD requests with a status of 2xx or 3xx count.",
      "Two URLs are the same page if they are equal, or differ only in how percent escapes are spelled. With --ignore-parts, more differences do not count. There, slash is a slash at the end of the path, html is .html and index.html, and case is the case of the path.",
      "Memory does not grow with the inputs. More than 24 MiB of URLs are sorted in temporary files, in the folder that TMPDIR names. They need about as much space as the uncompressed URLs.",
      "Lines that are not URLs, and lines of a log that cannot be read, are dropped and counted.",
    ],
    examples: [
      ["siteatlas compare example.com crawl.csv", "sitemaps and a crawl"],
      ["siteatlas compare example.com crawl.csv --only b", "pages in no sitemap"],
      ["siteatlas compare example.com access.log --origin example.com", "and a log"],
      ["siteatlas compare ./dist example.com --origin example.com", "a build"],
    ],
    settings: [
      ...([
        "only",
        "ignoreParts",
        "origin",
        "agent",
        "status",
        "column",
        "typeA",
        "typeB",
        "exitCode",
      ] as const),
      ...(["include", "exclude", "format", "output", "force", "json", "csvRaw", "failOnPartial"] as const),
      ...ONE_WALK,
    ],
    texts: {
      format: formatText("compare"),
      json: PAGES_JSON,
      origin: "origin of paths in logs, tables and folders",
      exitCode: "exit with code 6 if the inputs differ",
      failOnPartial: "exit with code 4 if an input is incomplete",
    },
  },
  {
    name: "sync",
    argument: "<url>",
    takes: "urls",
    group: "Follow changes",
    summary: "report what changed since the last sync",
    about:
      "Report which pages were added, changed or removed since the last sync. The first sync saves a snapshot of the site and reports every page as added.",
    notes: [URL_NOTE],
    details: [
      COUNT_NOTE,
      SCORE_NOTE,
      "If a sitemap cannot be read, its pages are reported as unknown, never as removed. The snapshot is updated after all changes were written. If a sync is interrupted, the next one reports the same changes again.",
      "A removal that may be a fault of the site is reported as pending, and as removed only when it is certain: after a day and three syncs without the page.",
      "--webhook also sends the changes to a URL, as siteatlas watch does. They wait in FILE.outbox beside the snapshot until the webhook answers with 2xx. If it fails four times in a row, sync exits with code 9, and the next sync sends them first.",
    ],
    examples: [
      ["siteatlas sync example.com", "report changes since the last sync"],
      ["siteatlas sync example.com -f urls", "print added and changed pages"],
      ["siteatlas sync example.com | jq -r 'select(.kind == \"removed\").url'", "print removed pages"],
      ["siteatlas sync example.com --exit-code; [ $? -eq 6 ] && ./rebuild", "run a command if pages changed"],
    ],
    settings: [
      ...([
        "snapshot",
        "exitCode",
        "dryRun",
        "trust",
        "validators",
        "massRemoval",
        "redirectChecks",
        "verify",
        "verifyRequests",
        "history",
        "webhook",
        "webhookSecretFile",
        "hookOn",
        "log",
      ] as const),
      ...CHANGES_OUTPUT,
      "failOnPartial",
      ...ONE_WALK,
    ],
    texts: { ...CHANGES_TEXTS, format: formatText("sync"), webhook: "also POST the changes as JSON to URL" },
  },
  {
    name: "watch",
    argument: "<url...>",
    takes: "urls",
    group: "Follow changes",
    summary: "sync repeatedly; pass changes to a command",
    about: "Sync sites repeatedly until Ctrl-C. Print the changes, or pass them to a command or a webhook.",
    usage: ["siteatlas watch - [flags] < hosts.txt"],
    listSetting: "hosts",
    notes: [URLS_NOTE],
    details: [
      "--on-change runs its command after each sync that found changes. On stdin the command gets the NDJSON lines that siteatlas sync prints. Its environment has SITEATLAS_SITE, SITEATLAS_ADDED, SITEATLAS_CHANGED and SITEATLAS_REMOVED.",
      "The first sync of a site reports every page as added. If the command fails, the changes wait in FILE.command, where FILE is the snapshot. The command gets them again before the next sync of the site, even after a restart. When you start watch again, it continues from the snapshots.",
      "--webhook sends the changes of a sync in one or more requests. siteatlas stores them in FILE.outbox, where FILE is the snapshot, and sends them in order. It repeats a request until the webhook answers with 2xx, even after a restart. The headers and the signature are those of Standard Webhooks.",
      "SIGHUP reads the file of --hosts again: new sites are added, and missing ones are no longer synced. If the file has a fault, the old list is kept. SIGHUP ends watch if --hosts is not used, or if stdin is a terminal.",
    ],
    examples: [
      ["siteatlas watch example.com --every 1h --max-every 1h", "always every hour"],
      ["siteatlas watch example.com --on-change ./reindex.sh", "run a command"],
      ["siteatlas watch example.com --webhook https://hooks.example.net/k", "POST the changes"],
    ],
    settings: [
      ...(["every", "maxEvery", "onChange", "onChangeTimeout", "webhook", "webhookSecretFile"] as const),
      ...(["hookOn", "snapshots", "trust", "validators", "massRemoval", "redirectChecks"] as const),
      ...(["verify", "verifyRequests", "history", "hosts", "metrics", "log"] as const),
      ...(["format", "json"] as const),
      ...WALK,
    ],
    texts: {
      format: formatText("watch"),
      json: CHANGES_TEXTS.json,
      verbose: "also report syncs without changes",
      quiet: "only errors, and syncs that could not read everything",
    },
  },
  {
    name: "diff",
    argument: "<before> <after>",
    takes: "files",
    group: "Follow changes",
    needs: "two snapshots, which siteatlas sync writes",
    summary: "compare two snapshots",
    about: "Report which pages were added, changed or removed between two snapshots.",
    notes: [
      "<before> and <after> are files that siteatlas sync wrote. FILE@1 is the last snapshot that --history kept for FILE, FILE@2 the one before it.",
    ],
    details: [
      "A page whose removal is pending in <after> is not certainly gone, so diff does not report it as removed.",
    ],
    examples: [
      ["siteatlas diff old.snapshot.gz new.snapshot.gz", "all changes"],
      ["siteatlas diff old.snapshot.gz new.snapshot.gz -f urls", "added and changed pages"],
      ["siteatlas diff a.snapshot.gz@1 a.snapshot.gz", "the last changes, with --history"],
    ],
    settings: ["exitCode", ...CHANGES_OUTPUT, ...MESSAGES],
    texts: {
      ...CHANGES_TEXTS,
      format: formatText("diff"),
      verbose: ERRORS_ONLY,
      quiet: "only errors, and one line if some sitemaps could not be read",
    },
  },
  {
    name: "snapshot",
    argument: "show|export <file>",
    takes: "files",
    group: "Follow changes",
    needs: "show or export, and a snapshot, which siteatlas sync writes",
    summary: "show what a snapshot contains, or write its pages",
    actions: {
      show: {
        summary: "show what a snapshot contains",
        about: "Show what a snapshot contains: its syncs, its sitemaps and how reliable their dates are.",
        settings: ["json", "output", "force", ...MESSAGES],
        texts: {
          json: "print one JSON object",
          output: "write to FILE; .json writes JSON",
          verbose: ERRORS_ONLY,
          quiet: "only errors",
        },
      },
      export: {
        summary: "write the pages of a snapshot",
        about: "Write the pages of a snapshot in any format.",
        texts: { ...EXPORT_TEXTS, json: PAGES_JSON },
      },
    },
    about: "Show what a snapshot contains, or write its pages in any format.",
    notes: [
      "A snapshot contains the URL, dates, change frequency and priority of each page. For other data, such as images, it keeps only a hash, which is enough to detect changes.",
    ],
    details: [
      SCORE_NOTE,
      "A page is pending if no sitemap lists it any more, but its removal is not certain yet. show counts these pages apart, and export writes them like the others.",
    ],
    examples: [
      ["siteatlas snapshot show a.snapshot.gz", "its syncs and sitemaps"],
      ["siteatlas snapshot export a.snapshot.gz -o a.csv", "its pages as a table"],
      ["siteatlas snapshot export a.snapshot.gz --since 7d", "its recent pages"],
    ],
    settings: [
      ...without(all("Selection"), "stripUrl", "kind", "lang"),
      ...without(all("Output"), "ordered", "failOnPartial"),
      ...MESSAGES,
    ],
    texts: {
      ...EXPORT_TEXTS,
      json: "print JSON: export prints one object per page, show prints a single object",
    },
  },
  {
    name: "parse",
    argument: "<file...>",
    takes: "files",
    group: "Without the network",
    summary: "read sitemaps and feeds from files or stdin",
    about: "Read sitemaps and feeds from files or stdin, without the network.",
    notes: ["<file> is a sitemap, a feed or a folder of them. Use - to read stdin."],
    examples: [
      ["siteatlas parse sitemap.xml.gz", "its pages"],
      ["curl -s https://example.com/feed | siteatlas parse -", "a feed from stdin"],
      ["siteatlas parse index.xml --sitemaps", "the sitemaps it lists"],
      ["siteatlas parse ./sitemaps -o all.parquet", "a folder as one table"],
    ],
    settings: [
      "url",
      "contentType",
      "sitemaps",
      ...all("Parsing"),
      ...without(all("Selection"), "stripUrl"),
      ...without(all("Output"), "ordered"),
      ...all("Value"),
      ...MESSAGES,
    ],
    texts: {
      format: formatText("parse"),
      json: PAGES_JSON,
      htmlSitemaps: "also read HTML pages: their links are pages",
      llms: "read llms.txt, or stdin, as llms.txt: its links, with their sections",
      verbose: "show which files are incomplete; -vv shows every issue",
    },
  },
  {
    name: "completion",
    argument: "<shell>",
    takes: "shell",
    group: "Without the network",
    summary: "print a completion script (bash, zsh or fish)",
    about: "Print a completion script for bash, zsh or fish.",
    examples: [
      ['eval "$(siteatlas completion bash)"', "in ~/.bashrc"],
      ["siteatlas completion zsh > ~/.zfunc/_siteatlas", "if ~/.zfunc is in fpath"],
      ["siteatlas completion fish > ~/.config/fish/completions/siteatlas.fish", "once"],
    ],
    settings: [],
  },
];

export const topics = ["limits", "fields", "config", "exit-codes"] as const;

export type TopicName = (typeof topics)[number];

/** The possible arguments of `siteatlas help`. */
export const HELP_NAMES: readonly string[] = [...commands.map(({ name }) => name), ...topics];
