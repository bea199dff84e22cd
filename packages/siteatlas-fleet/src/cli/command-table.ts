/**
 * The table of commands: the arguments, the help text and the function of each command. The flags are in flags.ts. The
 * code of large commands is loaded only when they run, so that small commands start faster.
 */
import { addSites } from "./commands/add.ts";
import { runInit } from "./commands/init.ts";
import * as sites from "./commands/sites.ts";
import { setTenant } from "./commands/tenant.ts";
import type { Connections } from "./connections.ts";
import type { CommandName, CommandOptions } from "./flags.ts";
import { count, log, printIndentedJson, printJson } from "./messages.ts";
import { UsageError } from "./usage-error.ts";

export interface CommandInfo<Options = never> {
  readonly argument?: readonly [term: string, meaning?: string];
  readonly summary: string;
  readonly run: (connections: Connections, options: Options, args: readonly string[]) => Promise<void>;
}

export const commands: { readonly [Name in CommandName]: CommandInfo<CommandOptions<Name>> } = {
  init: {
    summary: "create the tables, or update them to this version",
    run: runInit,
  },
  add: {
    argument: [
      "<files...>",
      "files with one host (example.com) or homepage (http://example.com/) per line; - is standard input, # starts a comment",
    ],
    summary: "add sites to the fleet",
    run: addSites,
  },
  feed: {
    summary: "run a scheduler, which puts due sites into the queues; several may run at once",
    run: async (connections, options) => (await import("./commands/feed.ts")).runFeed(connections, options),
  },
  work: {
    summary: "run a worker, which visits sites; any number may run at once",
    run: async (connections, options) => (await import("./commands/work.ts")).runWorker(connections, options),
  },
  status: {
    summary: "show the state of the fleet",
    run: async (connections, options) =>
      (await import("./commands/status.ts")).runStatus(connections, options),
  },
  show: {
    argument: ["<host>"],
    summary: "show everything known about a site",
    run: async (connections, _, [host]) => {
      const site = await sites.show(connections.frontier(), host!);
      if (site === undefined) throw new UsageError(`${host} is not in the fleet`);
      printIndentedJson(site);
    },
  },
  retry: {
    argument: ["[hosts...]"],
    summary: "visit these sites now, even if they are quarantined or not due",
    run: async (connections, { quarantined = false }, hosts) => {
      const found = await sites.retry(connections.frontier(), hosts, quarantined);
      log(`${count(found, "site")} due now`);
      if (found < hosts.length)
        throw new UsageError(`${count(hosts.length - found, "host")} not in the fleet`);
    },
  },
  quarantine: {
    argument: ["[hosts...]"],
    summary: "quarantine these sites; without hosts, list the quarantined sites",
    run: async (connections, { reason }, hosts) => {
      const frontier = connections.frontier();
      if (hosts.length === 0) for (const site of await sites.quarantined(frontier)) printJson(site);
      else log(`${count(await sites.setAside(frontier, hosts, "quarantined", reason), "site")} quarantined`);
    },
  },
  remove: {
    argument: ["<hosts...>"],
    summary: "remove sites and their pages",
    run: async (connections, _, hosts) => {
      log(
        `${count(await sites.setAside(connections.frontier(), hosts, "removed", "by hand"), "site")} removed`,
      );
    },
  },
  stop: {
    argument: ["<names...>"],
    summary: "put hosts or registrable domains on the stop list; their visits end within seconds",
    run: (connections, { reason }, names) => sites.stop(connections.frontier(), names, reason),
  },
  go: {
    argument: ["<names...>"],
    summary: "take hosts or registrable domains off the stop list",
    run: async (connections, _, names) => {
      log(`${count(await sites.go(connections.frontier(), names), "name")} taken off the stop list`);
    },
  },
  tenant: {
    argument: ["<name>"],
    summary: "create a tenant or set its limits; * is the whole fleet",
    run: (connections, options, [name]) => setTenant(connections.frontier(), name!, options),
  },
  compact: {
    summary: "merge small part files into large ones, and delete files that are no longer used",
    run: async (connections, options) =>
      (await import("./commands/datasets.ts")).runCompact(connections, options),
  },
  repair: {
    summary:
      "after a restore of the database or a loss of files: have the sites whose files are missing read again",
    run: async (connections, options) =>
      (await import("./commands/datasets.ts")).runRepair(connections, options),
  },
  manifest: {
    summary: "list the part files of the datasets, for DuckDB and other readers",
    run: async (connections, options) =>
      (await import("./commands/datasets.ts")).runManifest(connections, options),
  },
  tables: {
    argument: ["<folder>", "new folder to write"],
    summary: "write a folder with which DuckDB reads the datasets as tables",
    run: async (connections, options, [folder]) =>
      (await import("./commands/datasets.ts")).runTables(connections, options, folder!),
  },
  export: {
    summary: "write the current rows of a dataset, one JSON object per line",
    run: async (connections, options) =>
      (await import("./commands/datasets.ts")).runExport(connections, options),
  },
};
