/** The commands that use snapshots, and the charts of stats, loaded together (see load-command.ts). */
export { startChart } from "../render/draw-chart.ts";
export { check } from "./check.ts";
export { compare } from "./compare.ts";
export { diff } from "./diff.ts";
export { lint } from "./lint/lint.ts";
export { report } from "./report/report.ts";
export { snapshot } from "./snapshot.ts";
export { sync } from "./sync.ts";
export { watch } from "./watch.ts";
