/** The status of a fleet as a page of text, for a terminal. */
import type { FleetStatus } from "./commands/status.ts";

export interface Rates {
  readonly visits: number;
  readonly requests: number;
  readonly bytes: number;
  readonly pages: number;
}

/** What was done per second between two readings. */
export function ratesOf(before: FleetStatus, after: FleetStatus, seconds: number): Rates {
  const rate = (name: keyof FleetStatus["today"]): number =>
    Math.max(0, after.today[name] - before.today[name]) / Math.max(seconds, 0.001);
  return { visits: rate("visits"), requests: rate("requests"), bytes: rate("bytes"), pages: rate("pages") };
}

const BAR = 30;

export function drawStatus(
  { sites, outcomes, queue, parts, today, stops }: FleetStatus,
  rates?: Rates,
): string {
  const known = sites.active + sites.quarantined;
  const visited = known - sites.never;
  const share = known === 0 ? 0 : visited / known;
  const filled = Math.round(BAR * share);
  const perSecond = (name: keyof Rates, text: (value: number) => string): string =>
    rates === undefined ? "" : `  ${text(rates[name])}/s`;
  return [
    `sites     ${count(sites.active)} active, ${count(sites.quarantined)} quarantined, ${count(stops)} on the stop list`,
    `visited   ${"█".repeat(filled)}${"░".repeat(BAR - filled)} ${(100 * share).toFixed(1)} %  (${count(visited)} of ${count(known)})`,
    `due       ${count(sites.due)}, the oldest for ${duration(sites.lagSeconds)}`,
    `queue     ${count(queue.waiting)} waiting, ${count(queue.active)} active, ${count(queue.delayed)} later`,
    `visits    ${count(sites.open)} under way, ${count(today.visits)} today${perSecond("visits", rate)}`,
    `requests  ${count(today.requests)} today${perSecond("requests", rate)}`,
    `bytes     ${bytes(today.bytes)} today${perSecond("bytes", bytes)}`,
    `pages     ${count(today.pages)} today${perSecond("pages", rate)}`,
    `parts     ${count(parts.live)} with ${count(parts.rows)} rows, ${bytes(parts.bytes)}; ${count(parts.replaced)} replaced`,
    ...outcomeLines(outcomes),
    "",
  ].join("\n");
}

function outcomeLines(outcomes: FleetStatus["outcomes"]): string[] {
  return Object.entries(outcomes).map(
    ([outcome, number], at) =>
      `${at === 0 ? "outcomes" : "        "}  ${outcome.padEnd(12)} ${count(number)}`,
  );
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function rate(value: number): string {
  return value < 10 ? value.toFixed(1) : count(value);
}

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

export function bytes(value: number): string {
  const unit = value < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  return `${(value / 1000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`;
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
