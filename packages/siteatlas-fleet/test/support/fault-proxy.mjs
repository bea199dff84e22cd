/**
 * A TCP proxy on loopback that fails when told to: it resets connections, swallows what is sent for a while,
 * refuses new connections, or makes everything late. What was swallowed comes after all, as it does when a
 * network is back.
 */
import { connect, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./private-server.mjs";

/** @typedef {import("node:net").Socket} Socket */

/** So many pieces of one direction wait here; then the sender has to. */
const MAX_WAITING = 64;
/** The longest that a timer takes. */
const MAX_TIMER = 2 ** 31 - 1;

/**
 * @typedef {object} FaultProxy
 * @property {number} port
 * @property {number} connections how many are open now
 * @property {() => void} reset RST for all connections, now
 * @property {(ms: number) => Promise<void>} blackhole accepts, but passes nothing in either direction; from now on,
 *   and the promise is kept when it is over. 0 ends an earlier one
 * @property {(ms: number) => Promise<void>} refuse no new connections, from now on; the open ones stay. The same promise
 * @property {(ms: number) => void} latency on top, each way, from now on
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

/** A connection from a client and the one that was made for it. */
class Link {
  #sockets;
  #ways;

  /** @param {Socket} client @param {Socket} server @param {Weather} weather */
  constructor(client, server, weather) {
    this.#sockets = [client, server];
    this.#ways = [new OneWay(client, server, weather), new OneWay(server, client, weather)];
    for (const socket of this.#sockets) {
      // One that ended in peace was told so by `end` already.
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

/** What is sent in one direction, in order, each piece not before its time. */
class OneWay {
  #from;
  #to;
  #weather;
  /** Without bytes it is the end. @type {{ readonly at: number, readonly bytes?: Buffer }[]} */
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

  /** Passes on what is due, and comes back for the rest. */
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
