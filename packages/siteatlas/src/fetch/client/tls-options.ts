/**
 * Decides which certificates are trusted: those of Node, those that the caller adds, and any certificate of hosts
 * that the caller names.
 */
import { readFileSync } from "node:fs";
import type { SecureContext } from "node:tls";
import { ONE_OR_MORE, type Rule } from "../../check/rules.ts";
import type { TlsFor, TlsRule } from "../guard/socket-connector.ts";

export interface TlsOptions {
  readonly ca?: string | readonly string[] | undefined;
  readonly insecure?: readonly string[] | undefined;
}

/** @throws {TypeError} if `ca` contains no certificate */
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

/** A private key may be here by mistake, so the message does not contain the text. */
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

/** Node loads this module for the first https connection. An import would load it for every walk. */
function tls(): typeof import("node:tls") {
  return process.getBuiltinModule("node:tls");
}

/**
 * The authorities that Node trusts, with the file of NODE_EXTRA_CA_CERTS. The option `ca` of a secure context would
 * replace both.
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
    // Node has printed a warning about the file when it started.
    return rootCertificates;
  }
}
