/**
 * Limits the growth of the V8 heap. By default it grows to several times its live size before garbage is collected. A
 * sync has little live data and gigabytes of garbage. With less growth, 1.5 million pages in 30 sitemaps took 220 MB
 * instead of 390 MB, and 33 s instead of 32 s.
 */
import { setFlagsFromString } from "node:v8";

export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=30");
}
