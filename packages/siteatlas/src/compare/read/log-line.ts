/**
 * Reads a line of a server log in the common or combined format of Apache and nginx:
 *
 *   203.0.113.7 - - [17/Nov/2026:09:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 5120 "https://example.com/" "Mozilla/5.0"
 *
 * The common format ends after the size. Apache's `vhost_combined` has the host and port in front.
 */

export interface LogRequest {
  /** Host and port that the server logged in front of the line, such as `example.com:443`. */
  readonly host: string | undefined;
  readonly status: number;
  /** Undefined if the client did not send a valid request line. */
  readonly method: string | undefined;
  /** The path and query, or a complete URL. Escapes of the log are percent escapes. */
  readonly target: string;
  /** Undefined in the common format. */
  readonly userAgent: string | undefined;
}

const REQUEST = /^([A-Z]{1,20}) (\S.*?)(?: HTTP\/\d(?:\.\d)?)?$/;
const STATUS = /^ ([1-9]\d\d)(?: |$)/;
const HOST = /^([a-z\d.-]+\.[a-z\d-]+|\[[\da-f:]+\]|localhost):(\d{1,5}) \S+ \S+ /i;

/** Returns undefined if the line is not in one of the formats. */
export function readLogLine(line: string): LogRequest | undefined {
  const dateEnd = line.indexOf('] "');
  if (dateEnd < 0) return undefined;
  const start = dateEnd + 3;
  const end = closingQuote(line, start);
  if (end < 0) return undefined;
  const status = STATUS.exec(line.slice(end + 1, end + 6))?.[1];
  if (status === undefined) return undefined;
  const [, method, target = ""] = REQUEST.exec(line.slice(start, end)) ?? [];
  return {
    host: HOST.exec(line.slice(0, 400))?.[1]?.toLowerCase(),
    status: Number(status),
    method,
    target: unescapeTarget(target),
    userAgent: lastText(line, end),
  };
}

/** The user agent: the second text in quotes after the request. */
function lastText(line: string, requestEnd: number): string | undefined {
  const referrer = line.indexOf(' "', requestEnd + 1);
  const referrerEnd = referrer < 0 ? -1 : closingQuote(line, referrer + 2);
  if (referrerEnd < 0 || !line.startsWith(' "', referrerEnd + 1)) return undefined;
  const end = closingQuote(line, referrerEnd + 3);
  return end < 0 ? undefined : line.slice(referrerEnd + 3, end);
}

/** Position of the quote that ends a text. A quote in the text has a backslash in front. */
function closingQuote(line: string, from: number): number {
  for (let at = from; ; ) {
    const quote = line.indexOf('"', at);
    if (quote < 0) return -1;
    let slashes = 0;
    while (line[quote - 1 - slashes] === "\\" && quote - 1 - slashes >= from) slashes++;
    if (slashes % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** nginx writes `\x22` for a quote, Apache `\"`. Both write other bytes as `\xE4`. */
function unescapeTarget(target: string): string {
  if (!target.includes("\\")) return target;
  return target.replace(/\\(?:x([\da-f]{2})|(.))/gi, (_, hex: string | undefined, character: string) =>
    hex === undefined ? (PERCENT[character] ?? `%5C${character}`) : `%${hex.toUpperCase()}`,
  );
}

const PERCENT: Readonly<Record<string, string>> = { '"': "%22", "\\": "%5C", t: "%09", n: "%0A", r: "%0D" };
