/** The status of a fleet as text for a terminal. */
import { terminalText } from "siteatlas/escape";
import { bytes, duration, number } from "../messages.ts";
import { type FleetStatus, WAIT_REASONS } from "./read-status.ts";

type Rates = FleetStatus["today"];

export function ratesOf(before: FleetStatus, after: FleetStatus, seconds: number): Rates {
  const rate = (name: keyof Rates): number =>
    Math.max(0, after.today[name] - before.today[name]) / Math.max(seconds, 0.001);
  return { visits: rate("visits"), requests: rate("requests"), bytes: rate("bytes"), pages: rate("pages") };
}

const BAR = 30;

export function drawStatus(
  { sites, waiting, outcomes, queue, parts, today, stops }: FleetStatus,
  rates?: Rates,
): string {
  const known = sites.active + sites.quarantined;
  const visited = known - sites.never;
  const share = known === 0 ? 0 : visited / known;
  const filled = Math.round(BAR * share);
  const perSecond = (name: keyof Rates, text: (value: number) => string): string =>
    rates === undefined ? "" : `  ${text(rates[name])}/s`;
  return [
    `sites     ${number(sites.active)} active, ${number(sites.quarantined)} quarantined, ${number(stops)} on the stop list`,
    `visited   ${"█".repeat(filled)}${"░".repeat(BAR - filled)} ${(100 * share).toFixed(1)} %  (${number(visited)} of ${number(known)})`,
    `due       ${number(sites.due)}${sites.due === 0 ? "" : `, the oldest for ${duration(sites.lagSeconds)}`}`,
    ...waitLines(waiting, queue),
    `queue     ${number(queue.waiting)} waiting, ${number(queue.active)} active, ${number(queue.delayed)} delayed`,
    `visits    ${number(sites.open)} in progress, ${number(today.visits)} today${perSecond("visits", rate)}`,
    `requests  ${number(today.requests)} today${perSecond("requests", rate)}`,
    `bytes     ${bytes(today.bytes)} today${perSecond("bytes", bytes)}`,
    `pages     ${number(today.pages)} today${perSecond("pages", rate)}`,
    `files     ${number(parts.live)} with ${number(parts.rows)} rows, ${bytes(parts.bytes)}; ${number(parts.replaced)} old files not yet deleted`,
    ...outcomeLines(outcomes),
    "",
  ].join("\n");
}

/** Texts that say why due sites wait. A text follows the number of sites: `12 wait for a worker`. */
const WAIT_TEXTS: Readonly<Record<keyof FleetStatus["waiting"], string>> = {
  visit: "being visited",
  worker: "wait for a worker",
  domain: "wait for another site of their domain",
  pause: "wait because their server asked for a pause",
  budget: "wait for tomorrow, because the budget of today is spent",
  stop: "wait because they are on the stop list",
};

function waitLines(waiting: FleetStatus["waiting"], queue: FleetStatus["queue"]): string[] {
  const isUnqueued = queue.waiting + queue.active + queue.delayed === 0;
  return WAIT_REASONS.filter((reason) => waiting[reason] > 0).map((reason) => {
    // If the queues are empty although sites could be visited, probably no scheduler is running.
    const hint =
      reason === "worker" && isUnqueued ? "; none is in a queue: is a scheduler (feed) running?" : "";
    return `          ${number(waiting[reason])} ${WAIT_TEXTS[reason]}${hint}`;
  });
}

function outcomeLines(outcomes: FleetStatus["outcomes"]): string[] {
  return Object.entries(outcomes).map(
    ([outcome, sites], at) =>
      `${at === 0 ? "outcomes" : "        "}  ${terminalText(outcome).padEnd(12)} ${number(sites)}`,
  );
}

function rate(value: number): string {
  return value < 10 ? value.toFixed(1) : number(value);
}
