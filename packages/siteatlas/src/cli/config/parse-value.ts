/**
 * Parses the values of flags, environment variables and settings files. If a value is invalid, each function throws an
 * `Error` whose message follows the name of the setting: "must be a whole number" becomes `--retries must be …`.
 */
import { proxyFault } from "../../fetch/client/proxy-url.ts";
import { HEADERS } from "../../fetch/header-rules.ts";

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

const NUMBER_WITH_UNIT = /^(\d[\d_,]*(?:\.\d+)?|\.\d+)\s*([a-z]*)$/i;

const UNBOUNDED = /^(?:none|infinity|unlimited)$/i;

export function readText(text: string): string {
  if (text === "") throw new Error("must not be empty");
  return text;
}

/** Parses a path below the homepage. A URL of another host is rejected later, by the library. */
export function readPath(text: string): string {
  if (/^\s*(?:[a-z][a-z\d+.-]*:)?\/\//i.test(text)) throw new Error("must be a path such as /my-sitemap.xml");
  return readText(text);
}

export function readBoolean(text: string): boolean {
  if (/^(?:true|yes|on|1)$/i.test(text)) return true;
  if (/^(?:false|no|off|0)$/i.test(text)) return false;
  throw new Error("must be true or false");
}

/** Parses a number of 0 or more. */
export function readCount(text: string): number {
  if (!/^\d[\d_,]*$/.test(text)) throw new Error("must be a whole number");
  return Number(text.replace(/[_,]/g, ""));
}

/** Parses a number of 1 or more. */
export function readSome(text: string): number {
  const count = readCount(text);
  if (count === 0) throw new Error("must be 1 or more");
  return count;
}

/** Parses a number, or `none` for no limit. */
export function readBound(text: string): number {
  return UNBOUNDED.test(text) ? Number.POSITIVE_INFINITY : readCount(text);
}

/** Parses a duration. Returns milliseconds. A number without a unit is in seconds. */
export function readDuration(text: string): number {
  return readWithUnit(text, TIME_UNITS, "must be a time such as 500ms, 30s, 10m, 2h or 7d");
}

/** Parses a time to wait. `none` is not allowed, because the command would wait forever. */
export function readWait(text: string): number {
  const ms = readDuration(text);
  if (ms === Number.POSITIVE_INFINITY) throw new Error("must be a time such as 500ms or 30s");
  return ms;
}

/** Parses the time between two repetitions. */
export function readInterval(text: string): number {
  const ms = readDuration(text);
  if (ms === 0 || ms === Number.POSITIVE_INFINITY)
    throw new Error("must be a time of more than 0, such as 30s or 2h");
  return ms;
}

/** Parses a size in bytes. */
export function readSize(text: string): number {
  return readWithUnit(text, SIZE_UNITS, "must be a size such as 500kB, 10MiB or 1GiB");
}

function readWithUnit(text: string, units: Readonly<Record<string, number>>, message: string): number {
  if (UNBOUNDED.test(text)) return Number.POSITIVE_INFINITY;
  const [, number, unit = ""] = NUMBER_WITH_UNIT.exec(text) ?? [];
  const factor = units[unit.toLowerCase()];
  if (number === undefined || factor === undefined) throw new Error(message);
  return Number(number.replace(/[_,]/g, "")) * factor;
}

/** Parses a share from 0 to 1, written as `20%` or `0.2`. */
export function readShare(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/.exec(text) ?? [];
  const share = Number(number) / (percent === "%" ? 100 : 1);
  if (number === undefined || share > 1) throw new Error("must be a share such as 20% or 0.2");
  return share;
}

const ISO_DATE = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?$/;
const ZONE = /(?:Z|[+-]\d\d:\d\d)$/;

/** Parses a date (ISO 8601, in UTC if it has no zone), or a duration such as `7d`, which means 7 days before now. */
export function readSince(text: string): Date {
  if (NUMBER_WITH_UNIT.test(text) && /[a-z]$/i.test(text)) return new Date(Date.now() - readDuration(text));
  const ms = ISO_DATE.test(text)
    ? Date.parse(text.includes("T") && !ZONE.test(text) ? `${text}Z` : text)
    : NaN;
  if (Number.isNaN(ms)) throw new Error("must be a date such as 2026-11-01 or a time such as 7d");
  return new Date(ms);
}

/** Parses a header, written as `Name: value`. */
export function readHeader(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new Error("must be 'Name: value', such as 'Cookie: a=b'");
  }
  if (/^proxy-authorization$/i.test(name)) {
    throw new Error("must not be Proxy-Authorization; use --proxy http://user:password@host:port");
  }
  const fault = HEADERS.find({ [name]: readHeaderValue(value) });
  if (fault?.path === "") throw new Error(`must not be ${name}: siteatlas sets this header itself`);
  if (fault !== undefined) throw new Error(`must be ${name} with the value ${fault.allowed}`);
  return [name.toLowerCase(), value];
}

/**
 * Parses the value of a header. Only Latin-1 characters are allowed, and no line break, which would start another
 * header.
 */
export function readHeaderValue(text: string): string {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
    throw new Error("must not contain line breaks or characters outside Latin-1");
  return readText(text);
}

/** Parses `user:password`. The password may contain colons and may be empty. */
export function readAuth(text: string): string {
  if (!/^[^:\n\r]*:[^\n\r]*$/.test(text) || text === ":") throw new Error("must be user:password");
  return text;
}

/** Parses an http or https URL and returns its origin. */
export function readOrigin(text: string): string {
  const given = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new Error("must be an origin such as https://staging.example.com");
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new Error("must be an origin without a path");
  }
  return url.origin;
}

export function readUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error("must be an http or https URL");
  }
  return text;
}

/** Parses the URL of a proxy. The scheme may be missing, as in HTTPS_PROXY: `proxy.example.com:3128`. */
export function readProxy(text: string): string {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const fault = proxyFault(url);
  if (fault !== undefined) throw new Error(fault);
  return readUrl(url);
}

export function readWebhook(text: string): string {
  try {
    return readUrl(text);
  } catch (error) {
    throw new Error(`${(error as Error).message} such as https://hooks.example.net/changes`);
  }
}

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Parses `9464` (loopback only), `0.0.0.0:9464` or `[::1]:9464`. */
export function readListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([\da-f:.]+)\]:|([\w.-]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new Error("must be a port such as 9464, or an address and a port such as 0.0.0.0:9464");
  }
  return { host: bracketed ?? plain ?? "127.0.0.1", port };
}

/** Parses a status of HTTP, such as `404`, or `4xx` for all from 400 to 499. */
export function readStatus(text: string): string {
  if (!/^[1-5](?:\d\d|xx)$/i.test(text)) throw new Error("must be a status such as 200 or 2xx");
  return text.toLowerCase();
}

export function oneOf<const T extends string>(...words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text.toLowerCase());
    if (found !== undefined) return found;
    throw new Error(`must be one of ${words.join(", ")}`);
  };
}

/** Checks `url.tracking=error`. Whether the rule exists is checked later, when the rules are loaded. */
export function readRuleSetting(text: string): string {
  if (!/^[a-z\d.-]+\*?=(?:error|warning|info|off)$/.test(text)) {
    throw new Error("must be a rule and a severity, such as url.tracking=off");
  }
  return text;
}

/** Checks `url.tracking:/shop/*`: a rule, and a pattern of URLs. */
export function readIgnore(text: string): string {
  if (!/^[a-z\d.-]+\*?:./.test(text))
    throw new Error("must be a rule and a pattern, such as url.tracking:/shop/*");
  return text;
}
