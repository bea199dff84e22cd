/**
 * Distinguishes three kinds of client errors: failures of the network, failures that a custom client reports, and bugs
 * in a custom client. A bug is thrown immediately, because a retry cannot help, and the message "the connection broke"
 * would hide the bug.
 */
import { logLine, MAX_MESSAGE_LENGTH } from "../escape/log-line.ts";

/**
 * Network errors that the clients of siteatlas got from the runtime. This set marks them, because some of them are
 * TypeErrors and would otherwise look like bugs.
 */
const networkErrors = new WeakSet<object>();

/** Marks an error of the network, and returns it. */
export function asNetworkError(error: unknown): unknown {
  if (typeof error === "object" && error !== null) networkErrors.add(error);
  return error;
}

/** The start of the TypeError messages of `fetch` for network failures: Node, Chromium, Safari, Firefox, Deno, Bun. */
const FETCH_MESSAGE =
  /^(?:fetch failed|terminated|Failed to fetch|Load failed|NetworkError\b|network error|error sending request|error reading a body|client error|connection (?:error|closed)|Unable to connect|The (?:operation|socket))/i;

/** Whether the error is a mistake in the caller's code, not a failure of the network. */
export function isCallerBug(error: unknown): error is Error {
  if (!(error instanceof TypeError || error instanceof ReferenceError) || networkErrors.has(error))
    return false;
  const { code, cause, message } = error as Error & { readonly code?: unknown };
  // TypeErrors of Node about a wrong argument have one of these codes. Network errors have other codes, or a cause.
  if (typeof code === "string") return /^ERR_(?:INVALID|MISSING|METHOD)/.test(code);
  return error instanceof ReferenceError || (cause === undefined && !FETCH_MESSAGE.test(message));
}

/**
 * The message of an error that a custom client threw, and the messages of its causes. Undefined for a network error.
 * Control characters and secrets are removed.
 */
export function clientMessage(error: unknown, causes: readonly Error[]): string | undefined {
  const isNetwork = causes.some(
    (cause) =>
      networkErrors.has(cause) ||
      typeof (cause as { readonly code?: unknown }).code === "string" ||
      FETCH_MESSAGE.test(cause.message),
  );
  if (isNetwork) return undefined;
  const messages = causes.length === 0 ? [String(error)] : causes.map(({ name, message }) => message || name);
  return logLine(messages.join(": "), { maxLength: MAX_MESSAGE_LENGTH / 2 });
}
