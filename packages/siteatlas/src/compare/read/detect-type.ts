/** Finds out what a text file is, from its first 64 KiB. */
import type { FileType } from "../source-facts.ts";
import { findTable } from "./csv-column.ts";
import { readLogLine } from "./log-line.ts";

/** Number of lines that are compared with the format of a log. */
const SAMPLE_LINES = 20;
/** Share of control characters from which a file counts as binary. */
const MAX_CONTROLS = 0.01;
/** Number of control characters that any text may contain. */
const MIN_CONTROLS = 8;

const CONTROLS = /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g;

/** @param sample the first characters of the text */
export function detectType(sample: string): FileType | "sitemap" | "binary" {
  if (isBinary(sample)) return "binary";
  const start = sample.trimStart();
  if (start.startsWith("<")) return "sitemap";
  if (/^[{[]/.test(start) && !/^\[[^\]\n]*\] "/.test(start)) return isJsonFeed(start) ? "sitemap" : "json";
  if (isLog(sample)) return "log";
  return findTable(sample) === undefined ? "urls" : "csv";
}

/** Whether the text has NUL characters, or many control characters. A log may contain a few. */
function isBinary(sample: string): boolean {
  if (sample.includes("\0") || sample.startsWith("PAR1")) return true;
  const controls = sample.match(CONTROLS)?.length ?? 0;
  return controls > MIN_CONTROLS && controls > MAX_CONTROLS * sample.length;
}

/** A JSON Feed is one object over many lines. A row of siteatlas is one object per line, with a `url`. */
function isJsonFeed(start: string): boolean {
  return start.startsWith("{") && /"version"\s*:\s*"https?:\\?\/\\?\/jsonfeed\.org/.test(start);
}

/** Whether at least half of the first lines are lines of a log. */
function isLog(sample: string): boolean {
  const lines = sample
    .split(/\r\n|\n|\r/, SAMPLE_LINES)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return (
    lines.length > 0 && 2 * lines.filter((line) => readLogLine(line) !== undefined).length >= lines.length
  );
}
