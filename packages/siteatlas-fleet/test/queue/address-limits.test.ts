/** The limits per address and network, which all workers share. */
import { connectRedis } from "siteatlas-fleet";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AddressLimits } from "../../src/queue/address-limits.ts";
import { askRedis, type Redis, startRedis } from "../support/start-redis.mjs";

/** So low that a bucket does not fill up during a test. */
const SLOW = 0.01;

let redis: Redis;
let clients: ReturnType<typeof connectRedis>[];

beforeAll(async () => {
  redis = await startRedis();
  clients = [connectRedis(redis.url), connectRedis(redis.url)];
});

beforeEach(() => askRedis(redis.port, "FLUSHALL"));

afterAll(async () => {
  for (const client of clients ?? []) client.disconnect();
  await redis?.stop();
});

/** The limits as two workers see them. */
const workers = (rates: { perAddress?: number; perNetwork?: number }): AddressLimits[] =>
  clients.map((client) => new AddressLimits({ redis: client, ...rates }));

test("a second worker waits for an address that the first one visits, not for others", async () => {
  const [first, second] = workers({ perAddress: SLOW });
  expect((await first!.take(["192.0.2.1"])).waitMs).toBe(0);
  expect((await second!.take(["192.0.2.1"])).waitMs).toBeGreaterThan(0);
  expect((await second!.take(["192.0.2.2"])).waitMs).toBe(0);
});

test("addresses of one network share a limit", async () => {
  const [first, second] = workers({ perNetwork: SLOW });
  expect((await first!.take(["192.0.2.1"])).waitMs).toBe(0);
  expect((await second!.take(["192.0.2.200"])).waitMs).toBeGreaterThan(0);
  expect((await second!.take(["192.0.3.1"])).waitMs).toBe(0);
  expect((await first!.take(["2001:db8::1"])).waitMs).toBe(0);
  expect((await second!.take(["2001:db8:0:9::2"])).waitMs).toBeGreaterThan(0);
  expect((await second!.take(["2001:db8:1::1"])).waitMs).toBe(0);
});

test("a visit that sends no request gives its tokens back", async () => {
  const [first, second] = workers({ perAddress: SLOW });
  const ticket = await first!.take(["192.0.2.1"]);
  await ticket.settle(0);
  expect((await second!.take(["192.0.2.1"])).waitMs).toBe(0);
});

test("a visit that must wait takes no tokens of other addresses", async () => {
  const [first, second] = workers({ perAddress: SLOW });
  await first!.take(["192.0.2.2"]);
  expect((await second!.take(["192.0.2.1", "192.0.2.2"])).waitMs).toBeGreaterThan(0);
  expect((await second!.take(["192.0.2.1"])).waitMs).toBe(0);
});

test("a visit with many requests is settled, up to a minute", async () => {
  const [first, second] = workers({ perAddress: 1000 });
  const ticket = await first!.take(["192.0.2.1"]);
  await ticket.settle(1_000_000);
  const { waitMs } = await second!.take(["192.0.2.1"]);
  expect(waitMs).toBeGreaterThan(1000);
  expect(waitMs).toBeLessThanOrEqual(60_000);
});
