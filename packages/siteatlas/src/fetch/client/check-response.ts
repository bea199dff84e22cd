/**
 * Checks the responses of a custom client. A response may also be a `Response` of `fetch`, contain a `Headers` object,
 * or have header names in upper case.
 */
import { isUint8Array } from "node:util/types";
import { checkArgument, invalidArgument } from "../../check/check-options.ts";
import { callable, type Rule, rule } from "../../check/rules.ts";
import { logLine } from "../../escape/log-line.ts";
import { causesOf } from "../classify-error.ts";
import type { Client, ClientRequest, ClientResponse } from "./client.ts";
import { fromResponse } from "./fetch-client.ts";

const STATUS: Rule<number> = rule("an integer from 100 to 999", (value) => {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 999;
});

const BODY: Rule<AsyncIterable<Uint8Array>> = rule(
  "an async iterable of Uint8Array, such as a stream",
  (value) => typeof value === "object" && value !== null && Symbol.asyncIterator in value,
);

const HEADERS: Rule<object> = rule(
  "an object with strings, or a Headers object",
  (value) => typeof value === "object" && value !== null,
);

const COUNT: Rule<number> = rule("a whole number of at least 0", (value) => {
  return Number.isInteger(value) && (value as number) >= 0;
});

const CHUNK: Rule<Uint8Array> = rule("a Uint8Array", isUint8Array, (value) =>
  typeof value === "string" ? "Encode it with TextEncoder." : undefined,
);

/** The members of a response that may be undefined. */
const OPTIONAL: readonly (readonly [keyof ClientResponse, Pick<Rule<never>, "allowed" | "find">])[] = [
  ["wireBytes", callable()],
  ["usedBytes", callable()],
  ["codings", COUNT],
  ["isMiscoded", callable()],
  ["cancel", callable()],
];

const CALLER = "client";

/** Wraps a client so that its responses are checked. */
export function checkedClient(client: Client): Client {
  return async (request: ClientRequest) => {
    try {
      return checkResponse(await client(request));
    } catch (error) {
      throw isFetchWithRequest(error) ? notClient(error) : error;
    }
  };
}

/** Checks a chunk of a body. @throws {TypeError} if the chunk is not a Uint8Array */
export function checkChunk(chunk: unknown): void {
  // `instanceof` is the fast test. It fails for bytes of another realm, so `CHUNK` then checks again.
  if (!(chunk instanceof Uint8Array)) checkArgument(CALLER, "each chunk of its body", CHUNK, chunk);
}

/**
 * Whether the caller passed a `fetch` function as the client. Such a function reads the request object as a URL, and
 * its error names the URL "[object Object]".
 */
function isFetchWithRequest(error: unknown): error is TypeError {
  return (
    error instanceof TypeError && causesOf(error).some(({ message }) => /\[object Object\]/.test(message))
  );
}

function notClient(error: TypeError): TypeError {
  return new TypeError(
    `client: it must take a request object, not a URL. If it is a fetch function, pass fetchClient(fetch). ` +
      `It failed with: ${logLine(error.message)}`,
  );
}

/** Checks the result of a client. @throws {TypeError} if the value is not a response */
function checkResponse(response: unknown): ClientResponse {
  if (typeof response !== "object" || response === null) {
    throw invalidArgument(CALLER, "its result", "a response with status, headers and body", response);
  }
  const given = response as ClientResponse;
  if (isFetchResponse(response)) {
    if (response.redirected) {
      throw new TypeError(
        'client: it followed a redirect, but siteatlas follows redirects itself. Pass redirect: "manual" to fetch',
      );
    }
    return fromResponse(response);
  }
  checkArgument(CALLER, "status of its result", STATUS, given.status);
  checkArgument(CALLER, "headers of its result", HEADERS, given.headers);
  checkArgument(CALLER, "body of its result", BODY, given.body);
  for (const [name, allowed] of OPTIONAL) {
    if (given[name] !== undefined) checkArgument(CALLER, `${name} of its result`, allowed, given[name]);
  }
  const { status, body, codings, wireBytes, usedBytes, isMiscoded, cancel } = given;
  return {
    status,
    headers: readHeaders(given.headers),
    body,
    codings,
    wireBytes: wireBytes && (() => checkCount("wireBytes", wireBytes.call(given))),
    usedBytes: usedBytes && (() => checkCount("usedBytes", usedBytes.call(given))),
    isMiscoded: isMiscoded && (() => isMiscoded.call(given)),
    cancel: cancel && (() => cancel.call(given)),
  };
}

function checkCount(name: string, value: unknown): number {
  checkArgument(CALLER, `result of ${name}`, COUNT, value);
  return value as number;
}

/** Recognizes a `Response` by its methods, because it may come from another implementation of fetch. */
function isFetchResponse(value: object): value is Response {
  return "redirected" in value && "arrayBuffer" in value && "headers" in value;
}

/**
 * Returns plain headers with names in lower case. Joins the values of a repeated header, which node:http returns as an
 * array.
 */
function readHeaders(headers: Readonly<Record<string, unknown>>): ClientResponse["headers"] {
  const entries =
    Symbol.iterator in headers
      ? [...(headers as unknown as Iterable<[string, unknown]>)]
      : Object.entries(headers);
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}
