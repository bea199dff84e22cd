/**
 * Decides which hosts and addresses a client may connect to: public addresses, hosts and addresses that the caller
 * allows, and the homepage that the caller passed. A link-local address is allowed only if the allow list contains this
 * address. Cloud metadata services are always blocked.
 */
import { isIP } from "node:net";
import { type Rule, rule } from "../../check/rules.ts";
import { maskNoUrl } from "../../escape/userinfo.ts";
import { type AddressRange, addressKind, embeddedIpv4, isInRanges, parseRange } from "./public-address.ts";

/**
 * Hosts and addresses that are allowed in addition to public addresses:
 * - `intranet.example.com`, `10.1.2.3`, `[fd00::1]`: a host as written in URLs, on any port and any address;
 * - `localhost:8080`: a host on this port only. This also allows a port that is usually blocked;
 * - `10.1.0.0/16`: a range of addresses, for any host.
 *
 * A link-local address (169.254.0.0/16, fe80::/10) is allowed only if an entry is exactly this address, such as
 * `169.254.10.1` or `[fe80::1]:8080`, and the host of the URL is this address. No entry allows a cloud metadata
 * service.
 *
 * Instead of a list, a function may be passed. It is called with each private address, and returns whether the address
 * is allowed. It is meant for tests that use addresses of 127.0.0.0/8 in place of public addresses.
 */
export type AllowList = readonly string[] | ((address: string) => boolean);

export interface AddressPolicyOptions {
  readonly allowPrivateNetworks?: boolean | undefined;
  readonly allow?: AllowList | undefined;
  readonly homepage?: string | URL | readonly (string | URL)[] | undefined;
}

/** Whether the client may connect to a host that has these addresses. */
export type Admit = (addresses: readonly string[]) => boolean;

export class AddressPolicy {
  readonly #allowsPrivateNetworks: boolean;
  readonly #hosts: ReadonlySet<string>;
  readonly #isAllowedAddress: (address: string) => boolean;
  /**
   * Hosts of the caller's homepages that are IP addresses or `localhost`, with their ports, such as `localhost:3000`.
   */
  readonly #homepages: ReadonlySet<string>;

  constructor({ allowPrivateNetworks = false, allow = [], homepage = [] }: AddressPolicyOptions) {
    this.#allowsPrivateNetworks = allowPrivateNetworks;
    this.#homepages = new Set([homepage].flat().flatMap(privateHost));
    if (typeof allow === "function") {
      this.#hosts = new Set();
      this.#isAllowedAddress = allow;
      return;
    }
    const hosts = new Set<string>();
    const ranges: AddressRange[] = [];
    for (const entry of allow) {
      const range = parseRange(entry);
      if (range === undefined) hosts.add(readHost(entry));
      else ranges.push(range);
    }
    this.#hosts = hosts;
    this.#isAllowedAddress = (address) => isInRanges(ranges, address);
  }

  /**
   * Returns the function that checks the addresses of this host. There are only three such functions, so that the guard
   * can cache a connector for each of them. `host` must be normalized by `URL`.
   */
  admitFor(host: string, port: number): Admit {
    if (this.#hosts.has(withBrackets(host)) || this.namesPort(host, port)) {
      return isIP(host) === 0 ? this.#admitNamed : this.#admitLiteral;
    }
    return this.#homepages.has(hostAndPort(host, port)) ? this.#admitNamed : this.#admit;
  }

  /** Whether the allow list contains this host with this port, such as `localhost:8080`. */
  namesPort(host: string, port: number): boolean {
    return this.#hosts.has(hostAndPort(host, port));
  }

  /** Whether `admit` accepts private addresses. If so, it rejects only link-local addresses and metadata services. */
  allowsPrivate(admit: Admit): boolean {
    return this.#allowsPrivateNetworks || admit === this.#admitNamed;
  }

  readonly #admit: Admit = (addresses) => addresses.every((address) => this.#isAllowed(address));

  readonly #admitNamed: Admit = (addresses) =>
    addresses.every((address) => isPrivate(address) || this.#isAllowed(address));

  readonly #admitLiteral: Admit = (addresses) =>
    addresses.every((address) => !["metadata", undefined].includes(addressKind(address)));

  #isAllowed(address: string): boolean {
    const kind = addressKind(address);
    if (kind !== "private") return kind === "public";
    if (this.#allowsPrivateNetworks) return true;
    // An embedded IPv4 address must itself be allowed. The entry `64:ff9b::/96` allows NAT64 addresses of public hosts,
    // but not of private ones.
    return this.#isAllowedAddress(address) && embeddedIpv4(address).every((inner) => this.#isAllowed(inner));
  }
}

/** The host and port of a homepage, if its host is an IP address or `localhost`. Otherwise an empty list. */
function privateHost(homepage: string | URL): string[] {
  const text = String(homepage);
  if (!URL.canParse(text)) throw new TypeError(`The homepage "${maskNoUrl(text)}" is not a URL`);
  const { host, port } = targetOf(new URL(text));
  // Other host names must be in the allow list: a DNS entry of an untrusted site could point to a private address.
  return literalAddress(host) === undefined ? [] : [hostAndPort(host, port)];
}

/**
 * Whether the host of a URL is a private address or `localhost`, and the options do not allow it. Other host names may
 * also resolve to a private address. The guard checks them when the client connects.
 */
export function isBlockedLiteral(url: string, options: Omit<AddressPolicyOptions, "homepage">): boolean {
  const { host, port } = targetOf(new URL(url));
  const address = literalAddress(host);
  if (address === undefined || !isPrivate(address)) return false;
  return !new AddressPolicy(options).admitFor(host, port)([address]);
}

/** The address of a host that needs no DNS: an IP address or `localhost`. Undefined for other hosts. */
function literalAddress(host: string): string | undefined {
  if (isIP(host) !== 0) return host;
  return /^(?:.+\.)?localhost\.?$/.test(host) ? "127.0.0.1" : undefined;
}

function isPrivate(address: string): boolean {
  return addressKind(address) === "private";
}

interface Target {
  readonly hostname: string;
  readonly port: string;
  readonly protocol: string;
}

/** Returns the host without IPv6 brackets, and the port. Without a port: 443 for https, 80 for http. */
export function targetOf({ hostname, port, protocol }: Target): { host: string; port: number } {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return { host, port: Number(port || (protocol === "https:" ? 443 : 80)) };
}

function hostAndPort(host: string, port: number): string {
  return `${withBrackets(host)}:${port}`;
}

/** Adds brackets to an IPv6 address. Without them, the address and a port could be read as another address. */
function withBrackets(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

export const ALLOWED_HOST: Rule<string> = rule(
  "a host, a host with a port, or a range of addresses",
  (value) => typeof value === "string" && (parseRange(value) ?? parseHost(value)) !== undefined,
);

/** Parses a host with or without a port and normalizes it like `URL`. */
function parseHost(entry: string): string | undefined {
  const [, host = "", port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(withBrackets(entry)) ?? [];
  const url = /[\s/\\?#@*]/.test(host) ? undefined : `http://${host}`;
  if (url === undefined || !URL.canParse(url) || Number(port ?? 0) > 65_535) return undefined;
  const { hostname } = new URL(url);
  return port === undefined ? hostname : `${hostname}:${Number(port)}`;
}

function readHost(entry: string): string {
  const host = parseHost(entry);
  if (host === undefined) throw cannotAllow(entry);
  return host;
}

function cannotAllow(entry: string): TypeError {
  return new TypeError(
    `Cannot allow ${JSON.stringify(maskNoUrl(entry))}: it must be a host, a host with a port, or a range of addresses`,
  );
}
