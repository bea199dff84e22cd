/**
 * Explains why a TLS connection failed: by the error code of Node or OpenSSL, and by the certificate if the error
 * contains it. The server chooses its certificate and could put any text into it. So messages quote only names of hosts
 * and issuers that consist of harmless characters (sec-C13).
 */
import type { FailureCause } from "./failure-cause.ts";

/** The parts of `tls.PeerCertificate` that a reason quotes. */
export interface CertificateFacts {
  readonly subjectaltname?: string | undefined;
  readonly subject?: { readonly CN?: string | readonly string[] | undefined } | undefined;
  readonly issuer?: { readonly CN?: string | readonly string[] | undefined } | undefined;
  /** The issuer of the last certificate in the chain. */
  readonly authority?: { readonly CN?: string | readonly string[] | undefined } | undefined;
  /** URLs of the issuer's certificate. Public authorities put them into every certificate. */
  readonly infoAccess?: object | undefined;
  readonly valid_from?: string | undefined;
  readonly valid_to?: string | undefined;
}

export interface TlsFault {
  readonly cause: FailureCause;
  readonly reason: string;
}

type Describe = (certificate: CertificateFacts | undefined) => string | TlsFault;

/**
 * Patterns of error codes, with their cause and their text. The first match counts.
 * Codes: https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const FAULTS: readonly (readonly [RegExp, FailureCause, Describe])[] = [
  [/^CERT_HAS_EXPIRED$/, "certificate-expired", expiredText],
  [/^CERT_NOT_YET_VALID$/, "certificate-not-yet-valid", notYetText],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, "certificate-self-signed", () => "its certificate is self-signed"],
  [/^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH|UND_ERR_PRX_TLS)$/, "certificate-name", nameText],
  [/^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/, "certificate-incomplete", incompleteText],
  [
    /^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|CERT_UNTRUSTED|INVALID_CA)$/,
    "certificate-authority",
    ({ authority } = {}) =>
      `its certificate comes from an authority that is not trusted${quoted(authority?.CN)}`,
  ],
  [/^CERT_REVOKED$/, "certificate-revoked", () => "its certificate is revoked"],
  [
    /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW|NO_PROTOCOLS_AVAILABLE/,
    "tls-version",
    () => "the server supports only TLS versions that are too old",
  ],
  [
    /CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE/,
    "client-certificate",
    () => "the server wants a client certificate",
  ],
  [
    /ALERT_HANDSHAKE_FAILURE/,
    "tls-handshake",
    () => "the server refused the TLS handshake and may want a client certificate",
  ],
  [
    /WRONG_VERSION_NUMBER|HTTP_REQUEST|UNKNOWN_PROTOCOL|PACKET_LENGTH_TOO_LONG|BAD_RECORD_TYPE/,
    "not-tls",
    () => "the server does not use TLS on this port",
  ],
];

const OTHER: TlsFault = { cause: "tls", reason: "the certificate or the TLS connection is not valid" };

/**
 * Explains an error code of Node or OpenSSL.
 *
 * @param certificate the server's certificate, if it is known
 */
export function tlsFault(code: string, certificate?: CertificateFacts): TlsFault {
  const found = FAULTS.find(([pattern]) => pattern.test(code));
  if (found === undefined) return OTHER;
  const reason = found[2](certificate);
  return typeof reason === "string" ? { cause: found[1], reason } : reason;
}

function expiredText({ valid_to: end = "" }: CertificateFacts = {}): string {
  const day = dayOf(end);
  if (day === undefined) return "its certificate has expired";
  // OpenSSL reports this code also if only an intermediate certificate has expired.
  return Date.parse(end) < Date.now()
    ? `its certificate expired on ${day}`
    : "an intermediate certificate has expired";
}

function notYetText({ valid_from: start = "" }: CertificateFacts = {}): string {
  const day = dayOf(start);
  if (day === undefined) return "its certificate is not yet valid";
  // OpenSSL reports this code also if only an intermediate certificate is not yet valid.
  return Date.parse(start) > Date.now()
    ? `its certificate is not valid before ${day}`
    : "an intermediate certificate is not yet valid";
}

/** Maximum number of host names of a certificate in a message. */
const MAX_NAMES = 3;

function nameText(certificate: CertificateFacts | undefined): string {
  const names = certificate === undefined ? [] : namesIn(certificate);
  if (names.length === 0) return "its certificate is for another host";
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return `its certificate is for another host: ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A missing intermediate certificate and a private authority have the same error code of OpenSSL. */
function incompleteText({ issuer, infoAccess }: CertificateFacts = {}): string | TlsFault {
  if (infoAccess !== undefined && Object.keys(infoAccess).some((name) => name.startsWith("CA Issuers"))) {
    return `the server does not send the certificate of its issuer${quoted(issuer?.CN)}`;
  }
  return {
    cause: "certificate-issuer",
    reason: `the issuer of its certificate is not known${quoted(issuer?.CN)}: it is a private authority, or the server does not send an intermediate certificate`,
  };
}

/** The host names of a certificate. `subjectaltname` is a list such as `DNS:example.com, IP Address:192.0.2.1`. */
function namesIn({ subjectaltname: names = "", subject }: CertificateFacts): string[] {
  // Read only the first 20,000 characters: the server may send a list of a megabyte.
  const listed = names
    .slice(0, 20_000)
    .split(", ")
    .map((entry) => entry.replace(/^(?:DNS|IP Address):/, ""));
  const [common = ""] = [subject?.CN ?? []].flat();
  return [...new Set(names === "" ? [common] : listed)].filter((name) => /^[a-z\d*_.:-]{1,253}$/i.test(name));
}

/** The name of an issuer in parentheses. "" if it has characters that could confuse a reader or a terminal. */
function quoted(name: string | readonly string[] | undefined): string {
  const [first = ""] = [name ?? []].flat();
  return /^[\w .,'&()+-]{1,64}$/.test(first) ? ` (${first})` : "";
}

/** Converts a date of a certificate to an ISO date: `Nov 15 05:28:05 2026 GMT` becomes `2026-11-15`. */
function dayOf(text: string): string | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 10);
}
