/**
 * Reads what somebody wrote behind a flag, into an environment variable or a file of settings: numbers,
 * spans of time, sizes, dates. Each throws an `Error` whose message goes on from the name of the setting:
 * `--retries "many" is not a whole number`.
 */
const TIME_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  "": 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

const SIZE_UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
};

const NUMBER_WITH_UNIT = /^(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)$/i;

/** `none` lifts a bound. */
const UNBOUNDED = /^(?:none|infinity|unlimited)$/i;

export function readText(text: string): string {
  if (text === "") throw new Error("is empty");
  return text;
}

export function readBoolean(text: string): boolean {
  if (/^(?:true|yes|on|1)$/i.test(text)) return true;
  if (/^(?:false|no|off|0)$/i.test(text)) return false;
  throw new Error("is neither true nor false");
}

/** From 0 on. */
export function readCount(text: string): number {
  if (!/^\d[\d_,]*$/.test(text)) throw new Error("is not a whole number");
  return Number(text.replace(/[_,]/g, ""));
}

/** From 1 on: for what makes no sense with none. */
export function readSome(text: string): number {
  const count = readCount(text);
  if (count === 0) throw new Error("must be 1 or more");
  return count;
}

/** A count, or `none` for no bound. */
export function readBound(text: string): number {
  return UNBOUNDED.test(text) ? Number.POSITIVE_INFINITY : readCount(text);
}

/** In milliseconds. A bare number is in seconds. */
export function readDuration(text: string): number {
  return readWithUnit(text, TIME_UNITS, "is not a span of time such as 500ms, 30s, 10m, 2h or 7d");
}

/** A span of time after which something is done again. */
export function readInterval(text: string): number {
  const ms = readDuration(text);
  if (ms === 0 || ms === Number.POSITIVE_INFINITY) throw new Error("must be more than 0, and not for ever");
  return ms;
}

/** In bytes. */
export function readSize(text: string): number {
  return readWithUnit(text, SIZE_UNITS, "is not a size such as 500kB, 10MiB or 1GiB");
}

function readWithUnit(text: string, units: Readonly<Record<string, number>>, message: string): number {
  if (UNBOUNDED.test(text)) return Number.POSITIVE_INFINITY;
  const [, number, unit = ""] = NUMBER_WITH_UNIT.exec(text) ?? [];
  const factor = units[unit.toLowerCase()];
  if (number === undefined || factor === undefined) throw new Error(message);
  return Number(number) * factor;
}

/** A part of the whole, from 0 to 1: `20%`, `0.2`. */
export function readShare(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/.exec(text) ?? [];
  const share = Number(number) / (percent === "%" ? 100 : 1);
  if (number === undefined || share > 1) throw new Error("is not a share such as 20% or 0.2");
  return share;
}

const ISO_DATE = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?$/;
const ZONE = /(?:Z|[+-]\d\d:\d\d)$/;

/** A date (ISO 8601, UTC where it names no zone), or so long ago (`7d`). */
export function readSince(text: string): Date {
  if (NUMBER_WITH_UNIT.test(text) && /[a-z]$/i.test(text)) return new Date(Date.now() - readDuration(text));
  const ms = ISO_DATE.test(text)
    ? Date.parse(text.includes("T") && !ZONE.test(text) ? `${text}Z` : text)
    : NaN;
  if (Number.isNaN(ms)) throw new Error("is neither a date such as 2026-11-01 nor a span such as 7d");
  return new Date(ms);
}

/** `Name: value` */
export function readHeader(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/s.exec(text) ?? [];
  // The rest of it may be a secret: it is not repeated.
  if (name === undefined || value === undefined) throw new Error('is not a header such as "Cookie: a=b"');
  return [name.toLowerCase(), readHeaderValue(value)];
}

/** What may be sent: no line break, which would start another header, and one byte for each character. */
export function readHeaderValue(text: string): string {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) throw new Error("holds what no header may hold");
  return readText(text);
}

/** The origin of an http or https URL. */
export function readOrigin(text: string): string {
  const given = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new Error("is not an origin such as https://staging.example.com");
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new Error("must be an origin alone, without a path");
  }
  return url.origin;
}

/** An http or https URL, whole. */
export function readUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error("is not an http or https URL");
  }
  return text;
}

/** Where something is sent to. */
export function readWebhook(text: string): string {
  try {
    return readUrl(text);
  } catch (error) {
    throw new Error(`${(error as Error).message} such as https://hooks.example.net/changes`);
  }
}

/** One of these words. */
export function oneOf<const T extends string>(...words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text.toLowerCase());
    if (found === undefined) throw new Error(`is none of ${words.join(", ")}`);
    return found;
  };
}
