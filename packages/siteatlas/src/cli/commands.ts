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
}

const all = (...groups: readonly FlagGroup[]): SettingName[] =>
  SETTING_NAMES.filter((name) => groups.includes(flags[name].group));

const without = (names: readonly SettingName[], ...left: readonly SettingName[]): SettingName[] =>
  names.filter((name) => !left.includes(name));

const NETWORK = all("Discovery", "Network", "Limits");
const MESSAGES = all("Messages");
const SITEMAP_FILTERS = ["includeSitemap", "excludeSitemap"] as const;
const ONE_SITE = without([...NETWORK, ...MESSAGES], "jobs");

export const commands: readonly CommandInfo[] = [
  {
    name: "ls",
    argument: "<url...>",
    takes: "urls",
    summary: "list the pages of a site, while it is being read",
    examples: [
      ["siteatlas ls example.com", "every page that the site declares"],
      ["siteatlas ls example.com -o site.csv", "the same as a table; .parquet, .sqlite, .ndjson.gz …"],
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
