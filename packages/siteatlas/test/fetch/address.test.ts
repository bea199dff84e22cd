/**
 * The classifier of addresses: both edges of every range, and a million addresses against ipaddr.js as a
 * second opinion. Where the two are meant to differ is a list (security.md 4.2).
 */
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { type AddressKind, addressKind, embeddedIpv4 } from "../../src/fetch/address.ts";
import { seed } from "../support/runs.ts";

/** Written down a second time, so that a slip in the source is seen. */
const IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
const IPV6_INSIDE = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];
const IPV6_OUTSIDE = [
  "::/128",
  "::1/128",
  "::/96",
  "::ffff:0:0/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "100:0:0:1::/64",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
];

// ---------------------------------------------------------------- addresses as numbers

interface Range {
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
}

function rangeOf(text: string): Range {
  const [address, prefix] = ipaddr.parseCIDR(text);
  const bytes = address.toByteArray();
  const bits = address.kind() === "ipv4" ? 32 : 128;
  const first = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return { bits, first, last: first | ((1n << BigInt(bits - prefix)) - 1n) };
}

function textOf(value: bigint, bits: 32 | 128): string {
  const size = bits === 32 ? 8n : 16n;
  const parts = Array.from(
    { length: bits / Number(size) },
    (_, n) => (value >> (BigInt(n) * size)) & ((1n << size) - 1n),
  );
  parts.reverse();
  return bits === 32
    ? parts.join(".")
    : ipaddr.fromByteArray(parts.flatMap((part) => [Number(part >> 8n), Number(part & 255n)])).toString();
}

// ---------------------------------------------------------------- the second opinion

/** Where we say "not public" though ipaddr.js says "unicast". There is no other way to differ. */
const INTENDED: readonly { readonly what: string; readonly includes: (address: string) => boolean }[] = [
  {
    what: "IPv6 outside of 2000::/3 is not given out",
    includes: (address) => address.includes(":") && Number.parseInt(address, 16) >> 13 !== 1,
  },
  { what: "Azure's wire server has a public address", includes: (address) => address === "168.63.129.16" },
];

/** Which intended difference it is, none, or a fault. The second opinion takes the bytes where there are any: its parser is slow. */
function compare(address: string, bytes?: number[]): string | undefined {
  const isPublic = addressKind(address) === "public";
  const other = bytes === undefined ? ipaddr.parse(address) : ipaddr.fromByteArray(bytes);
  if (isPublic === (other.range() === "unicast")) return undefined;
  const intended = INTENDED.find(({ includes }) => includes(address));
  return isPublic || intended === undefined ? `FAULT ${address}` : intended.what;
}

// ----------------------------------------------------------------

describe("the edges of", () => {
  it.each([...IPV4, ...IPV6_INSIDE])("%s: inside private, outside as ipaddr.js has it", (text) => {
    const { bits, first, last } = rangeOf(text);
    for (const edge of [first, last]) expect(addressKind(textOf(edge, bits))).toBe("private");
    const beside = [first - 1n, last + 1n].filter((value) => value >= 0n && value < 1n << BigInt(bits));
    for (const value of beside) {
      expect(compare(textOf(value, bits))).toBeUndefined();
    }
  });

  it("2000::/3: inside public, outside private", () => {
    const { first, last } = rangeOf("2000::/3");
    const kinds = [first - 1n, first, last, last + 1n].map((value) => addressKind(textOf(value, 128)));
    expect(kinds).toEqual(["private", "public", "public", "private"]);
  });

  it.each(IPV6_OUTSIDE)("%s, outside of 2000::/3: all private", (text) => {
    const { first, last } = rangeOf(text);
    const around = [first - 1n, first, last, last + 1n].filter((value) => value >= 0n && value < 1n << 128n);
    expect(new Set(around.map((value) => addressKind(textOf(value, 128))))).toEqual(new Set(["private"]));
  });

  it("every range has public addresses beside it, so that the edges are edges", () => {
    const publicSides = [...IPV4, ...IPV6_INSIDE].filter((text) => {
      const { bits, first, last } = rangeOf(text);
      return [first - 1n, last + 1n].some(
        (value) => value >= 0n && value < 1n << BigInt(bits) && addressKind(textOf(value, bits)) === "public",
      );
    });
    // 240.0.0.0/4 has multicast before it and nothing behind.
    expect([...IPV4, ...IPV6_INSIDE].filter((text) => !publicSides.includes(text))).toEqual(["240.0.0.0/4"]);
  });
});

it("one million addresses are what ipaddr.js says, but for the intended differences", () => {
  const random = mulberry32(seed);
  const byte = (): number => Math.floor(random() * 256);
  const special = [...IPV4, ...IPV6_INSIDE, ...IPV6_OUTSIDE, "2000::/3"].map((text) => {
    const [address, prefix] = ipaddr.parseCIDR(text);
    return { bytes: address.toByteArray(), prefix };
  });
  /** Somewhere in a range or right beside it: its prefix, of which up to three bits are at random, too. */
  const near = (): number[] => {
    const { bytes, prefix } = special[Math.floor(random() * special.length)]!;
    const kept = Math.max(0, prefix - Math.floor(random() * 4));
    return bytes.map((given, at) => {
      const mask = 0xff >> Math.min(8, Math.max(0, kept - 8 * at));
      return mask === 0 ? given : (given & ~mask) | (byte() & mask);
    });
  };
  const anywhere = (length: number): number[] => {
    const bytes: number[] = [];
    while (bytes.length < length) bytes.push(byte());
    return bytes;
  };
  const global = (): number[] => [0x20 + (byte() & 0x1f), ...anywhere(15)];
  const kinds = [
    () => anywhere(4),
    near,
    () => anywhere(4),
    near,
    () => anywhere(16),
    near,
    global,
    () => anywhere(4),
  ];
  const found = new Map<string, number>();
  for (let n = 0; n < 1_000_000; n++) {
    const bytes = kinds[n % kinds.length]!();
    const difference = compare(writeBytes(bytes), bytes);
    if (difference !== undefined) found.set(difference, (found.get(difference) ?? 0) + 1);
  }
  expect([...found.keys()].filter((what) => what.startsWith("FAULT"))).toEqual([]);
  expect(found.get(INTENDED[0]!.what)).toBeGreaterThan(10_000);
}, 60_000);

it("every intended difference is one", () => {
  expect(compare("4000::1")).toBe(INTENDED[0]!.what);
  expect(compare("168.63.129.16")).toBe(INTENDED[1]!.what);
});

function writeBytes(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  let text = "";
  for (let n = 0; n < 16; n += 2) {
    text += `${n > 0 ? ":" : ""}${(bytes[n]! * 256 + bytes[n + 1]!).toString(16)}`;
  }
  return text;
}

/** A small generator with a seed. */
function mulberry32(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("metadata services", () => {
  it.each(METADATA)("%s", (address) => {
    expect(addressKind(address)).toBe("metadata");
  });

  it("their neighbours are what their range is", () => {
    const kinds = ["169.254.169.253", "168.63.129.15", "168.63.129.17", "fd00:ec2::255"].map(addressKind);
    expect(kinds).toEqual(["private", "public", "public", "private"]);
  });
});

describe("an IPv4 address inside an IPv6 one", () => {
  /** `a9fe:a9fe` is 169.254.169.254, `808:808` is 8.8.8.8. */
  it.each<[string, string, string]>([
    ["mapped", "::ffff:169.254.169.254", "::ffff:8.8.8.8"],
    ["mapped, in hex", "::ffff:a9fe:a9fe", "::ffff:808:808"],
    ["compatible", "::169.254.169.254", "::8.8.8.8"],
    ["translated", "::ffff:0:a9fe:a9fe", "::ffff:0:808:808"],
    ["NAT64", "64:ff9b::a9fe:a9fe", "64:ff9b::808:808"],
    ["NAT64 of a network, /96", "64:ff9b:1::a9fe:a9fe", "64:ff9b:1::808:808"],
    ["NAT64 of a network, /48", "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:808:8:800::"],
    ["NAT64 of a network, /56", "64:ff9b:1:a9:fe:a9fe::", "64:ff9b:1:8:8:808::"],
    ["NAT64 of a network, /64", "64:ff9b:1:0:a9:fea9:fe00:0", "64:ff9b:1:0:8:808:800:0"],
    ["6to4", "2002:a9fe:a9fe::1", "2002:808:808::1"],
    ["Teredo, the client", "2001::808:808:0:0:5601:5601", "2001::808:808:0:0:f7f7:f7f7"],
    ["Teredo, the server", "2001:0:a9fe:a9fe::f7f7:f7f7", "2001:0:808:808::f7f7:f7f7"],
    ["with zeros and in capitals", "0064:FF9B:0:0:0:0:A9FE:A9FE", "0000:0:0:0:0:FFFF:0808:0808"],
    ["ISATAP", "fe80::5efe:169.254.169.254", "fe80::5efe:8.8.8.8"],
    ["ISATAP, of a global address", "fe80::200:5efe:a9fe:a9fe", "fe80::200:5efe:808:808"],
  ])("%s: a metadata service is one there too, and a public one is not public", (_, metadata, other) => {
    expect(embeddedIpv4(metadata)).toContain("169.254.169.254");
    expect(addressKind(metadata)).toBe("metadata");
    expect(embeddedIpv4(other)).toContain("8.8.8.8");
    expect(addressKind(other)).toBe("private");
  });

  it("is looked for nowhere else", () => {
    for (const address of [
      "fd00::a9fe:a9fe",
      "2606:4700::a9fe:a9fe",
      "64:ff9c::a9fe:a9fe",
      "8.8.8.8",
      "x",
      "::",
      "::1",
    ]) {
      expect(embeddedIpv4(address)).toEqual([]);
    }
  });
});

it.each<[string, AddressKind | undefined]>([
  ["fe80::1%eth0", "private"],
  ["2606:4700::1111%eth0", "private"],
  ["fd00:ec2::254%eth0", "metadata"],
  ["2606:4700::1111", "public"],
  ["8.8.8.8", "public"],
  ["", undefined],
  ["localhost", undefined],
  ["127.1", undefined],
  ["0x7f000001", undefined],
  ["2130706433", undefined],
  ["010.8.8.8", undefined],
  ["8.8.8", undefined],
  ["8.8.8.8 ", undefined],
  [" 8.8.8.8", undefined],
  ["8.8.8.8\0", undefined],
  ["8.8.8.8:80", undefined],
  ["8.8.8.8/8", undefined],
  ["８.8.8.8", undefined],
  ["[2606:4700::1111]", undefined],
  ["2606:4700:::1111", undefined],
])("%j is %s", (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});
