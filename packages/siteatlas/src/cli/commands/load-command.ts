/**
 * Loads commands on demand. Commands that share most of their code are loaded together, so that the bundle has few
 * files. There are two such groups: commands that read sites, and commands that use snapshots. lint, check and report are
 * in the second group, so that ls does not load them.
 */

import type { Command } from "../command.ts";
import { completion } from "./completion.ts";

const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  ls: async () => (await import("./site-commands.ts")).ls,
  tree: async () => (await import("./site-commands.ts")).tree,
  find: async () => (await import("./site-commands.ts")).find,
  stats: async () => (await import("./site-commands.ts")).stats,
  report: async () => (await import("./snapshot-commands.ts")).report,
  robots: async () => (await import("./site-commands.ts")).robots,
  sync: async () => (await import("./snapshot-commands.ts")).sync,
  watch: async () => (await import("./snapshot-commands.ts")).watch,
  diff: async () => (await import("./snapshot-commands.ts")).diff,
  compare: async () => (await import("./snapshot-commands.ts")).compare,
  snapshot: async () => (await import("./snapshot-commands.ts")).snapshot,
  check: async () => (await import("./snapshot-commands.ts")).check,
  lint: async () => (await import("./snapshot-commands.ts")).lint,
  parse: async () => (await import("./parse.ts")).parse,
  completion: async () => completion,
};

export function loadCommand(name: string): Promise<Command> {
  return loaders[name]!();
}
