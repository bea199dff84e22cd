/** How far it is, in the three forms in which it is told. */
import { logUrl } from "../../sinks/log-line.ts";
import type { Paint } from "./style.ts";
import type { Tally } from "./tally.ts";
import { bytes, count, duration, number } from "./words.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ASCII_FRAMES = ["|", "/", "-", "\\"];
const MIN_WIDTH = 40;

export interface LiveOptions {
  readonly paint: Paint;
  readonly columns: number;
  /** No characters beyond ASCII. */
  readonly ascii: boolean;
}

/** Two lines: the numbers, and what is being read. */
export function progressLines(tally: Tally, ms: number, { paint, columns, ascii }: LiveOptions): string[] {
  const frames = ascii ? ASCII_FRAMES : FRAMES;
  const frame = frames[Math.floor(ms / 100) % frames.length]!;
  const width = Math.max(MIN_WIDTH, columns) - 1;
  const numbers = parts(tally, ms)
    .join(ascii ? " - " : " · ")
    .slice(0, width - 2);
  const lines = [`${paint("cyan", frame)} ${numbers}`];
  if (tally.current !== "") lines.push(paint("dim", `  ${logUrl(tally.current, { maxLength: width - 2 })}`));
  return lines;
}

/** One line for a log. */
export function progressLine(tally: Tally, ms: number): string {
  return `${parts(tally, ms).join(", ")}, after ${duration(ms)}`;
}

export function progressFacts(tally: Tally, ms: number): object {
  const { pages, sitemaps, declared, ended, bytes: received, failures, current, sites } = tally;
  return {
    ms: Math.round(ms),
    pages,
    sitemaps,
    sitemapsKnown: sitemaps + Math.max(0, declared - ended),
    bytes: received,
    failed: failures,
    sites,
    current,
  };
}

function parts(tally: Tally, ms: number): string[] {
  const { pages, sitemaps, declared, ended, failures } = tally;
  const waiting = Math.max(0, declared - ended);
  const rate = ms < 1000 ? 0 : Math.round((pages * 1000) / ms);
  return [
    count(pages, "page"),
    ...(rate > 0 ? [`${number(rate)}/s`] : []),
    waiting > 0
      ? `${number(sitemaps)} of ${count(sitemaps + waiting, "sitemap")}`
      : count(sitemaps, "sitemap"),
    bytes(tally.bytes),
    ...(tally.sites > 1 ? [count(tally.sites, "site")] : []),
    ...(failures > 0 ? [`${number(failures)} failed`] : []),
  ];
}
