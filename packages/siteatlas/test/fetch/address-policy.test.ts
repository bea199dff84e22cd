/** What is allowed besides public addresses: the list, its spellings, and that metadata services never are. */
import { describe, expect, it } from "vitest";
import { AddressPolicy, type AddressPolicyOptions } from "../../src/fetch/address-policy.ts";

/** Whether this URL may be connected to when its host has these addresses. */
function admits(options: AddressPolicyOptions, target: string, ...addresses: string[]): boolean {
  const { hostname, port } = new URL(target);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new AddressPolicy(options).admitFor(host, Number(port || 80))(addresses);
}

describe("without options", () => {
  it("public addresses, all of them, are allowed", () => {
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
    ["intranet.example", "http://other.example/", false, "and no other"],
    ["intranet.example", "http://a.intranet.example/", false, "not what is below it"],
    ["faß.example", "http://xn--fa-hia.example/", true, "in Unicode"],
    ["intranet.example:8080", "http://intranet.example:8080/", true, "a host with its port"],
    ["intranet.example:8080", "http://intranet.example/", false, "and no other port"],
    ["intranet.example:80", "http://intranet.example/", true, "the usual port"],
    ["10.1.2.3", "http://10.1.2.3/", true, "an address as a host"],
    ["10.1.2.3", "http://name.example/", false, "but not who has that address"],
    ["127.1", "http://127.0.0.1/", true, "an address in a spelling that URLs know"],
    ["fd00::1", "http://[fd00::1]:8080/", true, "IPv6"],
    ["[FD00:0::1]", "http://[fd00::1]/", true, "IPv6 in brackets"],
    ["[fd00::1]:443", "http://[fd00::1]:443/", true, "IPv6 with its port"],
    ["[fd00::1]:443", "http://[fd00::1:443]/", false, "which is not another address"],
    ["10.1.2.0/24", "http://name.example/", true, "a range, whoever has the address"],
    ["10.1.2.0/24", "http://10.1.2.3:8080/", true, "a range, by its address"],
    ["10.1.3.0/24", "http://name.example/", false, "and no other range"],
    ["0.0.0.0/0", "http://name.example/", true, "all of IPv4"],
    ["::/0", "http://name.example/", false, "which is not all of IPv6"],
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
  ])("%j is misuse", (entry) => {
    expect(() => new AddressPolicy({ allow: [entry] })).toThrow(TypeError);
  });

  it("opens NAT64, but not what is private behind it", () => {
    const options = { allow: ["64:ff9b::/96"] };
    expect(admits(options, "http://a.example/", "64:ff9b::808:808", "8.8.8.8")).toBe(true);
    expect(admits(options, "http://a.example/", "64:ff9b::7f00:1")).toBe(false);
  });

  it("may be a function, which is asked for each address", () => {
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

describe("the homepage", () => {
  it.each([
    ["http://10.0.0.1:8080/", "10.0.0.1"],
    ["http://[fd00::1]:8080/", "fd00::1"],
    ["http://localhost:8080/", "127.0.0.1"],
    ["http://app.localhost:8080/", "::1"],
  ])("%s opens its host and port", (homepage, address) => {
    expect(admits({ homepage }, homepage, address)).toBe(true);
    expect(admits({ homepage }, homepage.replace(":8080", ""), address)).toBe(false);
    expect(admits({ homepage }, "http://other.example:8080/", address)).toBe(false);
  });

  it.each(["http://intranet.example:8080/", "http://localhost.example.com/", "http://notlocalhost/"])(
    "%s opens nothing: whoever owns the name decides where it leads",
    (homepage) => {
      expect(admits({ homepage }, homepage, "10.0.0.1")).toBe(false);
      expect(admits({ homepage }, homepage, "127.0.0.1")).toBe(false);
      expect(admits({ homepage }, homepage, "8.8.8.8")).toBe(true);
      expect(admits({ homepage, allow: [new URL(homepage).hostname] }, homepage, "10.0.0.1")).toBe(true);
    },
  );
});
