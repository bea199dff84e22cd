/**
 * Where the commands are. Those that read sites share nearly all that they need and come together, so that the
 * bundle has few files to load, and so do those that compare them with what they were; `parse` does without the
 * network, and `completion` without anything.
 */
import { completion } from "./commands/completion.ts";
import type { Command } from "./run.ts";

const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  ls: async () => (await import("./commands/of-sites.ts")).ls,
  tree: async () => (await import("./commands/of-sites.ts")).tree,
  find: async () => (await import("./commands/of-sites.ts")).find,
  stats: async () => (await import("./commands/of-sites.ts")).stats,
  robots: async () => (await import("./commands/of-sites.ts")).robots,
  sync: async () => (await import("./commands/of-snapshots.ts")).sync,
  watch: async () => (await import("./commands/of-snapshots.ts")).watch,
  diff: async () => (await import("./commands/of-snapshots.ts")).diff,
  snapshot: async () => (await import("./commands/of-snapshots.ts")).snapshot,
  parse: async () => (await import("./commands/parse.ts")).parse,
  completion: async () => completion,
};

export function loadCommand(name: string): Promise<Command> {
  return loaders[name]!();
}
