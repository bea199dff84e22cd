/**
 * The table of all flags, by command. The parser, help texts, defaults, environment variables and option types are
 * derived from it. parse-value.ts parses the values of flags.
 */
import type { ValueKinds } from "./parse-value.ts";

export interface Flag {
  readonly short?: string;
  /** The kind of value that the flag takes. Absent for a flag without a value. */
  readonly kind?: keyof ValueKinds;
  /** Placeholder for the value in the help text. Without it, the placeholder of `kind` is shown. */
  readonly value?: string;
  /** The default value, as a user would write it on the command line. */
  readonly default?: string;
  /** The flag exists only in its negated form: `--no-name`. */
  readonly negated?: true;
  /** The flag can also be set by an environment variable, such as `SITEATLAS_FLEET_DATABASE`. */
  readonly env?: true;
  readonly hidden?: true;
  /** The help text, in lower case and without a final period. */
  readonly text: string;
}

export const connectionFlags = {
  database: { kind: "url", env: true, text: "PostgreSQL server that stores the sites" },
  redis: {
    kind: "url",
    env: true,
    text: "Redis or Valkey server; for a Redis Cluster, several URLs separated by commas",
  },
  store: {
    kind: "text",
    value: "PLACE",
    env: true,
    text: "where part files and snapshots are kept: a folder, or s3://bucket/prefix?region=…&endpoint=…",
  },
  folder: {
    kind: "text",
    value: "PATH",
    env: true,
    text: "folder for temporary files (default: siteatlas-fleet-UID in the system's temporary folder)",
  },
} as const;

export const flags = {
  init: {
    shards: {
      kind: "positive",
      text: "queues and table partitions, at most 4096; cannot be changed later (default: 16)",
    },
  },
  add: {
    tenant: { kind: "text", value: "NAME", default: "default", text: "tenant that the sites belong to" },
    spread: { kind: "duration", default: "0", text: "spread the first visits over this time" },
  },
  feed: {
    every: {
      kind: "duration",
      default: "5s",
      text: "how often to look for sites that became due since the last look",
    },
    highWater: {
      kind: "count",
      default: "50000",
      text: "maximum number of sites per shard that wait in Redis",
    },
    perDomain: {
      kind: "positive",
      default: "8",
      text: "maximum number of sites of one registrable domain that wait in Redis",
    },
    rescan: {
      kind: "duration",
      default: "60s",
      text: "how often to look for all due sites, also those that Redis lost",
    },
    backoff: {
      kind: "duration",
      default: "60s",
      text: "wait before retrying a site after a failure of the fleet itself; doubles each time",
    },
    metrics: { kind: "address", text: "serve Prometheus metrics on PORT or ADDRESS:PORT" },
  },
  work: {
    contact: {
      kind: "url",
      env: true,
      text: "page that explains who visits and how to reach you; sent in the User-Agent header (required)",
    },
    jobs: { short: "j", kind: "positive", default: "100", text: "sites visited at the same time" },
    walkers: { kind: "positive", text: "walker processes, which read the sites (default: one per core)" },
    memory: { kind: "positive", value: "MB", default: "1024", text: "heap of each walker process" },
    shards: { kind: "shards", text: "take sites only from these queues, such as 0-7,12 (default: all)" },
    lease: {
      kind: "duration",
      default: "60s",
      text: "duration of leases and locks; must be the same in all workers",
    },
    slice: {
      kind: "duration",
      default: "5m",
      text: "pause a visit after this time, so that other sites are visited",
    },
    pack: {
      kind: "duration",
      default: "5s",
      text: "how long the results of a site wait for those of others, to share files with them",
    },
    leg: { kind: "duration", default: "60s", text: "how often the results of a long visit are saved" },
    stuck: { kind: "duration", default: "20s", text: "kill a walker process that was blocked for this time" },
    every: {
      kind: "duration",
      default: "1d",
      text: "interval after the first visit; later it adapts to the site, from --min-every to --max-every",
    },
    minEvery: { kind: "duration", default: "1h", text: "shortest interval, for sites that change often" },
    maxEvery: { kind: "duration", default: "30d", text: "longest interval, for sites that do not change" },
    concurrency: { kind: "positive", default: "2", text: "requests in flight per site" },
    delay: {
      kind: "duration",
      default: "0",
      text: "shortest time from one request to the next, per site",
    },
    respectRobots: { negated: true, text: "also fetch sitemaps that robots.txt disallows" },
    tryKnown: {
      kind: "when",
      default: "always",
      text: "try usual sitemap URLs such as /sitemap.xml (18 requests per site): always, never or when-empty, that is, if robots.txt led to no page",
    },
    crossHost: {
      kind: "crossHost",
      default: "follow",
      text: "sitemaps on other hosts: follow (read all), same-site (only the same registrable domain) or none",
    },
    maxSitemaps: { kind: "count", text: "maximum number of sitemaps per site (default: 50,000)" },
    maxTotalBytes: {
      kind: "size",
      text: "maximum download per site between two saves, see --leg (default: 10GiB)",
    },
    allow: {
      kind: "list",
      text: "private hosts and address ranges that may be visited, separated by commas",
    },
    addressRate: {
      kind: "countOrNone",
      default: "100",
      text: 'maximum number of requests per second to one IP address, over all workers, or "none"',
    },
    networkRate: {
      kind: "countOrNone",
      default: "none",
      text: "the same for a network: the /24 of an IPv4 address, the /48 of an IPv6 address",
    },
    dns: {
      kind: "list",
      text: 'addresses of name servers, separated by commas, or "system" for getaddrinfo (default: those of the system)',
    },
    proxy: { kind: "url", text: "send requests through this HTTP proxy" },
    metrics: { kind: "address", text: "serve Prometheus metrics on PORT or ADDRESS:PORT" },
    otel: { text: "create OpenTelemetry spans; needs the package @opentelemetry/api" },
    allowVolatile: { text: "accept a Redis server that may lose jobs" },
    visitor: { kind: "text", hidden: true, text: "module that visits sites in place of the built-in one" },
    quiet: { text: "do not log successful visits" },
  },
  status: {
    json: { text: "print one JSON object" },
    watch: { text: "refresh every second and show rates" },
  },
  show: {},
  retry: {
    quarantined: { text: "retry all quarantined sites" },
  },
  quarantine: {
    reason: { kind: "text", default: "by hand", text: "reason to record" },
  },
  remove: {},
  stop: {
    reason: { kind: "text", text: "reason to record" },
  },
  go: {},
  tenant: {
    sites: { kind: "countOrNone", text: 'maximum number of sites; "none" removes the limit' },
    requests: { kind: "countOrNone", text: 'maximum number of requests per UTC day, or "none"' },
    bytes: { kind: "sizeOrNone", text: 'maximum number of bytes downloaded per UTC day, or "none"' },
  },
  compact: {
    grace: {
      kind: "duration",
      default: "1h",
      text: "keep replaced files for this time, so that programs still reading them can finish",
    },
    yesDelete: {
      kind: "count",
      text: "delete up to this many files that the database does not know (default: a tenth of all files, at least 100)",
    },
  },
  repair: {
    claim: { text: "accept a store that is not the one that the fleet used until now" },
  },
  manifest: {
    dataset: { kind: "dataset", text: "pages, sitemaps or changes" },
    day: { kind: "text", value: "DATE", text: "only files of this UTC day, such as 2026-11-15" },
    host: { kind: "text", value: "HOST", text: "only files that may have rows of this site" },
    json: { text: "print one JSON object per line, with row and byte counts" },
  },
  tables: {
    day: { kind: "text", value: "DATE", text: "only rows of this UTC day, such as 2026-11-15" },
    host: { kind: "text", value: "HOST", text: "only rows of this site" },
  },
  export: {
    dataset: { kind: "dataset", default: "pages", text: "pages, sitemaps or changes" },
    day: { kind: "text", value: "DATE", text: "only rows of this UTC day, such as 2026-11-15" },
    host: { kind: "text", value: "HOST", text: "only rows of this site" },
    output: {
      short: "o",
      kind: "text",
      value: "FILE",
      text: "new file to write, instead of standard output",
    },
  },
} as const;

type ValueOf<F extends Flag> = F extends { readonly kind: infer Kind extends keyof ValueKinds }
  ? ValueKinds[Kind]
  : boolean;

/** Flags whose option always has a value, even if the user does not pass the flag. */
type IsSet = { readonly default: string } | { readonly negated: true };

type OptionsOf<Table extends Readonly<Record<string, Flag>>> = {
  readonly [Name in keyof Table as Table[Name] extends IsSet ? Name : never]: ValueOf<Table[Name]>;
} & {
  readonly [Name in keyof Table as Table[Name] extends IsSet ? never : Name]?: ValueOf<Table[Name]>;
};

export type ConnectionOptions = OptionsOf<typeof connectionFlags>;
export type CommandName = keyof typeof flags;
/** The options of a command, as its function gets them. Durations are in milliseconds, sizes in bytes. */
export type CommandOptions<Name extends CommandName> = OptionsOf<(typeof flags)[Name]>;

/** The flag of an option: `--max-every` for `maxEvery`. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The environment variable of an option: `SITEATLAS_FLEET_DATABASE` for `database`. */
export function environmentName(name: string): string {
  return `SITEATLAS_FLEET_${flagName(name).replaceAll("-", "_").toUpperCase()}`;
}
