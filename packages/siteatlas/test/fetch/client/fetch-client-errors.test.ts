/** Errors as thrown by the runtimes. `npm run test:runtimes` has the runtimes themselves. */
import { expect, it } from "vitest";
import { classifyCut, classifyError } from "../../../src/fetch/classify-error.ts";
import { withNodeCode } from "../../../src/fetch/client/fetch-client-errors.ts";

const deno = (text: string): Error => new TypeError("fetch failed", { cause: new Error(text) });
const bun = (code: string): Error => Object.assign(new TypeError(`${code} fetching "http://x/"`), { code });
const sent = "error sending request for url (http://x/): client error";

it.each<[string, Error, string]>([
  [
    "Deno, no connection",
    deno(`${sent} (Connect): tcp connect error: Connection refused`),
    "http.connection",
  ],
  ["Deno, no such name", deno(`${sent} (Connect): dns error: failed to lookup address`), "http.dns"],
  [
    "Deno, no TLS",
    deno(`${sent} (Connect): received corrupt message of type InvalidContentType`),
    "http.tls",
  ],
  ["Deno, certificate", deno(`${sent} (Connect): invalid peer certificate: UnknownIssuer`), "http.tls"],
  ["Deno, no HTTP", deno(`${sent} (SendRequest): invalid HTTP version parsed`), "http.protocol"],
  ["Deno, too long", deno(`${sent} (SendRequest): message head is too large`), "http.protocol"],
  [
    "Deno, closed",
    deno(`${sent} (SendRequest): connection closed before message completed`),
    "http.connection",
  ],
  ["Bun, no HTTP", bun("Malformed_HTTP_Response"), "http.protocol"],
  ["Bun, too long", bun("ResponseHeadersTooLarge"), "http.protocol"],
  ["Bun, no connection", bun("ECONNREFUSED"), "http.connection"],
  // Text chosen by the server must not be taken for a message of the runtime.
  [
    "a URL that contains the message",
    deno("error sending request for url (http://x/client%20error%20(Connect):): reset"),
    "http.connection",
  ],
])("%s is %s", (_, error, code) => {
  const named = withNodeCode(error);
  expect(classifyError(named).code).toBe(code);
  expect(classifyError(named).connecting).toBe(/no connection|no such name|no TLS|certificate/.test(_));
});

it.each([bun("ZlibError"), Object.assign(new Error("incorrect header check"), { code: "Z_DATA_ERROR" })])(
  "a body that contradicts its Content-Encoding: %s",
  (error) => {
    expect(classifyCut(withNodeCode(new TypeError("terminated", { cause: error })))).toBe(
      "http.bad-content-encoding",
    );
  },
);

it("returns unknown errors unchanged, and keeps the original as the cause", () => {
  const other = new Error("other");
  expect(withNodeCode(other)).toBe(other);
  expect(withNodeCode("text")).toBe("text");
  const circle = new Error("circle");
  circle.cause = new Error("inner", { cause: new Error("innermost", { cause: circle }) });
  expect(withNodeCode(circle)).toBe(circle);
  const error = bun("ZlibError");
  expect((withNodeCode(error) as Error).cause).toBe(error);
});
