/** The commands that use snapshots, loaded together (see load-command.ts). */
export { diff } from "./diff.ts";
export { snapshot } from "./snapshot.ts";
export { sync } from "./sync.ts";
export { watch } from "./watch.ts";
