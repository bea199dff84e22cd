/**
 * The classifier of addresses: both edges of every range, and a million addresses compared with ipaddr.js. The
 * intended differences are a list.
 */
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { isMetadataName, METADATA_ADDRESSES } from "../../../src/fetch/guard/metadata-services.ts";
import { type AddressKind, addressKind, embeddedIpv4 } from "../../../src/fetch/guard/public-address.ts";
import { runs, seed } from "../../support/runs.ts";

/** Written a second time, to find a typo in the source. */
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

/** The addresses of metadata services, written a second time. */
const METADATA = [
  "169.254.169.254",
  "fd00:ec2::254",
  "169.254.170.2",
  "169.254.170.23",
  "fd00:ec2::23",
  "fd20:ce::254",
  "169.254.169.252",
  "168.63.129.16",
  "100.100.100.200",
  "fd00:100::100:200",
  "192.0.0.192",
  "fd00:c1::a9fe:a9fe",
  "fe80::a9fe:a9fe",
  "fd00:a9fe:a9fe::1",
  "169.254.0.23",
  "169.254.42.42",
  "fd00:42::42",
  "100.96.0.96",
  "100.80.80.80",
];

const LINK_LOCAL = ["169.254.0.0/16", "fe80::/10"];

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

// ---------------------------------------------------------------- comparison with ipaddr.js

/** "Not public" here, but "unicast" in ipaddr.js. No other difference is allowed. */
const INTENDED: readonly { readonly what: string; readonly includes: (address: string) => boolean }[] = [
  {
    what: "IPv6 outside of 2000::/3 is not allocated",
    includes: (address) => address.includes(":") && Number.parseInt(address, 16) >> 13 !== 1,
  },
  {
    what: "the wire server of Azure is within a public range",
    includes: (address) => address === "168.63.129.16",
  },
  {
    what: "ISATAP with a global prefix is judged by the IPv4 address in it",
    includes: (address) => /^2[^:]*(?::[^:]*)*:5efe:/.test(address),
  },
];

/**
 * The intended difference, if any; throws for any other. ipaddr.js gets bytes if possible, because its parser
 * is slow.
 */
function compare(address: string, bytes?: number[]): string | undefined {
  const isPublic = addressKind(address) === "public";
  const other = bytes === undefined ? ipaddr.parse(address) : ipaddr.fromByteArray(bytes);
  if (isPublic === (other.range() === "unicast")) return undefined;
  const intended = INTENDED.find(({ includes }) => includes(address));
  return isPublic || intended === undefined ? `FAULT ${address}` : intended.what;
}

// ----------------------------------------------------------------

describe("the edges of", () => {
  it.each([...IPV4, ...IPV6_INSIDE])("%s: private inside, the same as in ipaddr.js outside", (text) => {
    const { bits, first, last } = rangeOf(text);
    const kind = LINK_LOCAL.includes(text) ? "link-local" : "private";
    for (const edge of [first, last]) expect(addressKind(textOf(edge, bits))).toBe(kind);
    const beside = [first - 1n, last + 1n].filter((value) => value >= 0n && value < 1n << BigInt(bits));
    for (const value of beside) {
      expect(compare(textOf(value, bits))).toBeUndefined();
    }
  });

  it("2000::/3: public inside, private outside", () => {
    const { first, last } = rangeOf("2000::/3");
    const kinds = [first - 1n, first, last, last + 1n].map((value) => addressKind(textOf(value, 128)));
    expect(kinds).toEqual(["private", "public", "public", "private"]);
  });

  it.each(IPV6_OUTSIDE)("%s, outside of 2000::/3: all private, or link-local", (text) => {
    const { first, last } = rangeOf(text);
    const [before, ...rest] = [first - 1n, first, last, last + 1n].map((value) =>
      value >= 0n && value < 1n << 128n ? addressKind(textOf(value, 128)) : "private",
    );
    const after = rest.pop();
    const inside = LINK_LOCAL.includes(text) ? "link-local" : "private";
    expect(rest).toEqual([inside, inside]);
    // fec0::/10 follows fe80::/10.
    expect([before, after]).toEqual([text === "fec0::/10" ? "link-local" : "private", "private"]);
  });

  it("every range has a public neighbor, so that its edges are tested", () => {
    const publicSides = [...IPV4, ...IPV6_INSIDE].filter((text) => {
      const { bits, first, last } = rangeOf(text);
      return [first - 1n, last + 1n].some(
        (value) => value >= 0n && value < 1n << BigInt(bits) && addressKind(textOf(value, bits)) === "public",
      );
    });
    // 240.0.0.0/4 has multicast before it and nothing after it.
    expect([...IPV4, ...IPV6_INSIDE].filter((text) => !publicSides.includes(text))).toEqual(["240.0.0.0/4"]);
  });
});

it("one million addresses are classified as in ipaddr.js, except for the intended differences", () => {
  const random = mulberry32(seed);
  const byte = (): number => Math.floor(random() * 256);
  const special = [...IPV4, ...IPV6_INSIDE, ...IPV6_OUTSIDE, "2000::/3"].map((text) => {
    const [address, prefix] = ipaddr.parseCIDR(text);
    return { bytes: address.toByteArray(), prefix };
  });
  /** An address in a range or next to it: the prefix of a range, with up to three random bits. */
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
});

it("every intended difference exists", () => {
  expect(compare("2606:4700::5efe:a9fe:a9fe")).toBe(INTENDED[2]!.what);
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

/** A seeded pseudo-random generator. */
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

  it("are those of the table", () => {
    expect([...METADATA_ADDRESSES].sort()).toEqual([...METADATA].sort());
  });

  it("their neighbors have the kind of their range", () => {
    const kinds = ["169.254.169.253", "168.63.129.15", "168.63.129.17", "fd00:ec2::255"].map(addressKind);
    expect(kinds).toEqual(["link-local", "public", "public", "private"]);
  });

  it.each<[string, boolean]>([
    ["metadata.google.internal", true],
    ["metadata.google.internal.", true],
    ["metadata.goog", true],
    ["metadata.tencentyun.com", true],
    ["api.metadata.cloud.ibm.com", true],
    ["metadata.google.internal.example", false],
    ["x.metadata.goog", false],
  ])("the name %s: %s", (name, expected) => {
    expect(isMetadataName(name)).toBe(expected);
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
    ["ISATAP, private", "fd00::5efe:169.254.169.254", "fd00::5efe:8.8.8.8"],
    ["ISATAP, of a global address", "fd00::200:5efe:a9fe:a9fe", "fd00::200:5efe:808:808"],
    ["ISATAP, of a group", "fd00::300:5efe:a9fe:a9fe", "fd00::100:5efe:808:808"],
    ["ISATAP over 6to4", "2002:808:808:0:200:5efe:a9fe:a9fe", "2002:808:808:0:200:5efe:808:808"],
    ["ISATAP over Teredo", "2001:0:808:808:0:5efe:a9fe:a9fe", "2001:0:808:808:0:5efe:808:808"],
  ])("%s: a metadata address stays one, and a public address becomes private", (_, metadata, other) => {
    expect(embeddedIpv4(metadata)).toContain("169.254.169.254");
    expect(addressKind(metadata)).toBe("metadata");
    expect(embeddedIpv4(other)).toContain("8.8.8.8");
    expect(addressKind(other)).toBe("private");
  });

  it.each<[string, AddressKind]>([
    ["2606:4700::5efe:169.254.169.254", "metadata"],
    ["2606:4700::200:5efe:a9fe:101", "link-local"],
    ["2606:4700::5efe:10.0.0.1", "private"],
    ["2606:4700::200:5efe:127.0.0.1", "private"],
    ["2606:4700::200:5efe:8.8.8.8", "public"],
    ["2606:4700::400:5efe:10.0.0.1", "public"],
    ["fe80::5efe:169.254.169.254", "metadata"],
    ["fe80::5efe:8.8.8.8", "link-local"],
    ["::ffff:169.254.1.1", "link-local"],
    ["64:ff9b::a9fe:101", "link-local"],
    ["2002:a9fe:101::", "link-local"],
  ])("%s is %s", (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });

  it("is not extracted from other addresses", () => {
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
  ["fe80::1%eth0", "link-local"],
  ["fe80::a9fe:a9fe%2", "metadata"],
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

// ---------------------------------------------------------------- a model of embedded addresses

type Ipv4 = readonly [number, number, number, number];

/** Every form that embeds an IPv4 address: how it is written, and whether its prefix alone can be public. */
const FORMS: Readonly<Record<string, (ip: string, hex: (ip: string) => string) => string>> = {
  mapped: (ip) => `::ffff:${ip}`,
  compatible: (ip) => `::${ip}`,
  translated: (ip) => `::ffff:0:${ip}`,
  nat64: (ip) => `64:ff9b::${ip}`,
  localNat64: (ip) => `64:ff9b:1:ffff::${ip}`,
  sixToFour: (ip, hex) => `2002:${hex(ip)}::1`,
  teredoServer: (ip, hex) => `2001:0:${hex(ip)}::f7f7:f7f7`,
  teredoClient: (ip, hex) => `2001:0:808:808::${hex(inverse(ip))}`,
  isatapPrivate: (ip) => `fd00:1:2:3:0:5efe:${ip}`,
  isatapGlobal: (ip) => `2606:4700:1:2:200:5efe:${ip}`,
  isatapLinkLocal: (ip) => `fe80::200:5efe:${ip}`,
};

function inverse(ip: string): string {
  return ip
    .split(".")
    .map((byte) => 255 - Number(byte))
    .join(".");
}

function hexGroups(ip: string): string {
  const [a, b, c, d] = ip.split(".").map(Number) as unknown as Ipv4;
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** The model: a table of texts and ipaddr.js. */
function modelOfIpv4(ip: string): AddressKind {
  if (METADATA.includes(ip)) return "metadata";
  if (ip.startsWith("169.254.")) return "link-local";
  return ipaddr.parse(ip).range() === "unicast" ? "public" : "private";
}

function modelOfForm(form: string, ip: string): AddressKind {
  const inner = modelOfIpv4(ip);
  const outer = { isatapGlobal: "public", isatapLinkLocal: "link-local" }[form] ?? "private";
  const order = ["metadata", "link-local", "private", "public"];
  return order.find((kind) => kind === inner || kind === outer) as AddressKind;
}

const ipv4: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...METADATA.filter((address) => !address.includes(":"))),
  fc.tuple(fc.nat(255), fc.nat(255)).map(([c, d]) => `169.254.${c}.${d}`),
  fc.constantFrom("127.0.0.1", "10.0.0.1", "192.168.1.1", "0.0.0.1", "8.8.8.8", "255.255.255.255"),
  fc.ipV4(),
);

function allDigits(address: ipaddr.IPv6): string {
  const groups = address.toNormalizedString().split(":");
  return groups.map((group) => group.padStart(4, "0")).join(":");
}

/** Other spellings of an IPv6 address: all groups, with leading zeros, in capitals, with a dotted end. */
const SPELLINGS: readonly ((address: ipaddr.IPv6) => string)[] = [
  (address) => address.toString(),
  (address) => address.toNormalizedString(),
  (address) => allDigits(address),
  (address) => allDigits(address).toUpperCase(),
  (address) => {
    const bytes = address.toByteArray();
    const groups = address.toNormalizedString().split(":").slice(0, 6).join(":");
    return `${groups}:${bytes.slice(12).join(".")}`;
  },
  (address) => new URL(`http://[${address.toNormalizedString()}]/`).hostname.slice(1, -1),
];

it("IPv6 addresses that embed an IPv4 address are classified as in a model, in every form and spelling", () => {
  fc.assert(
    fc.property(
      ipv4,
      fc.constantFrom(...Object.keys(FORMS)),
      fc.constantFrom(...SPELLINGS),
      (ip, form, spell) => {
        const address = spell(ipaddr.IPv6.parse(FORMS[form]!(ip, hexGroups)));
        // `::` and `::0.x.x.x` are not IPv4-compatible addresses, and both are private.
        expect([form, address, addressKind(address)]).toEqual([form, address, modelOfForm(form, ip)]);
        expect(addressKind(ip)).toBe(modelOfIpv4(ip));
      },
    ),
    { seed, numRuns: runs(20_000) },
  );
});
