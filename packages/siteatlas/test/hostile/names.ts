/**
 * Names for walks that must not leave loopback: each resolves to a loopback address, and these addresses stand
 * for public ones unless a case says otherwise.
 */
import type { LookupFunction } from "node:net";
import type { NodeClientOptions } from "../../src/fetch/client/node-client.ts";

/** The addresses of a name; undefined for a name that does not exist. */
export type Resolve = (name: string) => string | readonly string[] | undefined;

/** For `clientOptions`. Without an argument every name is 127.0.0.1. */
export function namesAt(
  resolve: Resolve = () => "127.0.0.1",
  isPublic: (address: string) => boolean = () => true,
): Pick<NodeClientOptions, "lookup" | "allow"> {
  const lookup: LookupFunction = (name, _options, callback) => {
    const found = resolve(name);
    const addresses = typeof found === "string" ? [found] : (found ?? []);
    if (addresses.length === 0) {
      callback(Object.assign(new Error("No such name"), { code: "ENOTFOUND" }), []);
      return;
    }
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { lookup, allow: isPublic };
}
