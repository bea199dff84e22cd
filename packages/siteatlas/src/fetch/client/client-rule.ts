/** The rule for the option `client`. Without this check, a wrong client would fail only later, after retries. */
import type { Fault, Rule } from "../../check/rules.ts";
import type { Client, ResponseClient } from "./client.ts";

const ALLOWED = "a function that sends a request, such as fetchClient(fetch) or createNodeClient()";

export const CLIENT: Rule<Client | ResponseClient> = {
  allowed: ALLOWED,
  find: (value) => {
    if (typeof value !== "function") return { path: "", value, allowed: ALLOWED };
    if (value === globalThis.fetch) {
      return { path: "", value, allowed: ALLOWED, shown: "fetch itself", hint: "Pass fetchClient(fetch)." };
    }
    return wrapsFault(value as Client);
  },
};

/**
 * Finds a mistake in the property `wraps`. If clients wrapped each other in a cycle, the search for the innermost
 * client would never end.
 */
function wrapsFault(client: Client): Fault | undefined {
  const seen = new Set<unknown>([client]);
  let path = "";
  for (let value: unknown = client.wraps; value !== undefined; value = (value as Client).wraps) {
    path += ".wraps";
    if (typeof value !== "function") return { path, value, allowed: "a client, which is a function" };
    if (seen.has(value)) {
      return { path, value, allowed: "a client that does not wrap this one", shown: "a cycle of clients" };
    }
    seen.add(value);
  }
  return undefined;
}
