/** The commands and their flags. Each flag can be set in the environment, too: `SITEATLAS_FLEET_` and its name. */
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { migrate } from "../database/migrate.ts";
import { compact } from "../dataset/compact.ts";
import { manifest, readDataset } from "../dataset/manifest.ts";
import { sweep } from "../dataset/sweep.ts";
import { Feeder } from "../feeder.ts";
import type { Dataset } from "../leg.ts";
import { Metrics, serveMetrics } from "../metrics.ts";
import { openTelemetry } from "../telemetry.ts";
import { VERSION } from "../version.ts";
import type { WorkerEvent } from "../worker.ts";
import { add } from "./commands/add.ts";
import { go, quarantined, retry, setAside, show, stop } from "./commands/sites.ts";
import { readStatus } from "./commands/status.ts";
import { setTenant, type TenantOptions } from "./commands/tenant.ts";
import { GUESSES, type WorkOptions, work } from "./commands/work.ts";
import { Connections, type PlaceOptions, UsageError } from "./connections.ts";
import { count, drawStatus, ratesOf } from "./draw-status.ts";

export function createProgram(): Command {
  const program = new Command("siteatlas-fleet")
    .description(
      "Follows the sitemaps of millions of sites: PostgreSQL holds the frontier, BullMQ on Redis moves due sites to workers, Parquet holds what they found.",
    )
    .version(VERSION)
    .helpOption("-h, --help", "show this")
    .showHelpAfterError("(--help shows what there is)")
    .exitOverride();

  const command = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .addOption(place("--database <url>", "PostgreSQL: the frontier and the truth"))
      .addOption(place("--redis <url>", "Redis or Valkey; several URLs with commas are a Redis Cluster"))
      .addOption(
        place("--store <place>", "parts and snapshots: a folder, or s3://bucket/prefix?region=…&endpoint=…"),
      )
      .addOption(place("--folder <path>", "local files on their way"));

  command("init", "makes the tables, or brings them up to date")
    .option("--shards <n>", "queues and partitions; fixed once and for all", wholeNumber, 16)
    .action(
      withConnections(async (connections, { shards }: { shards: number }) => {
        const run = await migrate(connections.pool(), { shards });
        say(run.length === 0 ? "nothing to do" : `done: ${run.join(", ")}`);
      }),
    );

  command("add", "adds hosts, one a line, from files or - for standard input")
    .argument("<files...>", "hosts (example.com) or homepages (http://example.com/); # begins a comment")
    .option("--tenant <name>", "on whose behalf", "default")
    .option("--spread <seconds>", "their first visits are spread over so long", wholeNumber, 0)
    .action(
      withConnections(async (connections, options: { tenant: string; spread: number }, files: string[]) => {
        const { read, added, refused, examples } = await add(connections.busyFrontier(), files, options);
        say(
          `${count(added)} added, ${count(read - added - refused)} were there, ${count(refused)} are no hosts`,
        );
        for (const example of examples) say(`  no host: ${JSON.stringify(example)}`);
        if (read > 0 && refused === read) process.exitCode = 1;
      }),
    );

  command("feed", "fills the queues with sites that are due, until it is told to end; any number may run")
    .option("--every <seconds>", "from one look to the next", wholeNumber, 5)
    .option("--high-water <n>", "sites of one shard in Redis", wholeNumber, 50_000)
    .option("--rescan <seconds>", "how often it goes through all that is due", seconds, 60)
    .option("--backoff <seconds>", "before a site that failed through no fault of its own", seconds, 60)
    .option("--metrics <port>", "Prometheus endpoint: PORT or ADDRESS:PORT")
    .action(withConnections(feed));

  workCommand(command("work", "visits sites, until it is told to end; any number may run")).action(
    withConnections(runWorker),
  );

  command("status", "where the fleet stands")
    .option("--json", "as one JSON object")
    .option("--watch", "again and again, with rates")
    .action(withConnections(status));

  command("show", "all that is known of a site")
    .argument("<host>")
    .action(
      withConnections(async (connections, _, host: string) => {
        const site = await show(connections.frontier(), host);
        if (site === undefined) throw new UsageError(`There is no site ${host}`);
        print(JSON.stringify(site, undefined, 2));
      }),
    );

  command("retry", "visits sites now, whatever was held against them")
    .argument("[hosts...]")
    .option("--quarantined", "all that are quarantined")
    .action(
      withConnections(async (connections, options: { quarantined?: boolean }, hosts: string[]) => {
        const found = await retry(connections.frontier(), hosts, options.quarantined ?? false);
        say(`${count(found)} due now`);
        if (found < hosts.length) throw new UsageError(`${count(hosts.length - found)} of them are unknown`);
      }),
    );

  command("quarantine", "lists the sites that are set aside, or sets some aside")
    .argument("[hosts...]")
    .option("--reason <text>", "why", "by hand")
    .action(
      withConnections(async (connections, { reason }: { reason: string }, hosts: string[]) => {
        const frontier = connections.frontier();
        if (hosts.length > 0) say(`${await setAside(frontier, hosts, "quarantined", reason)} set aside`);
        else for (const site of await quarantined(frontier)) print(JSON.stringify(site));
      }),
    );

  command("remove", "forgets sites, and their pages")
    .argument("<hosts...>")
    .action(
      withConnections(async (connections, _, hosts: string[]) => {
        say(`${await setAside(connections.frontier(), hosts, "removed", "by hand")} removed`);
      }),
    );

  command("stop", "the kill switch: nobody visits these hosts or registrable domains any more")
    .argument("<names...>")
    .option("--reason <text>", "why")
    .action(
      withConnections(async (connections, { reason }: { reason?: string }, names: string[]) => {
        await stop(connections.frontier(), names, reason);
      }),
    );

  command("go", "takes hosts and domains off the stop list")
    .argument("<names...>")
    .action(
      withConnections(async (connections, _, names: string[]) => {
        say(`${await go(connections.frontier(), names)} taken off`);
      }),
    );

  command("tenant", "makes a tenant or sets what it may spend; * is the whole fleet")
    .argument("<name>")
    .option("--sites <n>", "how many it may have, or none for no limit", numberOrNone)
    .option("--requests <n>", "a day, or none", numberOrNone)
    .option("--bytes <n>", "a day, or none", numberOrNone)
    .action(
      withConnections(async (connections, options: TenantOptions, name: string) => {
        await setTenant(connections.frontier(), name, options);
      }),
    );

  command("compact", "makes few large parts of many small ones, and deletes what does not count any more")
    .option("--grace <seconds>", "how long a file stays that somebody may be reading", wholeNumber, 3600)
    .action(withConnections(runCompact));

  command("manifest", "lists the parts that count, for DuckDB and others")
    .addOption(datasetOption())
    .option("--day <date>", "of this day")
    .option("--json", "with their counts, one JSON object a line")
    .action(
      withConnections(async (connections, options: { dataset?: Dataset; day?: string; json?: boolean }) => {
        const store = await connections.store();
        for await (const part of manifest(connections.pool(), options)) {
          const address = store.address(part.key);
          print(options.json ? JSON.stringify({ ...part, address }) : address);
        }
      }),
    );

  command("export", "writes the rows that count, one JSON object a line")
    .addOption(datasetOption().default("pages"))
    .option("--day <date>", "of this day")
    .option("-o, --output <file>", "instead of standard output")
    .action(withConnections(runExport));

  return program;
}

function place(flags: string, description: string): Option {
  const name = /--(\w+)/.exec(flags)![1]!;
  return new Option(flags, description).env(`SITEATLAS_FLEET_${name.toUpperCase()}`);
}

function datasetOption(): Option {
  return new Option("--dataset <name>", "which one").choices(["pages", "sitemaps", "changes"]);
}

function workCommand(command: Command): Command {
  return command
    .addOption(
      place("--contact <url>", "a page that says who visits and how to reach you; in the user agent"),
    )
    .option("--concurrency <n>", "sites at once", wholeNumber, 100)
    .option("--walkers <n>", "processes that walk; one for each core", wholeNumber)
    .option("--memory <mb>", "heap of each", wholeNumber, 1024)
    .option("--shards <list>", "0-7,12: work off these queues alone", shardList)
    .option("--lease <seconds>", "of locks and leases; the same in all workers", seconds, 60)
    .option("--slice <seconds>", "a site that takes longer gives its slot back", seconds, 300)
    .option("--leg <seconds>", "a large site is committed about so often", seconds, 60)
    .option("--stuck <seconds>", "a walking process that does nothing for so long is ended", seconds, 20)
    .option("--every <seconds>", "from the first visit of a site to the second", seconds, 86_400)
    .option("--min-every <seconds>", "for those that change all the time", seconds, 3600)
    .option("--max-every <seconds>", "for those that never change or answer", seconds, 2_592_000)
    .option("--per-host <n>", "requests at once to one site", wholeNumber, 2)
    .option("--delay <ms>", "from one request to the next", wholeNumber, 0)
    .option("--no-robots", "request what robots.txt disallows, too")
    .addOption(
      new Option("--guess <when>", "try the known locations: 16 requests a site, more pages")
        .choices(Object.keys(GUESSES))
        .default("always"),
    )
    .addOption(
      new Option("--cross-host <which>", "sitemaps on other hosts")
        .choices(["follow", "same-site", "none"])
        .default("follow"),
    )
    .option("--max-sitemaps <n>", "of one site", wholeNumber)
    .option("--max-bytes <n>", "of one leg, on the wire", wholeNumber)
    .option("--allow <list>", "hosts and ranges that are not public and may be visited", (text: string) =>
      text.split(","),
    )
    .option("--proxy <url>", "an HTTP proxy")
    .option("--metrics <port>", "Prometheus endpoint: PORT or ADDRESS:PORT")
    .option("--otel", "spans for OpenTelemetry, with @opentelemetry/api beside this", false)
    .option("--allow-volatile", "work with a Redis that may lose jobs", false)
    .addOption(new Option("--visitor <module>", "a module that makes the visits").hideHelp())
    .option("--quiet", "say nothing of single sites", false);
}

// ---------------------------------------------------------------- what takes longer

async function feed(
  connections: Connections,
  options: { every: number; highWater: number; rescan: number; backoff: number; metrics?: string },
): Promise<void> {
  const { every, highWater, rescan, backoff, metrics: where } = options;
  const metrics = new Metrics();
  const feeder = new Feeder({
    frontier: connections.busyFrontier(),
    redis: connections.redis(),
    everyMs: every * 1000,
    highWater,
    rescanMs: rescan * 1000,
    backoffMs: backoff * 1000,
    onError: (error) => say(`error: ${error.message}`),
    onFed: (sites) => metrics.add("fed_total", sites),
  });
  metrics.gauge("queue_size", () => feeder.queueSize);
  metrics.gauge("lag_seconds", () => feeder.lagSeconds);
  if (where !== undefined) await serveMetrics(metrics, where);
  await feeder.start();
  const told = untilToldToEnd();
  say("feeding");
  await told;
  await feeder.close();
}

async function runWorker(
  connections: Connections,
  options: WorkOptions & { readonly metrics?: string; readonly otel: boolean },
): Promise<void> {
  const metrics = new Metrics();
  const trace = options.otel ? await openTelemetry() : undefined;
  const { worker, end } = await work(connections, options, (event) => {
    metrics.take(event);
    trace?.(event);
    if (!options.quiet || event.kind !== "leg") say(eventLine(event));
  });
  metrics.gauge("visits_active", () => worker.size);
  if (options.metrics !== undefined) await serveMetrics(metrics, options.metrics);
  const told = untilToldToEnd();
  say("working");
  await told;
  say(`ending: ${worker.size} sites under way`);
  await end();
}

function eventLine(event: WorkerEvent): string {
  switch (event.kind) {
    case "leg": {
      const { host, visit, leg } = event.request;
      const { outcome, pages, requests, isOver } = event.result;
      const more = isOver ? "" : ", more to come";
      return `${host}: ${outcome}, ${count(pages)} pages, ${count(requests)} requests, visit ${visit} leg ${leg}${more}`;
    }
    case "refused":
      return `${event.request.host}: came too late, somebody else visits it`;
    case "error":
      return `${event.host ?? "queue"}: error: ${event.error.message}`;
    case "crashed":
    case "quarantined":
      return `${event.host}: ${event.kind}: ${event.reason}`;
    default:
      return `${event.host}: ${event.kind}`;
  }
}

async function status(connections: Connections, options: { json?: boolean; watch?: boolean }): Promise<void> {
  const frontier = connections.frontier();
  const redis = connections.redis();
  let last = await readStatus(frontier, redis);
  if (options.json) return print(JSON.stringify(last));
  print(drawStatus(last));
  for (let at = performance.now(); options.watch; ) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const next = await readStatus(frontier, redis);
    const now = performance.now();
    const text = drawStatus(next, ratesOf(last, next, (now - at) / 1000));
    // Over what was there: no flicker.
    process.stdout.write(
      process.stdout.isTTY ? `\x1b[H${text.replaceAll("\n", "\x1b[K\n")}\x1b[J` : `${text}\n`,
    );
    [last, at] = [next, now];
  }
}

async function runCompact(connections: Connections, { grace }: { grace: number }): Promise<void> {
  const { pool } = connections.busyFrontier();
  const store = await connections.store();
  const folder = await connections.folder();
  for await (const { dataset, parts, rowsBefore, rowsAfter } of compact({ pool, store, folder })) {
    say(
      `${dataset}: ${count(parts)} parts became one, ${count(rowsAfter)} of ${count(rowsBefore)} rows count`,
    );
  }
  const { replaced, orphans } = await sweep({ pool, store, graceMs: grace * 1000 });
  say(`${count(replaced)} replaced parts and ${count(orphans)} files that do not count were deleted`);
}

async function runExport(
  connections: Connections,
  { dataset, day, output }: { dataset: Dataset; day?: string; output?: string },
): Promise<void> {
  const store = await connections.store();
  const rows = readDataset(connections.pool(), store, await connections.folder(), {
    dataset,
    ...(day !== undefined && { day }),
  });
  const out = output === undefined ? process.stdout : createWriteStream(output, { flags: "wx" });
  for await (const row of rows) {
    const line = `${JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value))}\n`;
    if (!out.write(line)) await new Promise<void>((resolve) => out.once("drain", () => resolve()));
  }
  if (out !== process.stdout) {
    out.end();
    await finished(out);
  }
}

// ---------------------------------------------------------------- what they share

type Action<Options> = (connections: Connections, options: Options, ...args: never[]) => Promise<void>;

/** Arguments come before the options in commander, behind them here. */
function withConnections<Options>(action: Action<Options>): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const options = given.at(-2) as Options & PlaceOptions;
    const connections = new Connections(options);
    try {
      await action(connections, options, ...(given.slice(0, -2) as never[]));
    } finally {
      await connections.close();
    }
  };
}

function untilToldToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("It is no whole number.");
  return Number(text);
}

function numberOrNone(text: string): number | "none" {
  return text === "none" ? text : wholeNumber(text);
}

function seconds(text: string): number {
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(text)) throw new InvalidArgumentError("It is no number of seconds.");
  return Number(text);
}

function shardList(text: string): number[] {
  const shards = text.split(",").flatMap((piece) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(piece.trim()) ?? [];
    if (from === undefined || Number(to) < Number(from)) throw new InvalidArgumentError("As in 0-7,12.");
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at);
  });
  return [...new Set(shards)];
}
