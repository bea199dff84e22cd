/**
 * The addresses that are allowed in addition to public ones. A link-local address is allowed only by its exact literal,
 * a metadata service never.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddressPolicy, type AddressPolicyOptions } from "../../../src/fetch/guard/address-policy.ts";
import { METADATA_ADDRESSES } from "../../../src/fetch/guard/metadata-services.ts";
import { runs, seed } from "../../support/runs.ts";

/** Whether this URL may be connected to if its host resolves to these addresses. */
function admits(options: AddressPolicyOptions, target: string, ...addresses: string[]): boolean {
  const { hostname, port } = new URL(target);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new AddressPolicy(options).admitFor(host, Number(port || 80))(addresses);
}

describe("without options", () => {
  it("a host is allowed if all its addresses are public", () => {
    expect(admits({}, "http://a.example/", "8.8.8.8", "2606:4700::1111")).toBe(true);
    expect(admits({}, "http://a.example/", "8.8.8.8", "10.0.0.1")).toBe(false);
    expect(admits({}, "http://a.example/", "::1", "8.8.8.8")).toBe(false);
    expect(admits({}, "http://a.example/", "8.8.8.8", "not an address")).toBe(false);
  });
});

describe("allow", () => {
  it.each<[string, string, boolean, string]>([
    ["intranet.example", "http://intranet.example/", true, "a host"],
    ["intranet.example", "http://intranet.example:8080/", true, "on any port"],
    ["Intranet.Example", "http://intranet.example/", true, "in any case"],
    ["intranet.example", "http://other.example/", false, "not another host"],
    ["intranet.example", "http://a.intranet.example/", false, "not its subdomains"],
    ["faß.example", "http://xn--fa-hia.example/", true, "in Unicode"],
    ["intranet.example:8080", "http://intranet.example:8080/", true, "a host with a port"],
    ["intranet.example:8080", "http://intranet.example/", false, "not another port"],
    ["intranet.example:80", "http://intranet.example/", true, "the default port"],
    ["10.1.2.3", "http://10.1.2.3/", true, "an address as a host"],
    ["10.1.2.3", "http://name.example/", false, "not another host with that address"],
    ["127.1", "http://127.0.0.1/", true, "an address in another spelling of URLs"],
    ["fd00::1", "http://[fd00::1]:8080/", true, "IPv6"],
    ["[FD00:0::1]", "http://[fd00::1]/", true, "IPv6 in brackets"],
    ["[fd00::1]:443", "http://[fd00::1]:443/", true, "IPv6 with a port"],
    ["[fd00::1]:443", "http://[fd00::1:443]/", false, "not read as another address"],
    ["10.1.2.0/24", "http://name.example/", true, "a range, for any host"],
    ["10.1.2.0/24", "http://10.1.2.3:8080/", true, "a range, by its address"],
    ["10.1.3.0/24", "http://name.example/", false, "not another range"],
    ["0.0.0.0/0", "http://name.example/", true, "all of IPv4"],
    ["::/0", "http://name.example/", false, "not all of IPv6"],
  ])("%s, %s: %s (%s)", (entry, target, expected) => {
    const { hostname } = new URL(target);
    const address = hostname.startsWith("[") ? hostname.slice(1, -1) : "10.1.2.3";
    expect(admits({ allow: [entry] }, target, address)).toBe(expected);
  });

  it.each([
    "",
    " ",
    "a b",
    "*.example.com",
    "http://a.example",
    "a.example/",
    "10.0.0.0/33",
    "::/129",
    "x/8",
    "fe80::1%eth0/64",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "a:70000",
    "user@a",
    "[::1",
    "256.0.0.1",
  ])("%j throws", (entry) => {
    expect(() => new AddressPolicy({ allow: [entry] })).toThrow(TypeError);
  });

  it("allows NAT64, but not private addresses behind it", () => {
    const options = { allow: ["64:ff9b::/96"] };
    expect(admits(options, "http://a.example/", "64:ff9b::808:808", "8.8.8.8")).toBe(true);
    expect(admits(options, "http://a.example/", "64:ff9b::7f00:1")).toBe(false);
  });

  it("may be a function that is called with each address", () => {
    const options = { allow: (address: string) => address === "127.0.0.2" };
    expect(admits(options, "http://a.example/", "127.0.0.2", "8.8.8.8")).toBe(true);
    expect(admits(options, "http://a.example/", "127.0.0.2", "127.0.0.3")).toBe(false);
  });
});

describe("metadata services are never allowed", () => {
  const everything = {
    allowPrivateNetworks: true,
    allow: ["0.0.0.0/0", "::/0", "m.example", "m.example:80"],
  };
  it.each([
    "169.254.169.254",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "fd00:ec2::254%eth0",
  ])("%s", (address) => {
    const target = "http://m.example/";
    expect(admits(everything, target, "10.0.0.1")).toBe(true);
    expect(admits(everything, target, address)).toBe(false);
    expect(admits({ allow: () => true }, target, address)).toBe(false);
    expect(admits({ homepage: target }, target, address)).toBe(false);
  });
});

describe("link-local addresses are allowed only by their exact literal", () => {
  const everything = {
    allowPrivateNetworks: true,
    allow: [
      "0.0.0.0/0",
      "::/0",
      "169.254.0.0/16",
      "169.254.7.7/32",
      "fe80::/10",
      "l.example",
      "l.example:80",
    ],
  };
  const SPELLINGS = [
    "http://169.254.7.7/",
    "http://2851997447/",
    "http://0xa9.0xfe.7.7/",
    "http://0251.0376.0007.0007/",
    "http://169.254.1799/",
    "http://[::ffff:169.254.7.7]/",
    "http://[::169.254.7.7]/",
    "http://[::ffff:0:a9fe:707]/",
    "http://[64:ff9b::a9fe:707]/",
    "http://[64:ff9b:1::a9fe:707]/",
    "http://[2002:a9fe:707::1]/",
    "http://[2001:0:a9fe:707::]/",
    "http://[2001::5601:f8f8]/",
    "http://[2606:4700::5efe:a9fe:707]/",
    "http://[fe80::1]/",
    "http://[FE80:0::200:5EFE:8.8.8.8]/",
    "http://[febf:ffff::1]/",
  ];

  it.each(SPELLINGS)("%s", (target) => {
    const address = new URL(target).hostname.replace(/^\[|\]$/g, "");
    expect(admits({}, target, address)).toBe(false);
    expect(admits(everything, target, address)).toBe(false);
    expect(admits({ allow: () => true }, target, address)).toBe(false);
    expect(admits({ homepage: target }, target, address)).toBe(false);
    // A name is not a literal.
    expect(admits(everything, "http://l.example/", address)).toBe(false);
    expect(admits({ allow: [new URL(target).hostname] }, "http://l.example/", address)).toBe(false);

    expect(admits({ allow: [new URL(target).hostname] }, target, address)).toBe(true);
    expect(admits({ allow: [`${new URL(target).hostname}:80`] }, target, address)).toBe(true);
    expect(admits({ allow: [`${new URL(target).hostname}:81`] }, target, address)).toBe(false);
    expect(admits({ allow: ["169.254.7.8", "fe80::2"] }, target, address)).toBe(false);
  });

  it("an address with a zone is allowed like the one without it", () => {
    expect(admits({ allow: ["[fe80::1]"] }, "http://[fe80::1]/", "fe80::1%eth0")).toBe(true);
    expect(
      admits({ allow: ["fe80::/10"], allowPrivateNetworks: true }, "http://l.example/", "fe80::1%2"),
    ).toBe(false);
  });

  it("a literal opens no metadata service", () => {
    for (const address of METADATA_ADDRESSES) {
      const host = address.includes(":") ? `[${address}]` : address;
      expect(admits({ allow: [host], allowPrivateNetworks: true }, `http://${host}/`, address)).toBe(false);
    }
  });
});

it("every answer is that of a model", () => {
  const addresses = [
    "8.8.8.8",
    "2606:4700::1111",
    "10.1.2.3",
    "fd00::1",
    "169.254.7.7",
    "fe80::1",
    ...METADATA_ADDRESSES,
  ];
  const host = (address: string): string => (address.includes(":") ? `[${address}]` : address);
  const entries = [
    ...addresses.map(host),
    "0.0.0.0/0",
    "::/0",
    "169.254.0.0/16",
    "fe80::/10",
    "n.example",
    "n.example:80",
  ];
  /** The model of the README of the guard, by the kinds of a table. */
  const model = (open: boolean, allow: readonly string[], name: string, address: string): boolean => {
    if (METADATA_ADDRESSES.includes(address)) return false;
    if (["8.8.8.8", "2606:4700::1111"].includes(address)) return true;
    if (["169.254.7.7", "fe80::1"].includes(address)) return name === host(address) && allow.includes(name);
    const range = address.includes(":") ? "::/0" : "0.0.0.0/0";
    return open || allow.includes(range) || allow.includes(name) || allow.includes(`${name}:80`);
  };
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.subarray(entries),
      fc.constantFrom(...addresses),
      fc.boolean(),
      (open, allow, address, isLiteral) => {
        const name = isLiteral ? host(address) : "n.example";
        const answer = admits({ allow, allowPrivateNetworks: open }, `http://${name}/`, address);
        expect([allow, name, address, answer]).toEqual([
          allow,
          name,
          address,
          model(open, allow, name, address),
        ]);
      },
    ),
    { seed, numRuns: runs(5000) },
  );
});

describe("the homepage", () => {
  it.each([
    ["http://10.0.0.1:8080/", "10.0.0.1"],
    ["http://[fd00::1]:8080/", "fd00::1"],
    ["http://localhost:8080/", "127.0.0.1"],
    ["http://app.localhost:8080/", "::1"],
  ])("%s allows its host and port", (homepage, address) => {
    expect(admits({ homepage }, homepage, address)).toBe(true);
    expect(admits({ homepage: new URL(homepage) }, homepage, address)).toBe(true);
    expect(admits({ homepage: ["https://example.com/", new URL(homepage)] }, homepage, address)).toBe(true);
    expect(admits({ homepage }, homepage.replace(":8080", ""), address)).toBe(false);
    expect(admits({ homepage }, "http://other.example:8080/", address)).toBe(false);
  });

  it.each(["http://intranet.example:8080/", "http://localhost.example.com/", "http://notlocalhost/"])(
    "%s allows nothing: the owner of the name decides what it resolves to",
    (homepage) => {
      expect(admits({ homepage }, homepage, "10.0.0.1")).toBe(false);
      expect(admits({ homepage }, homepage, "127.0.0.1")).toBe(false);
      expect(admits({ homepage }, homepage, "8.8.8.8")).toBe(true);
      expect(admits({ homepage, allow: [new URL(homepage).hostname] }, homepage, "10.0.0.1")).toBe(true);
    },
  );
});
