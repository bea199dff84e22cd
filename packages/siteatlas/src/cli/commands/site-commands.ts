/** The commands that read sites, loaded together (see load-command.ts). */
export { find } from "./find.ts";
export { ls } from "./ls.ts";
export { robots } from "./robots.ts";
export { stats } from "./stats.ts";
export { tree } from "./tree.ts";
