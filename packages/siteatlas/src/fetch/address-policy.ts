/**
 * Which hosts and addresses a client may connect to: public ones, those that the caller allows, and the
 * homepage that the caller named. Metadata services of clouds never.
 */
import { isIP } from "node:net";
import { maskNoUrl } from "../sinks/userinfo.ts";
import { type AddressRange, addressKind, embeddedIpv4, isInRanges, parseRange } from "./address.ts";

/**
 * What is allowed besides public addresses:
 * - `intranet.example.com`, `10.1.2.3`, `[fd00::1]`: what URLs call so, on any port, whatever address it has;
 * - `localhost:8080`: the same on this port alone, even if it is one that browsers refuse;
 * - `10.1.0.0/16`: addresses, whoever has them.
 *
 * A function is asked for each address that is not public. It is there for tests, where addresses of
 * 127.0.0.0/8 play public ones.
 */
export type AllowList = readonly string[] | ((address: string) => boolean);

export interface AddressPolicyOptions {
  readonly allowPrivateNetworks?: boolean | undefined;
  readonly allow?: AllowList | undefined;
  readonly homepage?: string | undefined;
}

/** Whether a host that has these addresses, one or more, may be connected to. */
export type Admit = (addresses: readonly string[]) => boolean;

export class AddressPolicy {
  readonly allowsPrivateNetworks: boolean;
  readonly #hosts: ReadonlySet<string>;
  readonly #isAllowedAddress: (address: string) => boolean;
  readonly #homepage: string | undefined;

  constructor({ allowPrivateNetworks = false, allow = [], homepage }: AddressPolicyOptions) {
    this.allowsPrivateNetworks = allowPrivateNetworks;
    if (homepage !== undefined) {
      if (!URL.canParse(homepage)) throw new TypeError(`The homepage "${maskNoUrl(homepage)}" is not a URL`);
      const { host, port } = targetOf(new URL(homepage));
      // Any other name is given by its owner's DNS, which may point it at us: it has to be allowed by name.
      if (isIP(host) !== 0 || /^(?:.+\.)?localhost\.?$/.test(host)) this.#homepage = hostAndPort(host, port);
    }
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

  /** One of two rules, always the same functions. The host as the URL parser writes it. */
  admitFor(host: string, port: number): Admit {
    const isNamed =
      this.#hosts.has(withBrackets(host)) ||
      this.namesPort(host, port) ||
      hostAndPort(host, port) === this.#homepage;
    return isNamed ? this.#admitNamed : this.#admit;
  }

  /** The caller named this port of this host. */
  namesPort(host: string, port: number): boolean {
    return this.#hosts.has(hostAndPort(host, port));
  }

  readonly #admit: Admit = (addresses) => addresses.every((address) => this.#isAllowed(address));

  readonly #admitNamed: Admit = (addresses) =>
    addresses.every((address) => isPrivate(address) || this.#isAllowed(address));

  #isAllowed(address: string): boolean {
    const kind = addressKind(address);
    if (kind !== "private") return kind === "public";
    if (this.allowsPrivateNetworks) return true;
    // An IPv4 address inside it must be allowed itself: `64:ff9b::/96` opens NAT64, not what is behind it.
    return this.#isAllowedAddress(address) && embeddedIpv4(address).every((inner) => this.#isAllowed(inner));
  }
}

function isPrivate(address: string): boolean {
  return addressKind(address) === "private";
}

interface Target {
  readonly hostname: string;
  readonly port: string;
  readonly protocol: string;
}

/** The host without the brackets of IPv6, and the port, whether it is written or not. */
export function targetOf({ hostname, port, protocol }: Target): { host: string; port: number } {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return { host, port: Number(port || (protocol === "https:" ? 443 : 80)) };
}

function hostAndPort(host: string, port: number): string {
  return `${withBrackets(host)}:${port}`;
}

/** Without them, an IPv6 address and its port could be another address. */
function withBrackets(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** A host with or without its port, as the URL parser writes hosts. */
function readHost(entry: string): string {
  const [, host = "", port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(withBrackets(entry)) ?? [];
  const url = /[\s/\\?#@*]/.test(host) ? undefined : `http://${host}`;
  if (url === undefined || !URL.canParse(url) || Number(port ?? 0) > 65_535) throw cannotAllow(entry);
  const { hostname } = new URL(url);
  return port === undefined ? hostname : `${hostname}:${Number(port)}`;
}

function cannotAllow(entry: string): TypeError {
  return new TypeError(
    `Cannot allow ${JSON.stringify(maskNoUrl(entry))}: it is not a host, a host with its port or a range of addresses`,
  );
}
