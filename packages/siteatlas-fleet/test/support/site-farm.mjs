/**
 * Thousands of generated sites in one process, all on one port, each at its own loopback address:
 * `node site-farm.mjs --sites 2000 --seed 1 --giant 5000`. It counts the requests to each site. A second port on
 * 127.0.0.1 returns the counts, clears them, and changes sites.
 *
 * `startFarm()` starts it as a separate process that ends with the caller. The sites themselves are in
 * farm-shapes.mjs. Needs a system that routes all of 127.0.0.0/8 to loopback, such as Linux.
 */
import { fork } from "node:child_process";
import { hash } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import {
  addToDigest,
  CONTENT_TYPES,
  expectedOf,
  formatDigest,
  giantShape,
  SHAPES,
  seededRandom,
  writeFile,
} from "./farm-shapes.mjs";
import { freePort } from "./private-server.mjs";

export { addToDigest, formatDigest };

/** @typedef {import("./farm-shapes.mjs").FarmedSite} FarmedSite */
/** @typedef {import("./farm-shapes.mjs").FarmedFile} FarmedFile */

const program = fileURLToPath(import.meta.url);
const PIECES = 8;
const PIECE_MS = 30;
const PORT_TRIES = 5;
/** 127.20.0.1 is site 1. */
const FIRST_BYTE = 20;

/**
 * @typedef {object} FarmOptions
 * @property {number} [sites] default 100
 * @property {number} [seed] default 1
 * @property {number} [giant] number of sitemaps of an additional, giant site; default 0, no giant
 * @property {number} [latencyMs] before each response, default 0. Without it requests hardly ever overlap
 */

/**
 * @typedef {object} FarmSite
 * @property {string} host with its port
 * @property {string} homepage
 * @property {string} shape
 * @property {number} generation how often it was changed
 * @property {number} expectedPages
 * @property {string} expectedDigest see `addToDigest`
 * @property {number} idealRequests of one walk with `respectRobots`, without repetitions
 * @property {number} idealRetries further requests of a walk, because two shapes answer 500 and 503
 * @property {boolean} isReadable whether it has any page to find
 */

/**
 * @typedef {object} HostStats
 * @property {number} requests
 * @property {Readonly<Record<string, number>>} paths number of requests for each
 * @property {Readonly<Record<string, number>>} statuses number of responses with each; `cut` if the client closed the connection early
 * @property {number} maxActive most requests in flight at once
 * @property {number} overlapping requests that started while another one was in flight
 * @property {number} firstAt `Date.now()` of the first request
 * @property {number} lastAt `Date.now()` of the last request
 */

/**
 * @typedef {object} FarmTotals
 * @property {number} hosts with at least one request
 * @property {number} requests
 * @property {number} bytes of bodies
 * @property {Readonly<Record<string, number>>} statuses
 * @property {number} maxActive of all hosts together
 * @property {number} maxActivePerHost
 */

/** @typedef {{ readonly totals: FarmTotals, readonly hosts: Readonly<Record<string, HostStats>> }} FarmStats */

/**
 * @typedef {object} Farm
 * @property {number} port of all sites
 * @property {readonly FarmSite[]} sites after the last `change()`; the giant is the last one
 * @property {() => Promise<FarmStats>} stats by host, for hosts with requests
 * @property {() => Promise<FarmTotals>} totals the same without the hosts
 * @property {() => Promise<void>} reset clears the counts; a sitemap that is busy once is busy again
 * @property {(fraction: number) => Promise<readonly FarmSite[]>} change changes the content of a fraction of the
 *   readable sites, chosen by the seed; returns these sites
 * @property {() => Promise<void>} close
 */

// ---------------------------------------------------------------- the client

/**
 * @param {FarmOptions} [options]
 * @returns {Promise<Farm>}
 */
export async function startFarm({ sites: count = 100, seed = 1, giant = 0, latencyMs = 0 } = {}) {
  const numbers = { sites: count, seed, giant, latency: latencyMs };
  const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = fork(program, args, { detached: true, execArgv: [] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  /** @type {{ readonly port: number, readonly adminPort: number }} */
  const { port, adminPort } = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The farm ended at once with code ${code}`)));
  });
  /** @param {string} path @param {string} [method] */
  const ask = async (path, method = "GET") => {
    // No connection may stay open, because tests look for leftovers.
    const response = await fetch(`http://127.0.0.1:${adminPort}${path}`, {
      method,
      headers: { connection: "close" },
    });
    if (!response.ok) throw new Error(`The farm answers ${response.status}: ${await response.text()}`);
    return response.json();
  };
  /** @type {FarmSite[]} */
  let sites = await ask("/sites");
  return {
    port,
    get sites() {
      return sites;
    },
    stats: () => ask("/stats"),
    totals: () => ask("/totals"),
    async reset() {
      await ask("/reset", "POST");
    },
    async change(fraction) {
      /** @type {FarmSite[]} */
      const changed = await ask(`/change?fraction=${fraction}`, "POST");
      const byHost = new Map(changed.map((site) => [site.host, site]));
      sites = sites.map((site) => byHost.get(site.host) ?? site);
      return changed;
    },
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/**
 * One walk with the library, as the fleet does it: the reference for all runs.
 *
 * @param {{ readonly homepage: string }} site
 */
export async function walkOnce({ homepage }) {
  const { createNodeClient, walkSitemaps } = await import("siteatlas");
  const own = createNodeClient({ allowPrivateNetworks: true });
  const result = { pages: 0, digest: "", requests: 0 };
  let digest = 0n;
  /** @type {import("siteatlas").Client} */
  const client = (request) => {
    result.requests++;
    return own(request);
  };
  try {
    for await (const event of walkSitemaps(homepage, { client, respectRobots: true, useCrawlDelay: true })) {
      if (event.kind !== "page") continue;
      result.pages++;
      digest = addToDigest(digest, event.sitemapUrl, event.page.url);
    }
  } finally {
    await own.close();
  }
  return { ...result, digest: formatDigest(digest) };
}

// ---------------------------------------------------------------- counts

class HostLog {
  requests = 0;
  active = 0;
  maxActive = 0;
  overlapping = 0;
  firstAt = 0;
  lastAt = 0;
  /** @type {Map<string, number>} */
  paths = new Map();
  /** @type {Map<string, number>} */
  statuses = new Map();

  /** @param {string} path */
  begin(path) {
    this.requests++;
    if (this.active > 0) this.overlapping++;
    this.maxActive = Math.max(this.maxActive, ++this.active);
    this.lastAt = Date.now();
    this.firstAt ||= this.lastAt;
    count(this.paths, path);
  }

  /** @param {string} status */
  end(status) {
    this.active--;
    count(this.statuses, status);
  }

  toJSON() {
    const { active, paths, statuses, ...rest } = this;
    return { ...rest, paths: Object.fromEntries(paths), statuses: Object.fromEntries(statuses) };
  }
}

/** @param {Map<string, number>} counts @param {string} name @param {number} [by] */
function count(counts, name, by = 1) {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

// ---------------------------------------------------------------- the program

class SiteFarm {
  port = 0;
  #seed;
  #giant;
  #latencyMs;
  #count;
  /** By the number of the site. */
  #generations;
  #changes = 0;
  /** @type {Map<number, HostLog>} */
  #logs = new Map();
  /** Sites whose busy sitemap was requested. @type {Set<number>} */
  #asked = new Set();
  #active = 0;
  #maxActive = 0;
  #bytes = 0;

  /** @param {Required<FarmOptions>} options */
  constructor({ sites, seed, giant, latencyMs }) {
    this.#latencyMs = latencyMs;
    this.#seed = seed;
    this.#giant = giant > 0 ? giantShape(giant) : undefined;
    this.#count = sites + (giant > 0 ? 1 : 0);
    this.#generations = new Uint16Array(this.#count);
  }

  async listen() {
    const http = createHttpServer({ keepAliveTimeout: 10_000, requestTimeout: 0 }, (request, response) => {
      this.#answer(request, response).catch((error) => response.destroy(error));
    });
    /** @param {import("node:net").Socket} socket */
    const take = (socket) => void http.emit("connection", socket);
    for (let tries = 1; ; tries++) {
      this.port = await freePort();
      const listeners = Array.from({ length: this.#count }, () => createServer({ noDelay: true }, take));
      const results = await Promise.allSettled(
        listeners.map((listener, number) => listenAt(listener, this.port, addressOf(number))),
      );
      const failed = results.find(({ status }) => status === "rejected");
      if (failed?.status !== "rejected") return;
      for (const listener of listeners) listener.close();
      if (tries === PORT_TRIES) throw failed.reason;
    }
  }

  /** @param {number} number @returns {FarmedSite} */
  #site(number) {
    const isGiant = this.#giant !== undefined && number === this.#count - 1;
    return {
      seed: this.#seed,
      number,
      generation: this.#generations[number] ?? 0,
      origin: `http://${addressOf(number)}:${this.port}`,
      shape: /** @type {import("./farm-shapes.mjs").Shape} */ (
        isGiant ? this.#giant : SHAPES[number % SHAPES.length]
      ),
    };
  }

  /** @param {number} number @returns {FarmSite} */
  describe(number) {
    const site = this.#site(number);
    const { shape, generation, origin } = site;
    const expected = expectedOf(site);
    return {
      host: new URL(origin).host,
      homepage: `${origin}/`,
      shape: shape.name,
      generation,
      ...expected,
      idealRequests: shape.requests,
      idealRetries: shape.retries,
      isReadable: expected.expectedPages > 0,
    };
  }

  /** @returns {FarmSite[]} */
  describeAll() {
    return Array.from({ length: this.#count }, (_, number) => this.describe(number));
  }

  /** @returns {FarmStats} */
  stats() {
    const hosts = [...this.#logs].map(([number, log]) => [`${addressOf(number)}:${this.port}`, log.toJSON()]);
    return { totals: this.totals(), hosts: Object.fromEntries(hosts) };
  }

  /** @returns {FarmTotals} */
  totals() {
    /** @type {Map<string, number>} */
    const statuses = new Map();
    let requests = 0;
    let maxActivePerHost = 0;
    for (const log of this.#logs.values()) {
      requests += log.requests;
      maxActivePerHost = Math.max(maxActivePerHost, log.maxActive);
      for (const [status, times] of log.statuses) count(statuses, status, times);
    }
    return {
      hosts: this.#logs.size,
      requests,
      bytes: this.#bytes,
      statuses: Object.fromEntries(statuses),
      maxActive: this.#maxActive,
      maxActivePerHost,
    };
  }

  reset() {
    this.#logs.clear();
    this.#asked.clear();
    this.#maxActive = this.#active;
    this.#bytes = 0;
  }

  /** @param {number} fraction */
  change(fraction) {
    if (!(fraction >= 0 && fraction <= 1)) throw new RangeError(`Cannot change ${fraction} of the sites`);
    const round = ++this.#changes;
    const changed = [];
    for (let number = 0; number < this.#count; number++) {
      if (seededRandom(this.#seed, number, round, 7) >= fraction) continue;
      if ([...this.#site(number).shape.lists()].length === 0) continue;
      this.#generations[number] = (this.#generations[number] ?? 0) + 1;
      changed.push(this.describe(number));
    }
    return changed;
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async #answer(request, response) {
    const number = numberOf(request.socket.localAddress ?? "");
    const path = request.url ?? "/";
    const log = this.#logs.get(number) ?? new HostLog();
    this.#logs.set(number, log);
    log.begin(path);
    this.#maxActive = Math.max(this.#maxActive, ++this.#active);
    response.on("close", () => {
      this.#active--;
      log.end(response.writableFinished ? String(response.statusCode) : "cut");
    });
    if (this.#latencyMs > 0) await wait(this.#latencyMs);
    const site = this.#site(number);
    const file = site.shape.fileAt(path);
    const early = this.#answerWithout(number, file);
    if (early !== undefined || file === undefined) {
      const { status, headers } = early ?? { status: 404, headers: {} };
      response.writeHead(status, { "content-type": "text/plain", ...headers }).end("Nothing to see here\n");
      return;
    }
    await this.#send(request, response, file, writeFile(site, file));
  }

  /**
   * The response in place of the file.
   *
   * @param {number} number
   * @param {FarmedFile | undefined} file
   * @returns {{ readonly status: number, readonly headers: Record<string, string> } | undefined}
   */
  #answerWithout(number, file) {
    if (file?.kind === "error") return { status: 500, headers: {} };
    if (file?.kind === "redirect") return { status: 301, headers: { location: file.paths?.[0] ?? "/" } };
    if (!file?.busyOnce || this.#asked.has(number)) return undefined;
    this.#asked.add(number);
    return { status: 503, headers: { "retry-after": "1" } };
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   * @param {FarmedFile} file
   * @param {string} text
   */
  async #send({ headers, method }, response, { kind, gzip, slow }, text) {
    const etag = `"${hash("sha256", text).slice(0, 20)}"`;
    response.setHeader("etag", etag);
    if (headers["if-none-match"]?.includes(etag)) {
      response.writeHead(304).end();
      return;
    }
    const bytes = gzip ? gzipSync(text, { level: 1 }) : Buffer.from(text);
    const type = gzip ? "application/gzip" : CONTENT_TYPES[kind];
    response.writeHead(200, { "content-type": type, "content-length": bytes.length });
    if (method === "HEAD") {
      response.end();
      return;
    }
    this.#bytes += bytes.length;
    const piece = slow ? Math.ceil(bytes.length / PIECES) : bytes.length;
    for (let at = 0; at < bytes.length; at += piece) {
      if (at > 0) await wait(PIECE_MS);
      if (response.destroyed) return;
      response.write(bytes.subarray(at, at + piece));
    }
    response.end();
  }
}

/** From 127.20.0.0 on. @param {number} number */
function addressOf(number) {
  return `127.${FIRST_BYTE + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}

/** @param {string} address */
function numberOf(address) {
  const [, high = 0, middle = 0, low = 0] = address.split(".").map(Number);
  return ((high - FIRST_BYTE) << 16) + (middle << 8) + low;
}

/**
 * @param {import("node:net").Server} server
 * @param {number} port
 * @param {string} host
 * @returns {Promise<void>}
 */
function listenAt(server, port, host) {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, resolve);
  });
}

/** Listens on the second port. @param {SiteFarm} farm */
async function listenForQuestions(farm) {
  /** @type {Readonly<Record<string, (query: URLSearchParams) => unknown>>} */
  const answers = {
    "GET /sites": () => farm.describeAll(),
    "GET /stats": () => farm.stats(),
    "GET /totals": () => farm.totals(),
    "POST /reset": () => farm.reset() ?? {},
    "POST /change": (query) => farm.change(Number(query.get("fraction") ?? "x")),
  };
  const server = createHttpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    try {
      const answer = answers[`${request.method} ${pathname}`];
      if (answer === undefined) response.writeHead(404).end("No such question\n");
      else response.setHeader("content-type", "application/json").end(JSON.stringify(answer(searchParams)));
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  await listenAt(server, 0, "127.0.0.1");
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

async function main() {
  const { values } = parseArgs({
    options: {
      sites: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
      giant: { type: "string", default: "0" },
      latency: { type: "string", default: "0" },
    },
  });
  const farm = new SiteFarm({
    sites: Number(values.sites),
    seed: Number(values.seed),
    giant: Number(values.giant),
    latencyMs: Number(values.latency),
  });
  await farm.listen();
  const adminPort = await listenForQuestions(farm);
  const { port } = farm;
  if (process.send === undefined) {
    console.log(`Sites:     http://${addressOf(0)}:${port}/ and following`);
    console.log(
      `Questions: http://127.0.0.1:${adminPort}/sites, /stats, /totals; POST /reset, /change?fraction=0.1`,
    );
  } else {
    process.on("disconnect", () => process.exit());
    process.send({ port, adminPort });
  }
}

if (process.argv[1] === program) await main();
