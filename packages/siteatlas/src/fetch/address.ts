/**
 * Which addresses are public: the classifier behind the guard (guard.ts). Written as a list of what is
 * allowed: an address that is not known to be public is not, and neither is a text that is no address.
 * Ranges: https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 sibling.
 *
 * Takes addresses as the resolver, a socket or the URL parser write them. What people write (`127.1`,
 * `0x7f000001`) is the URL parser's to read, and is no address here.
 */
import { isIP } from "node:net";

/**
 * - `public`: anybody's.
 * - `private`: of this machine or its network, reserved, or an IPv4 address inside an IPv6 one.
 * - `metadata`: of a cloud's own services, which give credentials to whoever asks from inside.
 */
export type AddressKind = "public" | "private" | "metadata";

/** `10.0.0.0/8`. Not Node's BlockList: it is slower, and has all of IPv4 in `::/8`. */
export interface AddressRange {
  readonly bytes: readonly number[];
  /** In bits. */
  readonly prefix: number;
}

/** All of IPv6 that is given out so far, and with it the one part that can be public. */
const GLOBAL_IPV6 = rangesOf(["2000::/3"]);

/** What is not public of that and of IPv4. */
const PRIVATE = rangesOf([
  "0.0.0.0/8", // this network; on Linux, this machine
  "10.0.0.0/8",
  "100.64.0.0/10", // carriers' own
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure's, in the midst of public ones
  "169.254.0.0/16", // link-local
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

/** Never asked, whatever is allowed. */
const METADATA = rangesOf([
  "169.254.169.254/32", // AWS, Azure, Google and most others
  "169.254.170.2/32", // AWS, for containers
  "169.254.170.23/32", // AWS, for pods
  "100.100.100.200/32", // Alibaba
  "168.63.129.16/32", // Azure's wire server
  "192.0.0.192/32", // Oracle
  "fd00:ec2::254/128", // AWS
  "fd00:ec2::23/128", // AWS, for pods
  "fd20:ce::254/128", // Google
]);

/** The kind of an address; undefined for what is none. */
export function addressKind(address: string): AddressKind | undefined {
  const bytes = bytesOf(address);
  if (bytes === undefined) return undefined;
  // With a zone (`fe80::1%eth0`) it means something on one link only.
  const canBePublic = bytes.length === 4 || (isIn(GLOBAL_IPV6, bytes) && !address.includes("%"));
  if (canBePublic && !isIn(PRIVATE, bytes)) return "public";
  return [bytes, ...embedded(bytes)].some((each) => isIn(METADATA, each)) ? "metadata" : "private";
}

/**
 * The IPv4 addresses that a router or this machine may take out of an IPv6 address: mapped, compatible
 * and translated ones, NAT64, 6to4, Teredo (its server and its client) and ISATAP.
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
  // `::` and `::1` are no compatible ones.
  if (zeros < 0 || zeros > 12) return [];
  if (zeros >= 8 && [0, 0xffff, 0xffff_0000].includes(e * 0x10000 + f)) return [last];
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return [last];
  // RFC 8215, with a prefix of any length that RFC 6052 knows.
  if (a === 0x64 && b === 0xff9b && c === 1)
    return [at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12), last];
  if (a === 0x2002) return [at(2, 3, 4, 5)];
  if (a === 0x2001 && b === 0) return [at(4, 5, 6, 7), last.map((byte) => byte ^ 0xff)];
  if ((e === 0 || e === 0x200) && f === 0x5efe) return [last];
  return [];
}

// ---------------------------------------------------------------- ranges

/** Reads `10.0.0.0/8`; undefined for what is no range. */
export function parseRange(text: string): AddressRange | undefined {
  const [, address = "", digits] = /^([^/%]*)\/(\d{1,3})$/.exec(text) ?? [];
  const bytes = bytesOf(address);
  const prefix = Number(digits);
  return bytes === undefined || prefix > 8 * bytes.length ? undefined : { bytes, prefix };
}

/** Whether an address, with its zone or without, is in one of them. */
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

/** The 4 or 16 bytes of an address, without its zone; undefined for what is none. */
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

/** `64:ff9b:192.0.2.1` → its bytes. */
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
