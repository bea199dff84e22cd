/** Formats the progress of a run: as live lines for a terminal, as a log line, and as JSON. */
import { logUrl } from "../../escape/log-line.ts";
import { bytes, count, number, roughDuration } from "../terminal/format-text.ts";
import type { Paint } from "../terminal/style.ts";
import type { RunCounts } from "./run-counts.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ASCII_FRAMES = ["|", "/", "-", "\\"];
const MIN_WIDTH = 40;

export interface LiveOptions {
  readonly paint: Paint;
  readonly columns: number;
  readonly ascii: boolean;
}

/** The live lines: one with the numbers, and one with the requests in flight and their duration. */
export function progressLines(
  runCounts: RunCounts,
  ms: number,
  { paint, columns, ascii }: LiveOptions,
): string[] {
  const frames = ascii ? ASCII_FRAMES : FRAMES;
  const frame = frames[Math.floor(ms / 100) % frames.length]!;
  const width = Math.max(MIN_WIDTH, columns) - 1;
  const numbers = parts(runCounts, ms)
    .join(ascii ? " - " : " · ")
    .slice(0, width - 2);
  const lines = [`${paint("cyan", frame)} ${numbers}`];
  const waiting = inFlightText(runCounts, width - 2);
  const current = waiting === "" ? logUrl(runCounts.current, { maxLength: width - 2 }) : waiting;
  if (current !== "") lines.push(paint("dim", `  ${current}`));
  return lines;
}

/**
 * The progress as a log line: `10 s: 1 page, 2 of 3 sitemaps, 414 B, 3 failed. Waiting for example.com/slow.xml (9 s)`.
 */
export function progressLine(runCounts: RunCounts, ms: number): string {
  const waiting = inFlightText(runCounts);
  const numbers = `${roughDuration(ms)}: ${parts(runCounts, ms).join(", ")}`;
  return waiting === "" ? numbers : `${numbers}. Waiting for ${waiting}`;
}

export function progressFacts(runCounts: RunCounts, ms: number): object {
  const { pages, sitemaps, bytes: received, sites, paused } = runCounts;
  const { known, failed } = runCounts.progress();
  const now = performance.now();
  const inFlight = runCounts.inFlight.map(({ url, since }) => ({
    url: logUrl(url),
    ms: Math.round(now - since),
  }));
  return {
    ms: Math.round(ms),
    pages,
    sitemaps,
    sitemapsKnown: known,
    bytes: received,
    failed,
    sites,
    ...(runCounts.checks && { checked: runCounts.checks.done, toCheck: runCounts.checks.total }),
    current: inFlight[0]?.url ?? runCounts.current,
    inFlight,
    ...(paused !== undefined && { paused: { host: paused.host, ms: Math.round(paused.leftMs) } }),
  };
}

/** Text about the oldest request in flight and the number of others: `example.com/slow.xml (9 s) and 1 more`. */
function inFlightText({ inFlight, paused }: RunCounts, width?: number): string {
  const [oldest] = inFlight;
  if (oldest === undefined) {
    return paused === undefined ? "" : `${paused.host} (asked to wait, ${roughDuration(paused.leftMs)} left)`;
  }
  const ms = performance.now() - oldest.since;
  const time = ms < 1000 ? "" : ` (${roughDuration(ms)})`;
  const more = inFlight.length > 1 ? ` and ${number(inFlight.length - 1)} more` : "";
  const [scheme = ""] = /^https?:\/\//.exec(oldest.url) ?? [];
  const room = width === undefined ? {} : { maxLength: width + scheme.length - time.length - more.length };
  return `${logUrl(oldest.url, room).slice(scheme.length)}${time}${more}`;
}

function parts(runCounts: RunCounts, ms: number): string[] {
  if (runCounts.checks !== undefined) return checkParts(runCounts.checks);
  const { pages, sitemaps } = runCounts;
  const { known, failed } = runCounts.progress();
  const [read, all] = [count(sitemaps, "sitemap"), count(known, "sitemap")];
  // Pages of a snapshot or a list were not received from a site.
  const isLocal = pages > 0 && known === 0 && runCounts.bytes === 0;
  const rate = ms < 1000 ? 0 : Math.round((pages * 1000) / ms);
  return [
    count(pages, "page"),
    ...(rate > 0 ? [`${number(rate)}/s`] : []),
    ...(isLocal && sitemaps === 0 ? [] : [known > sitemaps ? `${number(sitemaps)} of ${all}` : read]),
    ...(isLocal ? [] : [bytes(runCounts.bytes)]),
    ...(runCounts.sites > 1 ? [count(runCounts.sites, "site")] : []),
    ...(failed > 0 ? [`${number(failed)} failed`] : []),
  ];
}

/** The progress of `check`: `120 of 4,000 pages checked`, `12/s`, `5 min left`. */
function checkParts({ done, total, startedAt }: NonNullable<RunCounts["checks"]>): string[] {
  const ms = performance.now() - startedAt;
  const perSecond = ms < 1000 ? 0 : (done * 1000) / ms;
  const rate = perSecond >= 10 ? Math.round(perSecond) : Number(perSecond.toPrecision(2));
  return [
    `${number(done)} of ${count(total, "page")} checked`,
    ...(rate > 0 ? [`${number(rate)}/s`, `${roughDuration((1000 * (total - done)) / perSecond)} left`] : []),
  ];
}
