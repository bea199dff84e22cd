/**
 * Adds Node's error codes to errors of `fetch`. In Node, the cause of the error has the code. Bun has other codes, and
 * Deno has only messages. Unknown errors stay unchanged and count as connection errors.
 */
import { causesOf } from "../classify-error.ts";

/** Maps codes of Bun, and of decompressors in Node, to codes that classify-error.ts knows. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^(?:Malformed_HTTP_Response|InvalidHTTPResponse|ResponseHeadersTooLarge)$/, "HPE_RESPONSE"],
  [/^(?:Z_DATA_ERROR|Z_BUF_ERROR|ZlibError|Brotli\w*|ERR__ERROR_FORMAT\w*)$/, "SITEATLAS_CODING"],
];

/** Maps messages of Deno to codes of Node. A message starts with a URL: `… client error (Connect): dns error: …`. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/ client error \(Connect\): dns error\b/, "ENOTFOUND"],
  [/ client error \(Connect\): tcp connect error\b/, "ECONNREFUSED"],
  [/ client error \(Connect\): /, "ERR_TLS"],
  [/ client error \(SendRequest\): (?:invalid HTTP|message head is too large)/, "HPE_RESPONSE"],
];

/**
 * Returns a new error with a code of Node, whose cause is `error`. Returns `error` itself if no code is known for it.
 */
export function withNodeCode(error: unknown): unknown {
  for (const { code, message } of causesOf(error) as readonly (Error & { code?: unknown })[]) {
    const known = typeof code === "string" ? match(CODES, code) : match(MESSAGES, message);
    if (known !== undefined) return Object.assign(new Error(message, { cause: error }), { code: known });
  }
  return error;
}

function match(table: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
