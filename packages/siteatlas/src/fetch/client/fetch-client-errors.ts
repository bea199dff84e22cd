/**
 * Adds Node's error codes to errors of `fetch`. Node has the code in the cause, Bun has codes of its own, and Deno
 * has only a message. Unknown errors stay unchanged and count as connection errors.
 */
import { causesOf } from "../classify-error.ts";

/** Maps codes of Bun, and of decompressors in Node, to codes that classify-error.ts knows. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^(?:Malformed_HTTP_Response|InvalidHTTPResponse|ResponseHeadersTooLarge)$/, "HPE_RESPONSE"],
  [/^(?:Z_DATA_ERROR|Z_BUF_ERROR|ZlibError|Brotli\w*|ERR__ERROR_FORMAT\w*)$/, "SITEATLAS_CODING"],
];

/** Maps messages of Deno to a Node code: `… client error (Connect): dns error: …`. They start with a URL. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/ client error \(Connect\): dns error\b/, "ENOTFOUND"],
  [/ client error \(Connect\): tcp connect error\b/, "ECONNREFUSED"],
  [/ client error \(Connect\): /, "ERR_TLS"],
  [/ client error \(SendRequest\): (?:invalid HTTP|message head is too large)/, "HPE_RESPONSE"],
];

/** Returns the error, or a new error that has a known code and the original as its cause. */
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
