/** Where the commands are. Each brings what it needs, and is loaded when it is called. */
import type { Command } from "./run.ts";

const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  ls: async () => (await import("./commands/ls.ts")).ls,
  tree: async () => (await import("./commands/tree.ts")).tree,
  find: async () => (await import("./commands/find.ts")).find,
  stats: async () => (await import("./commands/stats.ts")).stats,
  parse: async () => (await import("./commands/parse.ts")).parse,
  robots: async () => (await import("./commands/robots.ts")).robots,
  completion: async () => (await import("./commands/completion.ts")).completion,
};

export function loadCommand(name: string): Promise<Command> {
  return loaders[name]!();
}
