/** The table of commands: what each is called, takes and shows. Help and completion are made of it. */
import { type FlagGroup, flags, SETTING_NAMES, type SettingName } from "./flags.ts";

export interface CommandInfo {
  readonly name: string;
  /** As usage shows it: `<url...>`. */
  readonly argument: string;
  /** What the arguments are, for completion. */
  readonly takes: "urls" | "files" | "shell";
  readonly summary: string;
  /** The command and what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** More to know, one paragraph each. */
  readonly notes?: readonly string[];
  readonly settings: readonly SettingName[];
  /** What a flag means here, where that is not what the table of flags says. */
  readonly texts?: Readonly<Partial<Record<SettingName, string>>>;
  /** What to give it, where `takes` says too little. */
  readonly needs?: string;
}

const all = (...groups: readonly FlagGroup[]): SettingName[] =>
  SETTING_NAMES.filter((name) => groups.includes(flags[name].group));

const without = (names: readonly SettingName[], ...left: readonly SettingName[]): SettingName[] =>
  names.filter((name) => !left.includes(name));

const NETWORK = all("Discovery", "Network", "Limits", "Documents");
const MESSAGES = all("Messages");
const SITEMAP_FILTERS = ["includeSitemap", "excludeSitemap"] as const;
const CHANGES_OUTPUT = ["format", "output", "force", "json"] as const;
/** What changes are written as. */
const CHANGES_TEXTS = {
  format:
    "auto (a summary on a terminal, ndjson elsewhere), ndjson (an object for each change), json, urls (those added and changed) (default: auto)",
  output: "write to this file; its name says the format (.ndjson, .json, .txt for URLs)",
} as const;
const ONE_SITE = without([...NETWORK, ...MESSAGES], "jobs");

export const commands: readonly CommandInfo[] = [
  {
    name: "ls",
    argument: "<url...>",
    takes: "urls",
    summary: "list the pages of a site, while it is being read",
    examples: [
      ["siteatlas ls example.com", "every page that the site declares"],
      ["siteatlas ls example.com -o site.csv", "the same as a table; .parquet, .sqlite …"],
      ["siteatlas ls example.com --since 7d --kind news", "news of the last week"],
      ["siteatlas ls example.com --include '/blog/*' | wc -l", "how many posts there are"],
      ["siteatlas ls example.com --sample 50 --stratify path", "50 pages from all sections"],
      ["siteatlas ls - < hosts.txt", "hosts or URLs from stdin, one per line"],
    ],
    notes: [
      "A URL is a site, wherever on it the URL leads; that of a sitemap (.xml, .xml.gz, .txt, .rss, .atom) is this sitemap alone. https:// may be left out.",
    ],
    settings: [...all("Selection"), ...without(all("Output"), "json"), "json", ...NETWORK, ...MESSAGES],
  },
  {
    name: "tree",
    argument: "<url>",
    takes: "urls",
    summary: "show the sitemaps of a site as a tree, without their pages",
    examples: [
      ["siteatlas tree example.com", "each sitemap: kind, pages, bytes, status, last modified, issues"],
      ["siteatlas tree example.com --json", "the same, an object per line"],
      ["siteatlas tree example.com -v", "and why some of them failed"],
    ],
    settings: [...SITEMAP_FILTERS, "json", "output", "force", "failOnPartial", ...ONE_SITE],
  },
  {
    name: "find",
    argument: "<url...>",
    takes: "urls",
    summary: "say where the sitemaps of a site are and how each was found",
    examples: [
      ["siteatlas find example.com", "lines of robots.txt, known locations, links of the homepage"],
      ["siteatlas find example.com --known thorough", "tries all locations that any system uses"],
      ["siteatlas find - < hosts.txt --json", "for many sites, an object per line"],
    ],
    notes: ["What these sitemaps list is not read: that is ls and tree."],
    settings: [...SITEMAP_FILTERS, "json", "output", "force", "failOnPartial", ...NETWORK, ...MESSAGES],
  },
  {
    name: "stats",
    argument: "<url>",
    takes: "urls",
    summary: "numbers and pictures: sections, last modified, languages, formats, issues",
    examples: [
      ["siteatlas example.com", "the same as siteatlas stats example.com"],
      ["siteatlas stats example.com --json", "the numbers alone"],
      ["siteatlas stats example.com --include '/docs/*'", "of one section"],
    ],
    settings: [
      ...without(all("Selection"), "sample", "stratify", "rewriteOrigin", "stripUrl"),
      "json",
      "output",
      "force",
      "failOnPartial",
      ...ONE_SITE,
    ],
  },
  {
    name: "sync",
    argument: "<url>",
    takes: "urls",
    summary: "tell what was added, changed or removed since the last time",
    examples: [
      ["siteatlas sync example.com", "remembers the site; from the second time on: what changed"],
      ["siteatlas sync example.com | jq -r 'select(.op == \"removed\").url'", "an object for each change"],
      ["siteatlas sync example.com -f urls", "the pages that were added or changed"],
      ["siteatlas sync example.com --exit-code; [ $? -eq 6 ] && rebuild", "only if anything changed"],
    ],
    notes: [
      "A sitemap that could not be read makes its pages unknown, never removed. The snapshot is replaced when all changes were written: whoever stops before is told them again.",
    ],
    settings: [
      "snapshot",
      "exitCode",
      "dryRun",
      "trust",
      "validators",
      "massRemoval",
      "redirectChecks",
      ...CHANGES_OUTPUT,
      "failOnPartial",
      ...ONE_SITE,
    ],
    texts: CHANGES_TEXTS,
  },
  {
    name: "watch",
    argument: "<url...>",
    takes: "urls",
    summary: "sync sites again and again, and hand on what changed",
    examples: [
      ["siteatlas watch example.com --every 1h", "changes as they are found, on stdout"],
      ["siteatlas watch - --on-change ./reindex.sh < hosts.txt", "runs a command for each site that changed"],
      ["siteatlas watch example.com --webhook https://hooks.example.net/k", "POSTs what changed"],
    ],
    notes: [
      "The command finds the changes on stdin, as siteatlas sync writes them, and SITEATLAS_URL, SITEATLAS_ADDED, SITEATLAS_CHANGED and SITEATLAS_REMOVED in its environment. The first sync of a site adds every page. If it fails, or the webhook does not answer with 2xx, the snapshot stays as it was, and the next sync tells the same again.",
      "Ctrl-C and SIGTERM end it within two seconds. The next start goes on from the snapshots.",
    ],
    settings: [
      "every",
      "maxEvery",
      "onChange",
      "webhook",
      "snapshots",
      "trust",
      "validators",
      "massRemoval",
      "redirectChecks",
      "format",
      "json",
      ...NETWORK,
      ...MESSAGES,
    ],
    texts: {
      format:
        "of stdout, where there is neither --on-change nor --webhook: auto (a summary on a terminal, ndjson elsewhere), ndjson, urls (those added and changed) (default: auto)",
    },
  },
  {
    name: "diff",
    argument: "<before> <after>",
    takes: "files",
    needs: "two snapshots, which siteatlas sync makes",
    summary: "tell what is different between two snapshots",
    examples: [
      ["siteatlas diff monday.snapshot.gz tuesday.snapshot.gz", "what changed in between"],
      ["siteatlas diff a.snapshot.gz b.snapshot.gz -f urls", "the pages that were added or changed"],
    ],
    settings: ["exitCode", "massRemoval", ...CHANGES_OUTPUT, ...MESSAGES],
    texts: CHANGES_TEXTS,
  },
  {
    name: "snapshot",
    argument: "show|export <file>",
    takes: "files",
    needs: "show or export, and a snapshot, which siteatlas sync makes",
    summary: "show what a snapshot remembers, or write its pages in any format",
    examples: [
      [
        "siteatlas snapshot show example.com.snapshot.gz",
        "when it was synced, its sitemaps, what is unknown",
      ],
      ["siteatlas snapshot export example.com.snapshot.gz -o site.csv", "its pages as a table"],
      ["siteatlas snapshot export example.com.snapshot.gz --since 7d", "those modified in the last week"],
    ],
    notes: [
      "A snapshot holds the URLs of pages, their dates, frequencies and priorities; of all else it holds that it changed.",
    ],
    settings: [
      ...without(all("Selection"), "includeSitemap", "excludeSitemap", "stripUrl", "kind", "lang"),
      ...without(all("Output"), "ordered", "failOnPartial"),
      ...MESSAGES,
    ],
  },
  {
    name: "parse",
    argument: "<file...>",
    takes: "files",
    summary: "read sitemaps and feeds from files or stdin, without the network",
    examples: [
      ["siteatlas parse sitemap.xml.gz", "its pages"],
      ["curl -s https://example.com/feed | siteatlas parse - -f csv", "any format, from stdin"],
      ["siteatlas parse index.xml --sitemaps", "the sitemaps that an index lists"],
      ["siteatlas parse *.xml -o all.parquet", "all of them in one table"],
    ],
    settings: [
      "url",
      "contentType",
      "sitemaps",
      "strict",
      ...without(all("Selection"), "includeSitemap", "excludeSitemap", "stripUrl"),
      ...without(all("Output"), "ordered"),
      ...all("Documents"),
      ...MESSAGES,
    ],
  },
  {
    name: "robots",
    argument: "<url>",
    takes: "urls",
    summary: "show what robots.txt says",
    examples: [
      ["siteatlas robots example.com", "groups, rules, sitemaps, and what is wrong with it"],
      ["siteatlas robots example.com --can-fetch /admin --as Googlebot", "may this crawler fetch that?"],
      ["siteatlas robots example.com --json", "for programs"],
    ],
    settings: [
      "canFetch",
      "as",
      "strict",
      "json",
      "output",
      "force",
      ...without(all("Network"), "jobs", "concurrency", "crawlDelay", "delay"),
      "maxBytes",
      "maxRedirects",
      "maxRetryAfter",
      ...MESSAGES,
    ],
  },
  {
    name: "completion",
    argument: "<shell>",
    takes: "shell",
    summary: "print the completion script for bash, zsh or fish",
    examples: [
      ["siteatlas completion bash > ~/.local/share/bash-completion/completions/siteatlas", "for bash"],
      ["siteatlas completion zsh > ~/.zfunc/_siteatlas", "for zsh, where ~/.zfunc is in fpath"],
      ["siteatlas completion fish > ~/.config/fish/completions/siteatlas.fish", "for fish"],
    ],
    settings: [],
  },
];
