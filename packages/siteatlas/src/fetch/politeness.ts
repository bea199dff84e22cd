/**
 * Politeness: limits concurrent requests, and keeps the delays and pauses between requests. Each client has one gate
 * (`gateOf`), which gives out request slots. All walks with this client share the gate, so that a thousand concurrent
 * walks request a host no faster than one walk.
 *
 * Delays and pauses apply per host. Concurrent requests are counted per registrable domain and again per address,
 * because a thousand host names can resolve to one machine.
 */
import { isIP } from "node:net";
import type { Client } from "./client/client.ts";
import { loadedSiteOf, loadSiteOf } from "./registrable-domain.ts";
import { MAX_TIMER } from "./timeout-signal.ts";

export interface GateRules {
  /** Maximum number of concurrent requests per site. An address may have twice as many. */
  readonly concurrency: number;
  /** Minimum time between the starts of two requests to a host. */
  readonly delayMs: number;
}

/** A request slot: the permission to send one request now. */
export interface Turn {
  /** Call this when the connection is open. Returns a promise if the request must wait for a slot of this address. */
  at(address: string, signal: AbortSignal): Promise<void> | undefined;
  /** Frees the slot. May be called twice. */
  leave(): void;
}

/** Request slots that several hosts share, because they have the same registrable domain or the same address. */
interface Share {
  /** The address. Undefined if this is the share of a registrable domain. */
  readonly address: string | undefined;
  /** Number of slots = `concurrency` × this factor. The factor is 1 for a domain and 2 for an address. */
  readonly factor: number;
  active: number;
  /** Number of stored hosts with this address. 0 for the share of a domain. */
  hosts: number;
  /** Hosts with waiting requests. The first host gets the next slot. */
  readonly waiting: Set<HostState>;
  /** Requests that are already connected to this address and wait for a slot. */
  readonly arrivals: Waiter[];
}

interface HostState {
  readonly host: string;
  readonly hostname: string;
  readonly site: Share;
  /** The address of the last connection. */
  address: Share | undefined;
  active: number;
  /** No request starts before this time. */
  notBefore: number;
  readonly waiting: Waiter[];
  timer: ReturnType<typeof setTimeout> | undefined;
}

interface Waiter {
  readonly rules: GateRules;
  readonly enter: () => void;
}

const gates = new WeakMap<Client, HostGate>();

/** Returns the gate of this client, or of the innermost client that it wraps. */
export function gateOf(client: Client): HostGate {
  if (client.wraps !== undefined) return gateOf(client.wraps);
  let gate = gates.get(client);
  if (gate === undefined) {
    gate = new HostGate();
    gates.set(client, gate);
  }
  return gate;
}

/** `factor` of an IP address: it may get twice as many concurrent requests as one site. */
const ADDRESS_FACTOR = 2;

/** When this number of hosts is stored, idle hosts are removed. This is repeated each time the number has doubled. */
const SWEEP_FROM = 256;

/** Maximum number of hosts whose address is remembered. */
const MAX_ADDRESSES = 4096;

export class HostGate {
  readonly #hosts: Map<string, HostState> = new Map();
  /** Hosts by the last two labels of their name, such as `example.com`. All hosts of one site are in the same set. */
  readonly #relatives: Map<string, Set<HostState>> = new Map();
  readonly #addresses: Map<string, Share> = new Map();
  readonly #addressOf: Map<string, string> = new Map();
  #sweepAt = SWEEP_FROM;

  /** Waits for a slot. `host` may include a port. */
  enter(host: string, rules: GateRules, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    if (!this.#needsSite(host)) return this.#wait(host, rules, signal);
    return loadSiteOf().then(() => {
      signal.throwIfAborted();
      return this.#wait(host, rules, signal);
    });
  }

  /** Delays all requests to this host by at least `ms` milliseconds, for example because of Retry-After. */
  pause(host: string, ms: number): void {
    const state = this.#state(host);
    state.notBefore = Math.max(state.notBefore, performance.now() + ms);
    this.#arm(state);
  }

  #wait(host: string, rules: GateRules, signal: AbortSignal): Promise<Turn> {
    const state = this.#state(host);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        rules,
        enter: () => {
          signal.removeEventListener("abort", onAbort);
          resolve(this.#begin(state, rules));
        },
      };
      const onAbort = (): void => {
        remove(state.waiting, waiter);
        if (state.waiting.length === 0) this.#stopWaiting(state);
        // Requests that waited behind the aborted request may start now.
        this.#advance(state.site);
        if (state.address !== undefined) this.#advance(state.address);
        this.#forget(state);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      state.waiting.push(waiter);
      state.site.waiting.add(state);
      state.address?.waiting.add(state);
      this.#advance(state.site);
    });
  }

  #begin(state: HostState, rules: GateRules): Turn {
    const { site } = state;
    let { address } = state;
    let endWait: (() => void) | undefined;
    let left = false;
    state.active++;
    state.notBefore = Math.max(state.notBefore, performance.now() + rules.delayMs);
    site.active++;
    if (address !== undefined) address.active++;
    const leaveAddress = (): void => {
      const before = address;
      address = undefined;
      if (before === undefined) return;
      before.active--;
      this.#advance(before);
      this.#drop(before);
    };
    return {
      at: (name, signal) => {
        const share = this.#settle(state, name);
        if (left || share === address) return undefined;
        leaveAddress();
        const enter = (): void => {
          share.active++;
          address = share;
        };
        if (share.arrivals.length === 0 && !isFull(share, rules)) {
          enter();
          return undefined;
        }
        return new Promise<void>((resolve, reject) => {
          const end = (): void => {
            remove(share.arrivals, waiter);
            signal.removeEventListener("abort", onAbort);
            resolve();
          };
          const waiter: Waiter = {
            rules,
            enter: () => {
              enter();
              end();
            },
          };
          const onAbort = (): void => {
            remove(share.arrivals, waiter);
            reject(signal.reason);
          };
          endWait = end;
          share.arrivals.push(waiter);
          if (signal.aborted) onAbort();
          else signal.addEventListener("abort", onAbort, { once: true });
        });
      },
      leave: () => {
        if (left) return;
        left = true;
        endWait?.();
        state.active--;
        site.active--;
        this.#advance(site);
        leaveAddress();
        this.#forget(state);
      },
    };
  }

  /** Starts as many waiting requests as there are free slots. Hosts take turns. */
  #advance(share: Share): void {
    while (share.arrivals.length > 0) {
      if (isFull(share, share.arrivals[0]!.rules)) return;
      share.arrivals.shift()!.enter();
    }
    for (const state of share.waiting) {
      if (state.notBefore > performance.now()) {
        this.#arm(state);
        continue;
      }
      const { rules } = state.waiting[0]!;
      // Stop here, so that no request overtakes this one. Otherwise a walk with concurrency 1 would never get a slot
      // while walks with a higher concurrency are running.
      if (isFull(share, rules)) return;
      if (isFull(state.site, rules) || (state.address !== undefined && isFull(state.address, rules)))
        continue;
      share.waiting.delete(state);
      share.waiting.add(state);
      state.waiting.shift()!.enter();
      if (state.waiting.length === 0) this.#stopWaiting(state);
    }
  }

  /** Sets a timer that starts waiting requests when the pause or delay of this host has ended. */
  #arm(state: HostState): void {
    clearTimeout(state.timer);
    if (state.waiting.length === 0) return;
    const wait = state.notBefore - performance.now();
    state.timer = setTimeout(() => this.#advance(state.site), Math.min(Math.max(wait, 0), MAX_TIMER));
  }

  #stopWaiting(state: HostState): void {
    state.site.waiting.delete(state);
    state.address?.waiting.delete(state);
    clearTimeout(state.timer);
    state.timer = undefined;
  }

  // ---------------------------------------------------------------- sites and addresses

  #state(given: string): HostState {
    const known = this.#hosts.get(given);
    if (known !== undefined) return known;
    // Copy the host: it is a slice of a URL, and would keep the whole URL in memory.
    const host = Buffer.from(given, "latin1").toString("latin1");
    if (this.#hosts.size >= this.#sweepAt) this.#sweep();
    const hostname = nameOf(host);
    const state: HostState = {
      host,
      hostname,
      site: this.#siblingOf(hostname)?.site ?? newShare(1),
      address: undefined,
      active: 0,
      notBefore: 0,
      waiting: [],
      timer: undefined,
    };
    this.#hosts.set(host, state);
    const tail = tailOf(hostname);
    if (tail !== undefined) this.#relatives.set(tail, (this.#relatives.get(tail) ?? new Set()).add(state));
    const address = this.#addressOf.get(host);
    if (address !== undefined) this.#settle(state, address);
    return state;
  }

  #siblingOf(hostname: string): HostState | undefined {
    const site = loadedSiteOf()?.(hostname);
    for (const relative of this.#relativesOf(hostname)) {
      if (relative.hostname === hostname) return relative;
      if (site !== undefined && loadedSiteOf()?.(relative.hostname) === site) return relative;
    }
    return undefined;
  }

  /** Returns the hosts that may belong to the same site. */
  #relativesOf(hostname: string): Iterable<HostState> {
    const tail = tailOf(hostname);
    return (tail === undefined ? undefined : this.#relatives.get(tail)) ?? [];
  }

  /** Whether the public suffix list must be loaded first, to know which site the host belongs to. */
  #needsSite(host: string): boolean {
    if (loadedSiteOf() !== undefined || this.#hosts.has(host)) return false;
    const hostname = nameOf(host);
    const relatives = [...this.#relativesOf(hostname)];
    return relatives.length > 0 && relatives.every((relative) => relative.hostname !== hostname);
  }

  #shareAt(address: string): Share {
    let share = this.#addresses.get(address);
    if (share === undefined) {
      share = newShare(ADDRESS_FACTOR, address);
      this.#addresses.set(address, share);
    }
    return share;
  }

  /** Stores the address of a host. */
  #settle(state: HostState, address: string): Share {
    const share = this.#shareAt(address);
    this.#addressOf.delete(state.host);
    this.#addressOf.set(state.host, address);
    if (this.#addressOf.size > MAX_ADDRESSES) {
      this.#addressOf.delete(this.#addressOf.keys().next().value!);
    }
    if (state.address !== share) {
      this.#unsettle(state);
      state.address = share;
      share.hosts++;
      if (state.waiting.length > 0) share.waiting.add(state);
    }
    return share;
  }

  #unsettle(state: HostState): void {
    const { address } = state;
    state.address = undefined;
    if (address === undefined) return;
    address.waiting.delete(state);
    address.hosts--;
    this.#drop(address);
  }

  /** Removes an address that has no hosts and no requests. */
  #drop({ address, active, hosts, arrivals }: Share): void {
    if (address !== undefined && active + hosts + arrivals.length === 0) this.#addresses.delete(address);
  }

  /** Removes a host without requests, unless it is paused. */
  #forget(state: HostState): void {
    const { host, hostname, active, waiting, notBefore } = state;
    if (active > 0 || waiting.length > 0 || notBefore > performance.now()) return;
    this.#hosts.delete(host);
    this.#unsettle(state);
    const tail = tailOf(hostname);
    const relatives = tail === undefined ? undefined : this.#relatives.get(tail);
    relatives?.delete(state);
    if (relatives?.size === 0) this.#relatives.delete(tail!);
  }

  /** Removes idle hosts whose pause has ended. */
  #sweep(): void {
    for (const state of this.#hosts.values()) this.#forget(state);
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#hosts.size);
  }
}

function newShare(factor: number, address?: string): Share {
  return { address, factor, active: 0, hosts: 0, waiting: new Set(), arrivals: [] };
}

function isFull({ factor, active }: Share, { concurrency }: GateRules): boolean {
  return active >= factor * concurrency;
}

function remove(waiters: Waiter[], waiter: Waiter): void {
  const at = waiters.indexOf(waiter);
  if (at >= 0) waiters.splice(at, 1);
}

/** The host without its port and trailing dot. */
function nameOf(host: string): string {
  return host.replace(/:\d*$/, "").replace(/\.$/, "");
}

/** The last two labels: `example.com` of `www.example.com`. Undefined for addresses and names without a dot. */
function tailOf(hostname: string): string | undefined {
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return undefined;
  return /[^.]+\.[^.]+$/.exec(hostname)?.[0];
}
