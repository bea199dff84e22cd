/** Messages about a host that did not respond. They say what happened, who is at fault, and what may help. */

import { logLine } from "../../escape/log-line.ts";
import { isExcludedByNoProxy } from "../../fetch/client/proxy.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { flagOfLimit, type Settings } from "../config/flags.ts";
import { SITEMAP_FILE } from "../config/local-files.ts";
import type { Target } from "../config/target.ts";
import { addressKindOf, failureReason } from "./failure-texts.ts";

/** A request that got no response. */
export interface NoAnswer {
  /** The URL that was requested last, after redirects. */
  readonly url: string;
  readonly code: IssueCode;
  readonly reason: string;
  readonly cause?: string | undefined;
}

interface Answer {
  readonly text: string;
  readonly hint: string;
}

/** Explains why a host did not respond or was not requested, and what to do next. */
export function noAnswer(target: Target, failure: NoAnswer, settings: Settings): Answer {
  const host = hostOf(failure.url) ?? target.name;
  // After a redirect to another host, the text and the hint name the host that failed.
  const { text, hint } = explain({ ...target, name: host }, failure, settings);
  if (host === target.name) return { text, hint };
  const where =
    failure.code === "http.dns" ? `${hostnameOf(host)}, which cannot be found` : `another host: ${text}`;
  return { text: `${target.name} redirects to ${where}`, hint };
}

/** Removes the port: `example.com:8080` becomes `example.com`. */
export function hostnameOf(name: string): string {
  return name.replace(/:\d+$/, "");
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

function explain(target: Target, failure: NoAnswer, settings: Settings): Answer {
  const { allowPrivate } = settings;
  const { name } = target;
  switch (failure.code) {
    case "http.dns":
      return {
        // Do not show the port: in `user:1234`, it may be a password.
        text: `cannot find the host ${hostnameOf(name)}${noFileText(target)}`,
        hint: `Check the spelling and your connection. ${directHint(target, settings)}`,
      };
    case "http.blocked-address":
      return blockedAddress(name, failure.url, allowPrivate);
    case "http.blocked-port":
      return {
        text: `siteatlas does not connect to ${portOf(name)}: it is reserved for another protocol`,
        hint: `Connect anyway with --allow ${name}.`,
      };
    case "http.downgrade":
      return {
        // The redirect to http was not followed, so `failure.url` is the https URL that redirects.
        text: `${name} ${failure.url.startsWith("https:") ? "redirects to" : "uses"} plain http`,
        hint: "Allow that by removing --https-only.",
      };
    case "http.redirect-loop":
      return { text: `${name} redirects in a loop`, hint: COOKIE_HINT };
    case "http.too-many-redirects":
      return { text: `cannot read ${name}: ${failureReason(failure) ?? failure.code}`, hint: COOKIE_HINT };
    case "http.status":
      return {
        text: `cannot read ${name}: ${failureReason(failure) ?? failure.code}`,
        hint: "Try again later.",
      };
    case "http.timeout":
      return timedOut(target, failure);
    case "limit.time":
      return {
        text: `${name} did not answer before the deadline`,
        hint: "Wait longer with --deadline 2h.",
      };
    case "http.tls":
      return tlsFailed(target, failure, settings);
    case "http.connection":
      return notConnected(target, failure, settings);
    case "http.proxy":
      return { text: failure.reason, hint: proxyHint(failure) };
    default:
      return {
        text: `cannot read ${name}: ${failureReason(failure) ?? failure.code}`,
        hint: otherSchemeHint(target, settings) ?? "Is this a web server?",
      };
  }
}

function blockedAddress(name: string, url: string, allowPrivate = false): Answer {
  const kind = addressKindOf(url);
  if (kind === "metadata") {
    return {
      text: `${name} is a cloud metadata address and is always refused`,
      hint: "Such services hand out this machine's credentials, so no flag allows them.",
    };
  }
  if (kind === "link-local") {
    return {
      text: `${name} is not requested because it is a link-local address`,
      hint: `Allow it with --allow ${name}. --allow-private is not enough.`,
    };
  }
  // --allow-private allows all addresses except link-local addresses and metadata services.
  return allowPrivate
    ? {
        text: `${name} is not requested because its address is link-local or belongs to a cloud metadata service`,
        hint: "No flag allows a name with such an address. A link-local address must be in the URL instead of the name.",
      }
    : {
        text: `${name} is not requested because it has a private address`,
        hint: `Allow it with --allow ${name}, or all private addresses with --allow-private.`,
      };
}

const COOKIE_HINT = "It may expect a cookie. Send one with -H 'Cookie: name=value'.";

/** The port as messages name it: for `example.com:6667`, `port 6667 of example.com`. */
function portOf(name: string): string {
  return name.replace(/^(.*):(\d+)$/, "port $2 of $1");
}

/**
 * Text which says that no such file exists, for a name that looks like a file, such as `nosuch.xml` or `folder/a.xml`.
 * Empty for other names.
 */
function noFileText({ name, url, isCompleted }: Target): string {
  const { host, pathname } = new URL(url);
  if (!isCompleted || host !== name) return "";
  if (SITEMAP_FILE.test(name)) return ", and no such file exists";
  return !name.includes(".") && SITEMAP_FILE.test(pathname)
    ? `, and the file ${logLine(name + pathname, { maxLength: 100 })} does not exist`
    : "";
}

// ---------------------------------------------------------------- timeouts and connections

/** The texts for each timeout: the limit that was exceeded, and a longer time to suggest. */
const TIMEOUTS: Readonly<Record<string, readonly [limit: string, longer: string]>> = {
  "headers-timeout": ["headersMs", "2m"],
  "idle-timeout": ["idleMs", "2m"],
  "request-timeout": ["requestMs", "10m"],
};

function timedOut({ name }: Target, { reason, cause = "" }: NoAnswer): Answer {
  const [limit, longer] = TIMEOUTS[cause] ?? ["headersMs", "2m"];
  const isNamed = cause in TIMEOUTS && reason.startsWith("the server ");
  return {
    text: isNamed ? reason.replace("the server", name) : `${name} did not answer in time`,
    hint: `Wait longer with ${flagOfLimit(limit)} ${longer}.`,
  };
}

const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  "connection-refused": "connection refused",
  "connection-timeout": "timed out",
  "network-unreachable": "network unreachable",
};

function notConnected(target: Target, { cause = "" }: NoAnswer, settings: Settings): Answer {
  const why = CONNECTION_WORDS[cause];
  const other = otherSchemeHint(target, settings);
  const isReset = cause === "connection-reset";
  // Suggest the other scheme only if the user did not type one, or the connection was reset. The server may listen only
  // on the other port.
  const isOther = target.isCompleted || isReset;
  return {
    text: isReset
      ? `${target.name} closed the connection without an answer`
      : `cannot connect to ${target.name}${why === undefined ? "" : ` (${why})`}`,
    hint:
      (isOther ? other : undefined) ??
      (isReset ? "Is this a web server?" : `Is the server running? ${directHint(target, settings)}`),
  };
}

/** Says how to use a proxy after a direct connection failed. */
function directHint({ url }: Target, { proxy }: Settings): string {
  if (proxy === false) return "Behind a proxy, remove --no-proxy, or replace it by --proxy URL.";
  return isExcludedByNoProxy(process.env, new URL(url))
    ? "The proxy is not used, because NO_PROXY lists this host."
    : "Behind a proxy, add --proxy URL.";
}

/** Suggests the same URL with http instead of https, or the other way round: a server may support only one of them. */
export function otherSchemeHint({ url, isCompleted }: Target, { httpsOnly }: Settings): string | undefined {
  if (url.startsWith("http:")) return `If it uses TLS, try ${url.replace("http:", "https:")}`;
  return isCompleted && !httpsOnly
    ? `If it uses plain http, try ${url.replace("https:", "http:")}`
    : undefined;
}

// ---------------------------------------------------------------- TLS

const INSECURE = "skip the check with --insecure";
const TRUST = `Trust its authority with --cacert FILE or NODE_EXTRA_CA_CERTS, or ${INSECURE}.`;

/**
 * The hint for servers with an old TLS version. Without the second flag, OpenSSL 3 has no cipher for such a version.
 */
const OLD_TLS = "NODE_OPTIONS='--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0' siteatlas …";

const TLS_HINTS: Readonly<Record<string, string>> = {
  "certificate-expired": `The site has to renew it. Until then, ${INSECURE}.`,
  "certificate-not-yet-valid": `Check the clock of this computer. If it is right, ${INSECURE}.`,
  "certificate-self-signed": `Trust it with --cacert FILE or NODE_EXTRA_CA_CERTS, or ${INSECURE}.`,
  "certificate-name": `Use a host name that the certificate covers, or ${INSECURE}.`,
  "certificate-incomplete": `The site has to send its intermediate certificate. Until then, add it with --cacert FILE, or ${INSECURE}.`,
  "certificate-issuer": `If it is a private authority, trust it with --cacert FILE or NODE_EXTRA_CA_CERTS. If not, the site has to send its intermediate certificate. Until then, ${INSECURE}.`,
  "certificate-authority": TRUST,
  "certificate-revoked": "The site has to get a new one.",
  "client-certificate": "siteatlas sends none. A proxy that adds one can help: --proxy URL.",
  "tls-handshake": "siteatlas sends no client certificate. A proxy that adds one can help: --proxy URL.",
  "tls-version": `Allow TLS 1.0 and 1.1, which are not secure: ${OLD_TLS}`,
};

function tlsFailed(target: Target, { reason, cause = "" }: NoAnswer, settings: Settings): Answer {
  const { name, url } = target;
  if (cause === "not-tls") {
    const hint = settings.httpsOnly
      ? "Allow plain http by removing --https-only."
      : `Use http: ${url.replace("https:", "http:")}`;
    return { text: `${name} does not use TLS`, hint };
  }
  const text = reason
    .replace(/^its certificate/, `the certificate of ${name}`)
    .replace(/^an intermediate certificate/, `an intermediate certificate of ${name}`)
    .replace(/^the issuer of its certificate/, `the issuer of the certificate of ${name}`)
    .replace(/^the server (?=does not send)/, `the certificate of ${name} cannot be verified: the server `)
    .replace(/^the server (?!does not send)/, `${name} `);
  const isNamed = text !== reason;
  return {
    text: isNamed ? text : `the TLS connection to ${name} failed`,
    hint:
      TLS_HINTS[cause] ??
      otherSchemeHint(target, settings) ??
      (settings.insecure
        ? `If the server is old, allow TLS 1.0 and 1.1: ${OLD_TLS}`
        : `Trust its certificate with --cacert FILE, or ${INSECURE}.`),
  };
}

// ---------------------------------------------------------------- proxies

const PROXY_HINT = "Name another proxy with --proxy URL, or connect directly with --no-proxy.";

function proxyHint({ cause = "", reason }: NoAnswer): string {
  if (reason.includes("rejected the user name")) return "Check the user name and password in its URL.";
  return PROXY_HINTS[cause] ?? PROXY_HINT;
}

const PROXY_HINTS: Readonly<Record<string, string>> = {
  "proxy-authentication": "Put them into its URL: --proxy http://user:password@host:port.",
  "proxy-gateway":
    "Check the spelling of the host: the proxy resolves it. Or connect directly with --no-proxy.",
};
