/** The Prometheus metrics of a watch. docs/watch.md lists them. */
import { VERSION } from "../../../model/generated/version.ts";
import type { SyncSummary } from "../../../sync/sync-summary.ts";
import type { SyncOutcome } from "../../../sync/watch/watch-schedule.ts";
import type { WatchStatus } from "../../../sync/watch/watch-sites.ts";

const PREFIX = "siteatlas_watch_";

/**
 * Counters and their labels. Each counter starts with 0, so that Prometheus also sees the first event as an increase.
 */
const COUNTERS = {
  syncs_total: {
    help: "Syncs that ended, by outcome.",
    labels: ['outcome="changed"', 'outcome="unchanged"', 'outcome="failed"'],
  },
  changes_total: {
    help: "Changes of all syncs whose snapshot was saved, by kind.",
    labels: ['kind="added"', 'kind="changed"', 'kind="removed"', 'kind="relisted"'],
  },
  requests_total: { help: "Requests sent to sites.", labels: [""] },
  received_bytes_total: { help: "Bytes received from sites.", labels: [""] },
  webhook_requests_total: {
    help: "Requests sent to the webhook, by outcome.",
    labels: ['outcome="accepted"', 'outcome="failed"'],
  },
  reloads_total: {
    help: "Reloads of the list of hosts, by outcome.",
    labels: ['outcome="done"', 'outcome="failed"'],
  },
} as const;

type CounterName = keyof typeof COUNTERS;
type LabelsOf<Name extends CounterName> = (typeof COUNTERS)[Name]["labels"][number];

/** Upper bounds of the histogram, in seconds. A sync may need a single request, or an hour because of a crawl delay. */
const BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600] as const;

/** The facts of one site that its gauges show. */
export interface SiteGauges {
  readonly url: string;
  /** Time of the last sync that read a sitemap completely, in milliseconds. Undefined before the first such sync. */
  readonly succeededAt: number | undefined;
  readonly intervalMs: number | undefined;
  /** Number of failed syncs in a row. */
  readonly failures: number;
  readonly pages: number | undefined;
  readonly pending: number | undefined;
  /** Number of deliveries that wait for the webhook. */
  readonly deliveries: number | undefined;
}

/** Facts about all deliveries that wait for the webhook. */
export interface OutboxGauges {
  readonly deliveries: number;
  /** Time since when the oldest one waits, in milliseconds. */
  readonly oldestAt: number | undefined;
}

const SITE_GAUGES: readonly {
  readonly name: string;
  readonly help: string;
  readonly read: (site: SiteGauges) => number | undefined;
}[] = [
  {
    name: "site_last_success_timestamp_seconds",
    help: "Time of the last sync that read a sitemap of the site completely.",
    read: ({ succeededAt }) => succeededAt && succeededAt / 1000,
  },
  {
    name: "site_interval_seconds",
    help: "Current interval between two syncs of the site.",
    read: ({ intervalMs }) => intervalMs && intervalMs / 1000,
  },
  {
    name: "site_failures",
    help: "Failed syncs of the site in a row.",
    read: ({ failures }) => failures,
  },
  { name: "site_pages", help: "Pages in the sitemaps of the site.", read: ({ pages }) => pages },
  {
    name: "site_pending_removals",
    help: "Pages of the site whose removal is not certain yet.",
    read: ({ pending }) => pending,
  },
  {
    name: "site_outbox_deliveries",
    help: "Deliveries of the site that wait for the webhook.",
    read: ({ deliveries }) => deliveries,
  },
];

export class WatchMetrics {
  readonly #counters: Map<string, number> = new Map();
  readonly #buckets: number[] = BUCKETS.map(() => 0);
  readonly #seconds = { sum: 0, count: 0 };

  constructor() {
    for (const [name, { labels }] of Object.entries(COUNTERS)) {
      for (const label of labels) this.#counters.set(sampleName(name, label), 0);
    }
  }

  add<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    const key = sampleName(name, labels);
    this.#counters.set(key, this.#counters.get(key)! + by);
  }

  addSync(outcome: SyncOutcome, ms: number): void {
    this.add("syncs_total", `outcome="${outcome}"`);
    const seconds = ms / 1000;
    this.#seconds.sum += seconds;
    this.#seconds.count++;
    for (const [at, bound] of BUCKETS.entries()) if (seconds <= bound) this.#buckets[at]!++;
  }

  /** Counts the requests of a sync, even if its changes cannot be delivered. */
  addRequests({ asked, bytes }: SyncSummary): void {
    this.add("requests_total", "", asked);
    this.add("received_bytes_total", "", bytes);
  }

  addChanges(summary: SyncSummary): void {
    for (const kind of ["added", "changed", "removed", "relisted"] as const) {
      this.add("changes_total", `kind="${kind}"`, summary[kind]);
    }
  }

  /** The metrics as https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format defines them. */
  text(status: WatchStatus, sites: readonly SiteGauges[], outbox?: OutboxGauges): string {
    const lines: string[] = [];
    const family = (name: string, type: string, help: string, samples: Iterable<string>): void => {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples);
    };
    const gauge = (name: string, help: string, value: number, labels = ""): void =>
      family(name, "gauge", help, [`${name}${labels} ${value}`]);
    gauge("siteatlas_build_info", "The version of siteatlas.", 1, `{version="${labelValue(VERSION)}"}`);
    gauge(`${PREFIX}sites`, "Watched sites.", sites.length);
    gauge(`${PREFIX}syncs_running`, "Syncs in progress.", status.running);
    gauge(`${PREFIX}syncs_overdue`, "Sites whose sync is overdue.", status.overdue.length);
    const lag = status.lagMs / 1000;
    gauge(`${PREFIX}lag_seconds`, "Longest time that a due site has been waiting for its sync.", lag);
    if (outbox !== undefined) {
      const { deliveries, oldestAt = Date.now() } = outbox;
      gauge(`${PREFIX}outbox_deliveries`, "Deliveries that wait for the webhook.", deliveries);
      const age = Math.max(0, Date.now() - oldestAt) / 1000;
      gauge(`${PREFIX}outbox_oldest_seconds`, "How long the oldest delivery has been waiting.", age);
    }
    for (const [name, { help, labels }] of Object.entries(COUNTERS)) {
      const samples = labels.map((label) => sampleName(name, label));
      family(
        PREFIX + name,
        "counter",
        help,
        samples.map((sample) => `${PREFIX}${sample} ${this.#counters.get(sample)}`),
      );
    }
    const duration = `${PREFIX}sync_duration_seconds`;
    family(duration, "histogram", "Duration of syncs, with the delivery of their changes.", [
      ...BUCKETS.map((bound, at) => `${duration}_bucket{le="${bound}"} ${this.#buckets[at]}`),
      `${duration}_bucket{le="+Inf"} ${this.#seconds.count}`,
      `${duration}_sum ${this.#seconds.sum}`,
      `${duration}_count ${this.#seconds.count}`,
    ]);
    for (const { name, help, read } of SITE_GAUGES) {
      const full = PREFIX + name;
      const samples = sites.flatMap((site) => {
        const value = read(site);
        return value === undefined ? [] : [`${full}{site="${labelValue(site.url)}"} ${value}`];
      });
      family(full, "gauge", help, samples);
    }
    const { user, system } = process.cpuUsage();
    const memory = process.memoryUsage.rss();
    gauge("process_resident_memory_bytes", "Resident memory.", memory);
    family("process_cpu_seconds_total", "counter", "User and system CPU time.", [
      `process_cpu_seconds_total ${(user + system) / 1e6}`,
    ]);
    gauge("process_start_time_seconds", "Start time of the process.", performance.timeOrigin / 1000);
    return `${lines.join("\n")}\n`;
  }
}

function sampleName(name: string, labels: string): string {
  return labels === "" ? name : `${name}{${labels}}`;
}

function labelValue(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));
}
