/**
 * A TCP proxy on loopback that fails on demand: it resets connections, holds all data back for a while, refuses new
 * connections, or adds latency. Data that was held back is delivered later, as after an outage of a network.
 */
import { connect, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./private-server.mjs";

/** @typedef {import("node:net").Socket} Socket */

/** Most pieces per direction that are held back before the sender has to wait. */
const MAX_WAITING = 64;
/** The longest possible timer. */
const MAX_TIMER = 2 ** 31 - 1;

/**
 * @typedef {object} FaultProxy
 * @property {number} port
 * @property {number} connections open connections
 * @property {() => void} reset sends RST on all connections
 * @property {(ms: number) => Promise<void>} blackhole accepts connections, but passes no data in either direction for
 *   this time. Resolves afterwards. 0 ends an earlier call
 * @property {(ms: number) => Promise<void>} refuse refuses new connections for this time. Resolves afterwards
 * @property {(ms: number) => void} latency added in each direction
 * @property {() => Promise<void>} close
 */

/**
 * @param {{ readonly host?: string, readonly port: number }} target
 * @returns {Promise<FaultProxy>}
 */
export async function startFaultProxy({ host = "127.0.0.1", port: targetPort }) {
  const weather = { heldUntil: 0, latencyMs: 0 };
  /** @type {Set<Link>} */
  const links = new Set();
  let isClosed = false;
  const open = () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const server = connect({ host, port: targetPort, allowHalfOpen: true, noDelay: true });
      const link = new Link(client, server, weather);
      links.add(link);
      client.once("close", () => links.delete(link));
    });
  /** @param {number} wanted */
  const listen = async (wanted) => {
    const listener = open();
    await new Promise((resolve, reject) => {
      listener.once("error", reject);
      listener.listen(wanted, "127.0.0.1", () => resolve(undefined));
    });
    return listener;
  };
  const port = await freePort();
  let listener = await listen(port);
  const reset = () => {
    for (const link of links) link.reset();
  };
  return {
    port,
    get connections() {
      return links.size;
    },
    reset,
    async blackhole(ms) {
      weather.heldUntil = performance.now() + ms;
      for (const link of links) link.pass();
      await wait(Math.min(ms, MAX_TIMER), undefined, { ref: false });
    },
    async refuse(ms) {
      listener.close();
      await wait(ms, undefined, { ref: false });
      if (!isClosed) listener = await listen(port);
    },
    latency(ms) {
      weather.latencyMs = ms;
    },
    async close() {
      isClosed = true;
      reset();
      if (listener.listening) await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** The connection of a client and its connection to the server. */
class Link {
  #sockets;
  #ways;

  /** @param {Socket} client @param {Socket} server @param {Weather} weather */
  constructor(client, server, weather) {
    this.#sockets = [client, server];
    this.#ways = [new OneWay(client, server, weather), new OneWay(server, client, weather)];
    for (const socket of this.#sockets) {
      // A connection that ended normally has already passed on its `end`.
      socket.on("error", () => this.reset());
      socket.on("close", (hadError) => {
        if (hadError || this.#sockets.every(({ readableEnded }) => readableEnded)) this.reset();
      });
    }
  }

  reset() {
    for (const way of this.#ways) way.stop();
    for (const socket of this.#sockets) if (!socket.destroyed) socket.resetAndDestroy();
  }

  pass() {
    for (const way of this.#ways) way.pass();
  }
}

/** @typedef {{ heldUntil: number, latencyMs: number }} Weather */

/** The data of one direction: in order, each piece not before its time. */
class OneWay {
  #from;
  #to;
  #weather;
  /** A piece without bytes is the end. @type {{ readonly at: number, readonly bytes?: Buffer }[]} */
  #waiting = [];
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {Socket} from @param {Socket} to @param {Weather} weather */
  constructor(from, to, weather) {
    this.#from = from;
    this.#to = to;
    this.#weather = weather;
    from.on("data", (bytes) => this.#take(bytes));
    from.on("end", () => this.#take(undefined));
    to.on("drain", () => this.pass());
  }

  stop() {
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  /** @param {Buffer | undefined} bytes */
  #take(bytes) {
    const at = performance.now() + this.#weather.latencyMs;
    this.#waiting.push(bytes === undefined ? { at } : { at, bytes });
    if (this.#waiting.length >= MAX_WAITING) this.#from.pause();
    this.pass();
  }

  /** Sends the pieces that are due, and sets a timer for the rest. */
  pass() {
    clearTimeout(this.#timer);
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const ms = Math.max(next.at, this.#weather.heldUntil) - performance.now();
      if (ms > 0) {
        this.#timer = setTimeout(() => this.pass(), Math.min(Math.ceil(ms), MAX_TIMER));
        return;
      }
      if (this.#to.writableNeedDrain) return;
      this.#waiting.shift();
      if (next.bytes === undefined) this.#to.end();
      else this.#to.write(next.bytes);
    }
    if (this.#from.isPaused()) this.#from.resume();
  }
}
