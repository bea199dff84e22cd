/** Prints results on standard output and messages on standard error, and formats numbers for people. */

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function log(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** 80356 → `80,356` */
export function number(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** `1 page`, `80,356 pages` */
export function count(value: number, one: string): string {
  return `${number(value)} ${one}${value === 1 ? "" : "s"}`;
}

/** 4200000 → `4.2 MB` */
export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let rest = value;
  while (rest >= 1000 && units.length > 1) {
    rest /= 1000;
    units.shift();
  }
  return `${units[0] === "B" ? Math.round(rest) : rest.toFixed(1)} ${units[0]}`;
}

/** `30 s`, `15 min`, `3 days` */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
