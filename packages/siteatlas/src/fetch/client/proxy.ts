/**
 * Decides which proxy a request uses. The option `proxy` is the URL of the proxy, or `"environment"`. In the second
 * case, the environment variables HTTPS_PROXY and HTTP_PROXY name the proxies, and NO_PROXY lists the hosts that need
 * none.
 */
import { isIP } from "node:net";
import { type Rule, rule } from "../../check/rules.ts";
import { basicAuthorization, credentialsIn } from "../basic-auth.ts";
import { targetOf } from "../guard/address-policy.ts";
import { isInRanges, parseRange } from "../guard/public-address.ts";
import { isProxyUrl, proxyFault } from "./proxy-url.ts";

export interface HttpProxy {
  /** The URL of the proxy, without credentials. */
  readonly url: URL;
  /** The Proxy-Authorization header. Undefined if the URL had no credentials. */
  readonly authorization: string | undefined;
  /** The environment variable that names the proxy. Undefined if the option `proxy` names it. */
  readonly variable?: string;
}

/** Returns the proxy for a URL. Undefined means a direct connection. */
export type ProxyFor = (url: URL) => HttpProxy | undefined;

/** With this value of the option `proxy`, the environment variables are used. */
const FROM_ENVIRONMENT = "environment";

export const PROXY: Rule<string | URL> = rule(
  `an http or https URL, or "${FROM_ENVIRONMENT}"`,
  (value) => value === FROM_ENVIRONMENT || isProxyUrl(value),
);

/**
 * Returns a function that finds the proxy of a URL, according to the option `proxy`. Undefined without the option.
 *
 * @throws {TypeError} if the option or a variable is not an http or https URL
 */
export function proxyRule(option: string | URL | undefined): ProxyFor | undefined {
  if (option === undefined) return undefined;
  if (option === FROM_ENVIRONMENT) return environmentProxy(process.env);
  const proxy = parseProxy(option, "The proxy");
  return () => proxy;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns a function that finds the proxy of a URL in the environment variables. Undefined if they name no proxy.
 * Requests to `localhost` are always direct, because the proxy would connect to its own machine.
 *
 * @throws {TypeError} if a variable is not an http or https URL
 */
export function environmentProxy(environment: Environment): ProxyFor | undefined {
  const https = readVariable(environment, "https_proxy", "HTTPS_PROXY");
  // Ignore HTTP_PROXY in a CGI script: a CGI server sets it from the header `Proxy` of a request (CVE-2016-5385).
  const isCgi = environment["REQUEST_METHOD"] !== undefined;
  const http = readVariable(environment, "http_proxy", ...(isCgi ? [] : ["HTTP_PROXY"]));
  if (https === undefined && http === undefined) return undefined;
  const isExcluded = readNoProxy(environment["no_proxy"] || environment["NO_PROXY"] || "");
  return (url) => {
    const { host, port } = targetOf(url);
    if (isLoopback(host) || isExcluded(host, port)) return undefined;
    return url.protocol === "https:" ? https : http;
  };
}

/** Whether only NO_PROXY is the reason that a request to this URL uses no proxy. @throws like `environmentProxy` */
export function isExcludedByNoProxy(environment: Environment, url: URL): boolean {
  const all = environmentProxy({ ...environment, no_proxy: undefined, NO_PROXY: undefined });
  return all?.(url) !== undefined && environmentProxy(environment)?.(url) === undefined;
}

function readVariable(environment: Environment, ...names: readonly string[]): HttpProxy | undefined {
  const variable = names.find((name) => environment[name]);
  if (variable === undefined) return undefined;
  const text = environment[variable]!;
  // Like curl, accept a proxy without a scheme, such as `proxy.example.com:3128`.
  const given = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return { ...parseProxy(given, `The environment variable ${variable}`), variable };
}

/** Parses the URL of a proxy. The error message does not contain the URL, because it may contain a password. */
function parseProxy(given: string | URL, name: string): HttpProxy {
  const fault = proxyFault(given);
  if (fault !== undefined) throw new TypeError(`${name} ${fault}`);
  const url = new URL(given);
  const credentials = credentialsIn(url);
  url.username = "";
  url.password = "";
  return { url, authorization: credentials === undefined ? undefined : basicAuthorization(credentials) };
}

/**
 * Parses NO_PROXY: a list of hosts that are requested without a proxy, separated by commas or spaces. An entry is a
 * host (with all its subdomains), a host with a port, an address, or a range of addresses. The entry `*` means all
 * hosts.
 */
function readNoProxy(text: string): (host: string, port: number) => boolean {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "");
  return (host, port) => entries.some((entry) => entry === "*" || matches(entry, host.toLowerCase(), port));
}

function matches(entry: string, host: string, port: number): boolean {
  const range = parseRange(entry);
  if (range !== undefined) return isIP(host) !== 0 && isInRanges([range], host);
  // An IPv6 address without brackets has no port.
  const pattern = isIP(entry) === 0 ? /^(.*?)(?::(\d+))?$/ : /^(.*)$/;
  const [, name = "", given] = pattern.exec(entry) ?? [];
  if (given !== undefined && Number(given) !== port) return false;
  const bare = name.replace(/^\*?\./, "").replace(/^\[(.*)\]$/, "$1");
  const own = host.replace(/\.$/, "");
  return own === bare || own.endsWith(`.${bare}`);
}

const LOOPBACK = [parseRange("127.0.0.0/8")!, parseRange("::1/128")!];

function isLoopback(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/.test(host) || isInRanges(LOOPBACK, host);
}
