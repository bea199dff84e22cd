/**
 * Decides which certificates are trusted: certificates of authorities that Node trusts or the caller adds (`ca`), and
 * every certificate of the hosts in `insecure`.
 */
import { readFileSync } from "node:fs";
import type { SecureContext } from "node:tls";
import { ONE_OR_MORE, type Rule } from "../../check/rules.ts";
import type { TlsFor, TlsRule } from "../guard/socket-connector.ts";

export interface TlsOptions {
  readonly ca?: string | readonly string[] | undefined;
  readonly insecure?: readonly string[] | undefined;
}

/**
 * Returns a function that finds the TLS options of a host, according to `ca` and `insecure`.
 *
 * @throws {TypeError} if `ca` contains no certificate
 */
export function tlsRules({ ca, insecure = [] }: TlsOptions): TlsFor {
  const authorities = ca === undefined ? undefined : readAuthorities(ca);
  const hosts = new Set(insecure.map((host) => host.toLowerCase().replace(/^\[(.*)\]$/, "$1")));
  let context: SecureContext | undefined;
  const verified: TlsRule = () => {
    if (authorities === undefined) return {};
    // Parsing all certificates takes some milliseconds, so all connections share the result.
    context ??= tls().createSecureContext({ ca: [...defaultAuthorities(), ...authorities] });
    return { secureContext: context };
  };
  const unverified: TlsRule = () => ({ rejectUnauthorized: false });
  return (host) => (hosts.has(host.toLowerCase()) ? unverified : verified);
}

const PEM = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]+-----END (?:TRUSTED )?CERTIFICATE-----/g;

const CERTIFICATES_ALLOWED = "one or more certificates in PEM format";

/**
 * The rule for the option `ca`. Its error message does not contain the value, which may be a private key by mistake.
 */
export const CERTIFICATES: Rule<string | readonly string[]> = {
  allowed: CERTIFICATES_ALLOWED,
  find: (value) => {
    const fault = ONE_OR_MORE.find(value);
    if (fault !== undefined) return { ...fault, allowed: CERTIFICATES_ALLOWED };
    const isFound = [value].flat().some((text) => String(text).match(PEM) !== null);
    return isFound ? undefined : { path: "", value, allowed: CERTIFICATES_ALLOWED, isSecret: true };
  },
};

function readAuthorities(ca: string | readonly string[]): string[] {
  const found = [ca].flat().flatMap((text) => String(text).match(PEM) ?? []);
  if (found.length === 0) throw new TypeError("The option ca must contain a certificate in PEM format");
  return found;
}

/** Loads node:tls when it is needed. An import would load it for every walk, even without https connections. */
function tls(): typeof import("node:tls") {
  return process.getBuiltinModule("node:tls");
}

/**
 * The authorities that Node trusts, and the authorities in the file that NODE_EXTRA_CA_CERTS names. They must be passed
 * explicitly, because the option `ca` of a secure context replaces them.
 */
function defaultAuthorities(): readonly string[] {
  const { rootCertificates, getCACertificates } = tls() as typeof import("node:tls") & {
    /** Exists since Node 22.15. */
    readonly getCACertificates?: (type: "default") => string[];
  };
  if (getCACertificates !== undefined) return getCACertificates("default");
  const extra = process.env["NODE_EXTRA_CA_CERTS"];
  if (!extra) return rootCertificates;
  try {
    return [...rootCertificates, ...(readFileSync(extra, "utf8").match(PEM) ?? [])];
  } catch {
    // The file cannot be read. Node printed a warning about it at its start.
    return rootCertificates;
  }
}
