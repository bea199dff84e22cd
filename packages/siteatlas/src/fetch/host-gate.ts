/**
 * Politeness: how many requests a host gets at once, how long to wait between two, and when to leave it
 * alone. There is one gate for each client (`gateOf`), so that all walks that share a client share it:
 * a thousand walks at once ask no host more often than one.
 */
import type { Client } from "./client.ts";
import { MAX_TIMER } from "./deadline.ts";

export interface GateRules {
  /** Requests at once. */
  readonly concurrency: number;
  /** From one request to the next. */
  readonly delayMs: number;
}

interface HostState {
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

/** The gate of this client. */
export function gateOf(client: Client): HostGate {
  let gate = gates.get(client);
  if (gate === undefined) {
    gate = new HostGate();
    gates.set(client, gate);
  }
  return gate;
}

/** As many hosts are kept before those are looked for that can be forgotten; then twice as many as were left. */
const SWEEP_FROM = 256;

/** Nobody is there or waits, and the host owes no pause: it can be forgotten. */
function isOver({ active, waiting, notBefore }: HostState): boolean {
  return active === 0 && waiting.length === 0 && notBefore <= performance.now();
}

export class HostGate {
  readonly #hosts: Map<string, HostState> = new Map();
  #sweepAt = SWEEP_FROM;

  /** Waits for a turn at this host. The function that it gives must be called when the request is over. */
  enter(host: string, rules: GateRules, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const state = this.#state(host);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        rules,
        enter: () => {
          signal.removeEventListener("abort", onAbort);
          state.active++;
          state.notBefore = Math.max(state.notBefore, performance.now() + rules.delayMs);
          let left = false;
          resolve(() => {
            if (left) return;
            left = true;
            state.active--;
            this.#advance(host, state);
          });
        },
      };
      const onAbort = (): void => {
        const at = state.waiting.indexOf(waiter);
        if (at >= 0) state.waiting.splice(at, 1);
        this.#advance(host, state);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      state.waiting.push(waiter);
      this.#advance(host, state);
    });
  }

  /** The host asked for a pause: nobody enters before. */
  pause(host: string, ms: number): void {
    const state = this.#state(host);
    state.notBefore = Math.max(state.notBefore, performance.now() + ms);
    this.#advance(host, state);
  }

  #state(host: string): HostState {
    let state = this.#hosts.get(host);
    if (state === undefined) {
      if (this.#hosts.size >= this.#sweepAt) this.#sweep();
      state = { active: 0, notBefore: 0, waiting: [], timer: undefined };
      this.#hosts.set(host, state);
    }
    return state;
  }

  #advance(host: string, state: HostState): void {
    while (state.waiting.length > 0 && state.active < state.waiting[0]!.rules.concurrency) {
      const wait = state.notBefore - performance.now();
      if (wait > 0) {
        clearTimeout(state.timer);
        state.timer = setTimeout(() => this.#advance(host, state), Math.min(wait, MAX_TIMER));
        return;
      }
      state.waiting.shift()!.enter();
    }
    if (state.waiting.length > 0) return;
    clearTimeout(state.timer);
    state.timer = undefined;
    if (isOver(state)) this.#hosts.delete(host);
  }

  /** Forgets the hosts whose pause ended with nobody waiting for it. */
  #sweep(): void {
    for (const [host, state] of this.#hosts) if (isOver(state)) this.#hosts.delete(host);
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#hosts.size);
  }
}
