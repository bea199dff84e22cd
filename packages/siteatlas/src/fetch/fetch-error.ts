/**
 * What an error of `fetch` means, in the words of Node: its own fetch says so in the cause's `code`, Bun in
 * codes of its own, Deno only in its message. What is not known stays as it is, a connection error.
 */

/** Codes of Bun, and of a decompressor under Node. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^(?:Malformed_HTTP_Response|InvalidHTTPResponse|ResponseHeadersTooLarge)$/, "HPE_RESPONSE"],
  [/^(?:Z_DATA_ERROR|Z_BUF_ERROR|ZlibError|Brotli\w*|ERR__ERROR_FORMAT\w*)$/, "SITEATLAS_CODING"],
];

/** What Deno says behind the URL, which holds no blank: `client error (Connect): dns error: …`. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/ client error \(Connect\): dns error\b/, "ENOTFOUND"],
  [/ client error \(Connect\): tcp connect error\b/, "ECONNREFUSED"],
  [/ client error \(Connect\): /, "ERR_TLS"],
  [/ client error \(SendRequest\): (?:invalid HTTP|message head is too large)/, "HPE_RESPONSE"],
];

/** Causes may be a circle. */
const MAX_DEPTH = 5;

/** The error, or one with a code that is understood and the error as its cause. */
export function withNodeCode(error: unknown): unknown {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < MAX_DEPTH; depth++, cause = cause.cause) {
    const { code, message } = cause as Error & { code?: unknown };
    const known = typeof code === "string" ? match(CODES, code) : match(MESSAGES, message);
    if (known !== undefined) return Object.assign(new Error(message, { cause: error }), { code: known });
  }
  return error;
}

function match(table: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
