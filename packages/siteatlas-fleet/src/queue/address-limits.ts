/**
 * Limits the rate of requests to one address, and to one network, over all workers. Thousands of domains may share the
 * address of a hosting provider: each is visited politely, but all visits together could overload the server.
 *
 * Each address has a token bucket in Redis. A visit takes tokens for its usual number of requests before it starts. When
 * it ends, the difference to its real number is added or given back. Redis has the only clock.
 *
 * Not limited: requests to other hosts, such as sitemaps on a CDN.
 */
import type { RedisClient } from "./queues.ts";

export interface AddressLimitsOptions {
  readonly redis: RedisClient;
  /** Maximum number of requests per second to one address, over all workers. @default no limit */
  readonly perAddress?: number | undefined;
  /** The same for a network: the /24 of an IPv4 address, the /48 of an IPv6 address. @default no limit */
  readonly perNetwork?: number | undefined;
}

/** Requests of a usual visit: robots.txt, the homepage, 18 known locations and a sitemap. */
const USUAL_REQUESTS = 20;
/** A visit may start while the bucket lacks at most the tokens of this time. */
const BURST_MS = 1000;
/** A visit with many requests delays others of its address by at most this time. */
const MAX_DEBT_MS = 60_000;

/**
 * KEYS[1] the time in milliseconds at which the bucket is full again. ARGV[1] tokens to take, as milliseconds. ARGV[2]
 * take them only if the bucket is full within this time. Returns 0, or the milliseconds to wait.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
if full - now > tonumber(ARGV[2]) then return math.ceil(full - now - ARGV[2]) end
full = math.floor(full + ARGV[1])
if full <= now then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', full - now) end
return 0`;

/** The permission to start a visit. */
export interface VisitTicket {
  /** How long the visit must wait before it asks again. 0 if it may start. */
  readonly waitMs: number;
  /** Called when the visit is over. Takes or gives back tokens, so that each request has cost one. */
  settle(requests: number): Promise<void>;
}

const FREE: VisitTicket = { waitMs: 0, settle: async () => {} };

export class AddressLimits {
  readonly #options: AddressLimitsOptions;

  constructor(options: AddressLimitsOptions) {
    this.#options = options;
  }

  /** @param addresses the addresses of the host. Its requests are assumed to be spread evenly over them. */
  async take(addresses: readonly string[]): Promise<VisitTicket> {
    const buckets = this.#bucketsOf(addresses);
    if (buckets.length === 0) return FREE;
    const taken: typeof buckets = [];
    for (const bucket of buckets) {
      const waitMs = await this.#take(bucket, USUAL_REQUESTS, BURST_MS);
      if (waitMs > 0) {
        for (const other of taken) await this.#take(other, -USUAL_REQUESTS, Number.MAX_SAFE_INTEGER);
        return { waitMs, settle: async () => {} };
      }
      taken.push(bucket);
    }
    return {
      waitMs: 0,
      settle: async (requests) => {
        for (const bucket of buckets)
          await this.#take(bucket, requests - USUAL_REQUESTS, Number.MAX_SAFE_INTEGER);
      },
    };
  }

  async #take(
    { key, msPerRequest }: { readonly key: string; readonly msPerRequest: number },
    requests: number,
    burstMs: number,
  ): Promise<number> {
    const ms = Math.min(requests * msPerRequest, MAX_DEBT_MS);
    return Number(await this.#options.redis.eval(TAKE, 1, key, Math.round(ms), burstMs));
  }

  #bucketsOf(addresses: readonly string[]): { key: string; msPerRequest: number }[] {
    const { perAddress, perNetwork } = this.#options;
    const bucketsFor = (kind: string, names: readonly string[], rate: number | undefined) =>
      rate === undefined
        ? []
        : names.map((name) => ({ key: `{${kind}:${name}}`, msPerRequest: 1000 / rate / names.length }));
    return [
      ...bucketsFor("address", [...new Set(addresses)], perAddress),
      ...bucketsFor("network", [...new Set(addresses.map(networkOf))], perNetwork),
    ];
  }
}

/** The network of an address, such as `192.0.2` or `2001:db8:0`. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address.split(".").slice(0, 3).join(".");
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? 0 : tail.split(":").length;
  while (tail !== undefined && groups.length < 8 - last) groups.push("0");
  return groups.slice(0, 3).join(":");
}
