/**
 * Classifies addresses for ssrf-guard.ts. Only addresses that are known to be public count as public. Ranges:
 * https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry.
 *
 * Addresses must come from the resolver, a socket or the URL parser. Short forms (`127.1`, `0x7f000001`) are not
 * recognized here, because the URL parser has already normalized them.
 */
import { isIP } from "node:net";
import { METADATA_ADDRESSES } from "./metadata-services.ts";

/**
 * The kind of an IP address:
 * - `public`: globally reachable.
 * - `private`: this machine or its network, or reserved.
 * - `link-local`: 169.254.0.0/16 and fe80::/10.
 * - `metadata`: a cloud metadata service. It gives credentials to any request from inside the cloud.
 */
export type AddressKind = "public" | "private" | "link-local" | "metadata";

/**
 * A range such as `10.0.0.0/8`. Node's BlockList is not used: it is slower and treats all of IPv4 as part of `::/8`.
 */
export interface AddressRange {
  readonly bytes: readonly number[];
  readonly prefix: number;
}

/** The only allocated part of IPv6. No other IPv6 address is public. */
const GLOBAL_IPV6 = rangesOf(["2000::/3"]);

/** Ranges of IPv4 and of `2000::/3` that are not public. */
const PRIVATE = rangesOf([
  "0.0.0.0/8", // "this network". On Linux, 0.0.0.0 is this machine
  "10.0.0.0/8",
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT relays
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16",
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
  "2001::/23", // protocol assignments: Teredo, benchmarks, ORCHID
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
]);

/** Link-local ranges. Services of clouds, hypervisors and container engines use these addresses. */
const LINK_LOCAL = rangesOf(["169.254.0.0/16", "fe80::/10"]);

const METADATA = METADATA_ADDRESSES.map((address): AddressRange => {
  const bytes = bytesOf(address)!;
  return { bytes, prefix: 8 * bytes.length };
});

/** The kinds of addresses, from the most to the least dangerous. */
const KINDS: readonly AddressKind[] = ["metadata", "link-local", "private", "public"];

/**
 * Returns the kind of an address. Undefined if the text is not an address. If an IPv6 address embeds an IPv4 address,
 * the more dangerous of the two kinds counts, because a router or this machine may send the request to the IPv4
 * address.
 */
export function addressKind(address: string): AddressKind | undefined {
  const bytes = bytesOf(address);
  if (bytes === undefined) return undefined;
  const kinds = new Set([bytes, ...embedded(bytes)].map(kindOf));
  // An address with a zone (`2001:db8::1%eth0`) is valid only on one link, so it is not public.
  if (address.includes("%")) kinds.add("private");
  return KINDS.find((kind) => kinds.has(kind));
}

function kindOf(bytes: readonly number[]): AddressKind {
  if (isIn(METADATA, bytes)) return "metadata";
  if (isIn(LINK_LOCAL, bytes)) return "link-local";
  const isGlobal = bytes.length === 4 || isIn(GLOBAL_IPV6, bytes);
  return isGlobal && !isIn(PRIVATE, bytes) ? "public" : "private";
}

/**
 * The IPv4 addresses that an IPv6 address embeds. A router or this machine may send a request to them. Forms: mapped,
 * compatible, translated, NAT64, 6to4, Teredo (server and client) and ISATAP.
 */
export function embeddedIpv4(address: string): string[] {
  return embedded(bytesOf(address) ?? []).map((bytes) => bytes.join("."));
}

function embedded(bytes: readonly number[]): number[][] {
  if (bytes.length !== 16) return [];
  const group = (n: number): number => bytes[2 * n]! * 256 + bytes[2 * n + 1]!;
  const at = (...positions: readonly number[]): number[] => positions.map((n) => bytes[n]!);
  const last = at(12, 13, 14, 15);
  const [a, b, c, d, e, f] = [group(0), group(1), group(2), group(3), group(4), group(5)];
  const zeros = bytes.findIndex((byte) => byte !== 0);
  // `::` and `::1` are not IPv4-compatible addresses.
  if (zeros < 0 || zeros > 12) return [];
  const found: number[][] = [];
  if (zeros >= 8 && [0, 0xffff, 0xffff_0000].includes(e * 0x10000 + f)) found.push(last);
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) found.push(last);
  // The NAT64 prefix of RFC 8215. The IPv4 address may be at any position that RFC 6052 section 2.2 allows.
  if (a === 0x64 && b === 0xff9b && c === 1) {
    found.push(at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12), last);
  }
  if (a === 0x2002) found.push(at(2, 3, 4, 5));
  if (a === 0x2001 && b === 0)
    found.push(
      at(4, 5, 6, 7),
      last.map((byte) => byte ^ 0xff),
    );
  // ISATAP (RFC 5214 section 6.1), with any prefix. The mask 0x300 ignores the bits u and g.
  if ((e & ~0x300) === 0 && f === 0x5efe) found.push(last);
  return found;
}

// ---------------------------------------------------------------- ranges

/** Parses a range such as `10.0.0.0/8`. Returns undefined if the text is not a range. */
export function parseRange(text: string): AddressRange | undefined {
  const [, address = "", digits] = /^([^/%]*)\/(\d{1,3})$/.exec(text) ?? [];
  const bytes = bytesOf(address);
  const prefix = Number(digits);
  return bytes === undefined || prefix > 8 * bytes.length ? undefined : { bytes, prefix };
}

export function isInRanges(ranges: readonly AddressRange[], address: string): boolean {
  const bytes = bytesOf(address);
  return bytes !== undefined && isIn(ranges, bytes);
}

function rangesOf(texts: readonly string[]): AddressRange[] {
  return texts.map((text) => parseRange(text)!);
}

function isIn(ranges: readonly AddressRange[], bytes: readonly number[]): boolean {
  return ranges.some((range) => range.bytes.length === bytes.length && startsAlike(range, bytes));
}

function startsAlike(range: AddressRange, bytes: readonly number[]): boolean {
  for (let at = 0, left = range.prefix; left > 0; at++, left -= 8) {
    if ((bytes[at]! ^ range.bytes[at]!) >> Math.max(0, 8 - left) !== 0) return false;
  }
  return true;
}

/** The 4 or 16 bytes of an address, without its zone (`%eth0`). Undefined if the text is not an address. */
function bytesOf(address: string): number[] | undefined {
  const family = isIP(address);
  if (family === 0) return undefined;
  if (family === 4) return address.split(".").map(Number);
  const [bare = ""] = address.split("%", 1);
  const [head = "", tail = ""] = bare.split("::");
  const bytes = groupBytes(head);
  const back = groupBytes(tail);
  while (bytes.length < 16 - back.length) bytes.push(0);
  bytes.push(...back);
  return bytes;
}

/** The bytes of a part of an IPv6 address, such as `64:ff9b:192.0.2.1`. */
function groupBytes(text: string): number[] {
  const bytes: number[] = [];
  if (text === "") return bytes;
  for (const group of text.split(":")) {
    if (group.includes(".")) bytes.push(...group.split(".").map(Number));
    else {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    }
  }
  return bytes;
}
