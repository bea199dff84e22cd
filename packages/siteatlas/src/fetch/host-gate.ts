/**
 * Politeness: how many requests a host gets at once, how long to wait between two, and when to leave it
 * alone. There is one gate for each client (`gateOf`), so that all walks that share a client share it:
 * a thousand walks at once ask no host more often than one.
 *
 * Delays and pauses are the host's own. How many at once is counted for all hosts of a registrable domain
 * together, and once more for all that have one address: a thousand names can lead to one machine.
 */
import { isIP } from "node:net";
import type { Client } from "./client.ts";
import { MAX_TIMER } from "./deadline.ts";
import { loadedSiteOf, loadSiteOf } from "./site-of.ts";

export interface GateRules {
  /** Requests at once to one site; to one address, twice as many. */
  readonly concurrency: number;
  /** From one request to the next. */
  readonly delayMs: number;
}

/** A place at the gate. */
export interface Turn {
  /** The request goes to this address. If there is no room, a promise to wait for. */
  at(address: string, signal: AbortSignal): Promise<void> | undefined;
  /** The request is over. May be called twice. */
  leave(): void;
}

/** What several hosts have together: a registrable domain or an address. */
interface Share {
  /** Of an address, its name. */
  readonly address: string | undefined;
  /** How often the concurrency fits in. */
  readonly factor: number;
  active: number;
  /** How many hosts have this address. */
  hosts: number;
  /** The hosts for which somebody waits; the first has waited longest. */
  readonly waiting: Set<HostState>;
  /** Who has a connection to this address and waits to use it. */
  readonly arrivals: Waiter[];
}

interface HostState {
  readonly host: string;
  readonly hostname: string;
  readonly site: Share;
  /** The one that it was last connected to. */
  address: Share | undefined;
  active: number;
  /** No request before this. */
  notBefore: number;
  readonly waiting: Waiter[];
  timer: ReturnType<typeof setTimeout> | undefined;
}

interface Waiter {
  readonly rules: GateRules;
  readonly enter: () => void;
}

const gates = new WeakMap<Client, HostGate>();

/** The gate of this client, or of the one that it stands before. */
export function gateOf(client: Client): HostGate {
  if (client.before !== undefined) return gateOf(client.before);
  let gate = gates.get(client);
  if (gate === undefined) {
    gate = new HostGate();
    gates.set(client, gate);
  }
  return gate;
}

/** An address gets as many times the requests of a site at once (security.md 3.1, row 38). */
const ADDRESS_FACTOR = 2;

/** As many hosts are kept before those are looked for that can be forgotten; then twice as many as were left. */
const SWEEP_FROM = 256;

/** Of so many hosts the address is remembered while nobody asks them. */
const MAX_ADDRESSES = 4096;

export class HostGate {
  readonly #hosts: Map<string, HostState> = new Map();
  /** The hosts that end in the same two labels: only these can be of one site. */
  readonly #relatives: Map<string, Set<HostState>> = new Map();
  readonly #addresses: Map<string, Share> = new Map();
  readonly #addressOf: Map<string, string> = new Map();
  #sweepAt = SWEEP_FROM;

  /** Waits for a turn at this host, a name with or without its port. */
  enter(host: string, rules: GateRules, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    if (!this.#needsSite(host)) return this.#wait(host, rules, signal);
    return loadSiteOf().then(() => {
      signal.throwIfAborted();
      return this.#wait(host, rules, signal);
    });
  }

  /** The host asked for a pause: nobody enters before. */
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
        // It may have stood in the way.
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

  /** A request of this host begins. */
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
          const onAbort = (): void => {
            remove(share.arrivals, waiter);
            reject(signal.reason);
          };
          const done = (): void => {
            signal.removeEventListener("abort", onAbort);
            resolve();
          };
          const waiter: Waiter = {
            rules,
            enter: () => {
              enter();
              done();
            },
          };
          endWait = () => {
            remove(share.arrivals, waiter);
            done();
          };
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

  /** Lets in who can, host by host in turn. */
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
      // Nobody overtakes: who may come in only when it is empty would wait for ever.
      if (isFull(share, rules)) return;
      if (isFull(state.site, rules) || (state.address !== undefined && isFull(state.address, rules)))
        continue;
      share.waiting.delete(state);
      share.waiting.add(state);
      state.waiting.shift()!.enter();
      if (state.waiting.length === 0) this.#stopWaiting(state);
    }
  }

  /** Comes back when the pause of this host is over. */
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

  // ---------------------------------------------------------------- who shares what

  #state(host: string): HostState {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
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

  /** Another host of the same site. */
  #siblingOf(hostname: string): HostState | undefined {
    const site = loadedSiteOf()?.(hostname);
    for (const relative of this.#relativesOf(hostname)) {
      if (relative.hostname === hostname) return relative;
      if (site !== undefined && loadedSiteOf()?.(relative.hostname) === site) return relative;
    }
    return undefined;
  }

  /** Those that might be of the same site. */
  #relativesOf(hostname: string): Iterable<HostState> {
    const tail = tailOf(hostname);
    return (tail === undefined ? undefined : this.#relatives.get(tail)) ?? [];
  }

  /** Whether only the list of public suffixes can tell. */
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

  /** The host is at this address. */
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

  /** Forgets an address that no host has any more. */
  #drop({ address, active, hosts, arrivals }: Share): void {
    if (address !== undefined && active + hosts + arrivals.length === 0) this.#addresses.delete(address);
  }

  /** Forgets a host where nobody is or waits, unless it owes a pause. */
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

  /** Forgets the hosts whose pause ended with nobody waiting for it. */
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

/** The host without its port and without the dot of the root. */
function nameOf(host: string): string {
  return host.replace(/:\d*$/, "").replace(/\.$/, "");
}

/** `example.com` of `www.example.com`; an address and a name without a dot have none, and no relatives. */
function tailOf(hostname: string): string | undefined {
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return undefined;
  return /[^.]+\.[^.]+$/.exec(hostname)?.[0];
}
