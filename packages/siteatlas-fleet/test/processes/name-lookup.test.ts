/** Name lookup of walker processes: its cache, and names whose servers are silent. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { NameLookup } from "../../src/processes/name-lookup.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";

let server: DnsServer;
let at = 0;
let names: NameLookup;

beforeAll(async () => {
  server = await startDnsServer((name) => {
    if (name.startsWith("absent")) return "absent";
    if (name.startsWith("failing")) return "failing";
    return name.startsWith("silent") ? "silent" : "192.0.2.7";
  });
});

beforeEach(() => {
  server.queries.length = 0;
  names = new NameLookup({
    servers: [server.address],
    now: () => at,
    hosts: "127.0.0.9 Local.test alias # x\n::9 local.test",
  });
});

afterAll(() => server?.close());

const codeOf = (name: string): Promise<string | undefined> =>
  names.resolve(name).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code,
  );

test("an address is asked for once, until its time to live is over", async () => {
  const found = [{ address: "192.0.2.7", family: 4 }];
  expect(await Promise.all([names.resolve("a.test"), names.resolve("A.test.")])).toEqual([found, found]);
  at += 59_000;
  expect(await names.resolve("a.test")).toEqual(found);
  expect(server.queries).toEqual(["a.test"]);
  at += 2000;
  await names.resolve("a.test");
  expect(server.queries).toEqual(["a.test", "a.test"]);
});

test("a name that does not exist, and one whose servers fail, are remembered", async () => {
  for (let time = 0; time < 3; time++) expect(await codeOf("absent.test")).toBe("ENOTFOUND");
  expect(server.queries).toEqual(["absent.test"]);
  expect(await codeOf("failing.test")).toBe("EAI_AGAIN");
  const asked = server.queries.length;
  expect(await codeOf("failing.test")).toBe("EAI_AGAIN");
  expect(server.queries).toHaveLength(asked);
  at += 31_000;
  expect(await codeOf("absent.test")).toBe("ENOTFOUND");
  expect(server.queries).toHaveLength(asked);
  await codeOf("failing.test");
  expect(server.queries.length).toBeGreaterThan(asked);
});

test("100 names whose servers are silent do not delay another name", async () => {
  const silent = Array.from({ length: 100 }, (_, number) => names.resolve(`silent-${number}.test`));
  let isOver = false;
  for (const pending of silent) pending.catch(() => {}).finally(() => (isOver = true));
  await names.resolve("b.test");
  expect(isOver).toBe(false);
});

test("the hosts file, literal addresses and addresses of another process need no query", async () => {
  expect(await names.resolve("local.test")).toEqual([
    { address: "127.0.0.9", family: 4 },
    { address: "::9", family: 6 },
  ]);
  expect(await names.resolve("alias")).toEqual([{ address: "127.0.0.9", family: 4 }]);
  expect(await names.resolve("[::1]")).toEqual([{ address: "::1", family: 6 }]);
  names.learn("known.test", [{ address: "192.0.2.9", family: 4 }]);
  expect(await names.resolve("known.test")).toEqual([{ address: "192.0.2.9", family: 4 }]);
  expect(server.queries).toEqual([]);
});

test("it has the form that sockets need", async () => {
  const ask = (options: object): Promise<unknown[]> =>
    new Promise((resolve) => names.lookup("c.test", options, (...answer) => resolve(answer)));
  expect(await ask({ all: true })).toEqual([null, [{ address: "192.0.2.7", family: 4 }]]);
  expect(await ask({})).toEqual([null, "192.0.2.7", 4]);
  expect(await ask({ family: 6 })).toMatchObject([{ code: "ENOTFOUND" }, []]);
});

test("a server that is not an address is refused", () => {
  expect(() => new NameLookup({ servers: ["nowhere"] })).toThrow(/Invalid IP address/);
});
