/**
 * Parses the values of flags, by kind. A parser throws an `Error` with the middle of the message:
 * `must be a whole number` becomes `--shards must be a whole number, not "many"`.
 */

import { DATASETS, type Dataset } from "../model/visit.ts";
import type { VisitRules } from "../model/visit-settings.ts";
import { readAddress } from "../monitoring/metrics.ts";

const TIME_UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const SIZE_UNITS: Readonly<Record<string, number>> = {
  ...{ "": 1, b: 1, kb: 1000, mb: 1000 ** 2, gb: 1000 ** 3, tb: 1000 ** 4 },
  ...{ kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 },
};

export interface ValueKinds {
  readonly count: number;
  /** A whole number of at least 1. */
  readonly positive: number;
  /** A duration in milliseconds. If the user writes no unit, the number is read as seconds. */
  readonly duration: number;
  /** A size in bytes. */
  readonly size: number;
  /** A whole number, or `Infinity` for the word `none`. */
  readonly countOrNone: number;
  readonly sizeOrNone: number;
  readonly text: string;
  readonly url: string;
  /** A list of texts, separated by commas on the command line. */
  readonly list: readonly string[];
  /** A port, or an address and a port, to listen on. */
  readonly address: string;
  /** Numbers of shards. The user writes numbers and ranges, such as `0-7,12`. */
  readonly shards: readonly number[];
  readonly dataset: Dataset;
  readonly when: "always" | "when-empty" | "never";
  readonly crossHost: NonNullable<VisitRules["crossHost"]>;
}

/** The placeholder of each kind in help texts, and the function that parses its values. */
export const KINDS: {
  readonly [Kind in keyof ValueKinds]: readonly [value: string, read: (text: string) => ValueKinds[Kind]];
} = {
  count: ["N", readCount],
  positive: ["N", readPositive],
  duration: ["TIME", readDuration],
  size: ["SIZE", readSize],
  countOrNone: ["N", orNone(readCount)],
  sizeOrNone: ["SIZE", orNone(readSize)],
  text: ["TEXT", (text) => text],
  url: ["URL", (text) => text],
  list: ["LIST", (text) => text.split(",").map((word) => word.trim())],
  address: ["PORT", readPort],
  shards: ["LIST", readShards],
  dataset: ["NAME", oneOf(...DATASETS)],
  when: ["WHEN", oneOf("always", "when-empty", "never")],
  crossHost: ["WHICH", oneOf("follow", "same-site", "none")],
};

function readCount(text: string): number {
  const count = Number(text.replaceAll(/[_,]/g, ""));
  if (!/^\d[\d_,]*$/.test(text) || !Number.isSafeInteger(count)) throw new Error("must be a whole number");
  return count;
}

function readPositive(text: string): number {
  const count = readCount(text);
  if (count === 0) throw new Error("must be 1 or more");
  return count;
}

function readDuration(text: string): number {
  const units = { ...TIME_UNITS, "": TIME_UNITS.s };
  return readWithUnit(text, units, "must be a time such as 500ms, 30s, 10m, 2h or 7d");
}

function readSize(text: string): number {
  return Math.round(readWithUnit(text, SIZE_UNITS, "must be a size such as 500kB, 10MiB or 1GB"));
}

function readWithUnit(text: string, units: Readonly<Record<string, number>>, message: string): number {
  const [, number, unit = ""] = /^(\d{1,15}(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : undefined;
  if (number === undefined || factor === undefined) throw new Error(message);
  return Number(number) * factor;
}

function orNone(read: (text: string) => number): (text: string) => number {
  return (text) => (text === "none" ? Number.POSITIVE_INFINITY : read(text));
}

function readPort(text: string): string {
  if (readAddress(text) === undefined)
    throw new Error("must be PORT or ADDRESS:PORT, with a port up to 65535");
  return text;
}

/**
 * Highest number of a shard: the database stores it in 16 bits. Also stops a range such as 0-99999999999, which would
 * need all memory.
 */
const MAX_SHARD = 32_767;

function readShards(text: string): number[] {
  const shards = text.split(",").flatMap((piece) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(piece.trim()) ?? [];
    if (from === undefined || Number(to) < Number(from) || Number(to) > MAX_SHARD) {
      throw new Error("must be a list such as 0-7,12");
    }
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at);
  });
  return [...new Set(shards)];
}

function oneOf<const Word extends string>(...words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return found;
  };
}
