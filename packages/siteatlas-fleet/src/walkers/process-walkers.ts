/**
 * Legs are walked in processes of their own, so that a site that makes one crash (no memory left, an endless loop, a
 * fault of the runtime) takes neither the worker nor its locks with it. Many legs share a process; one that may be
 * what a process died of (a suspect) has one to itself, so that its second crash is proof.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { LegResult } from "../leg.ts";
import type { WalkerSettings } from "../settings.ts";
import type { FromWalker, ToWalker } from "./messages.ts";
import { WalkerCrash, type Walkers, type WalkOrder } from "./walkers.ts";

export interface ProcessWalkersOptions {
  readonly settings: WalkerSettings;
  /** Processes that are shared. */
  readonly count: number;
  /** Processes for suspects, at most. @default 2 */
  readonly suspects?: number;
  /** Heap of each, in MB. @default 1024 */
  readonly memoryMb?: number;
}

interface Leg {
  readonly order: WalkOrder;
  readonly resolve: (result: LegResult) => void;
  readonly reject: (reason: unknown) => void;
  readonly onAbort: () => void;
}

type Role = "shared" | "alone";

const SCRIPT = fileURLToPath(new URL("./walker-process.js", import.meta.url));
/** A process that was told to end has so long. */
const END_MS = 5000;

export class ProcessWalkers implements Walkers {
  readonly #options: ProcessWalkersOptions;
  readonly #shared: (Walker | undefined)[];
  readonly #alone: Set<Walker> = new Set();
  /** Suspects that wait for a process. */
  readonly #waiting: (() => void)[] = [];
  #aloneCount = 0;
  #stops: readonly string[] = [];

  constructor(options: ProcessWalkersOptions) {
    this.#options = options;
    this.#shared = Array.from({ length: options.count }, () => undefined);
  }

  walk(order: WalkOrder): Promise<LegResult> {
    return order.isSuspect ? this.#walkAlone(order) : this.#leastBusy().walk(order);
  }

  hold(hosts: readonly string[], until: bigint): void {
    for (const walker of [...this.#shared, ...this.#alone]) walker?.hold(hosts, until);
  }

  stop(names: readonly string[]): void {
    this.#stops = names;
    for (const walker of [...this.#shared, ...this.#alone]) walker?.stop(names);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shared, ...this.#alone].map((walker) => walker?.end()));
  }

  #start(role: Role): Walker {
    const walker = new Walker(this.#options, role);
    walker.stop(this.#stops);
    return walker;
  }

  #leastBusy(): Walker {
    let best = 0;
    for (let at = 0; at < this.#shared.length; at++) {
      const walker = this.#shared[at];
      if (walker === undefined || walker.isGone) {
        this.#shared[at] = this.#start("shared");
        best = at;
        break;
      }
      if (walker.size < this.#shared[best]!.size) best = at;
    }
    return this.#shared[best]!;
  }

  async #walkAlone(order: WalkOrder): Promise<LegResult> {
    const { suspects = 2 } = this.#options;
    while (this.#aloneCount >= suspects) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#aloneCount++;
    const idle = [...this.#alone].find((walker) => walker.size === 0 && !walker.isGone);
    const walker = idle ?? this.#start("alone");
    this.#alone.add(walker);
    try {
      return await walker.walk(order);
    } finally {
      if (walker.isGone) this.#alone.delete(walker);
      this.#aloneCount--;
      this.#waiting.shift()?.();
    }
  }
}

/** One process. */
class Walker {
  readonly #process: ChildProcess;
  readonly #legs: Map<string, Leg> = new Map();
  readonly #gone: Promise<void>;
  isGone = false;
  /** Something else was walked here while this was. */
  #wasShared = false;
  #hasStops = false;
  #isReady = false;
  /** Why it cannot walk. */
  #unfit: string | undefined;

  /** What it is for is in the list of processes. */
  constructor({ settings, memoryMb = 1024 }: ProcessWalkersOptions, role: Role) {
    this.#process = fork(SCRIPT, [role], {
      execArgv: [`--max-old-space-size=${memoryMb}`, "--disable-warning=ExperimentalWarning"],
      serialization: "json",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#process.on("message", (message: FromWalker) => this.#take(message));
    this.#gone = new Promise((resolve) => {
      const end = (how: string): void => {
        this.isGone = true;
        this.#crash(how);
        resolve();
      };
      this.#process.on("exit", (code, signal) => end(signal ?? `exit code ${code}`));
      // It could not even be started: no exit follows. Of one that runs, it is a message that could not be sent.
      this.#process.on("error", ({ message }) => {
        if (this.#process.pid === undefined) end(message);
      });
    });
    this.#send({ kind: "settings", settings });
  }

  get size(): number {
    return this.#legs.size;
  }

  walk(order: WalkOrder): Promise<LegResult> {
    const { request, signal, until } = order;
    const { host } = request;
    signal.throwIfAborted();
    return new Promise<LegResult>((resolve, reject) => {
      const onAbort = (): void => this.#send({ kind: "cancel", host });
      signal.addEventListener("abort", onAbort, { once: true });
      this.#legs.set(host, { order, resolve, reject, onAbort });
      this.#wasShared = this.#legs.size > 1 || (this.#wasShared && this.#legs.size > 0);
      this.#send({ kind: "walk", request, until: String(until()) });
    });
  }

  stop(names: readonly string[]): void {
    if (names.length > 0 || this.#hasStops) this.#send({ kind: "stop", names });
    this.#hasStops = names.length > 0;
  }

  hold(hosts: readonly string[], until: bigint): void {
    const own = hosts.filter((host) => this.#legs.has(host));
    if (own.length > 0) this.#send({ kind: "hold", hosts: own, until: String(until) });
  }

  async end(): Promise<void> {
    if (this.isGone) return;
    this.#send({ kind: "end" });
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), END_MS);
    await this.#gone;
    clearTimeout(timer);
  }

  #send(message: ToWalker): void {
    // One that is gone has told so, or will.
    if (this.#process.connected) this.#process.send(message, undefined, undefined, () => {});
  }

  #take(message: FromWalker): void {
    if (message.kind === "ready") this.#isReady = true;
    if (message.kind === "unfit") this.#unfit = message.message;
    if (message.kind === "ready" || message.kind === "unfit") return;
    const leg = this.#legs.get(message.host);
    if (leg === undefined) return;
    if (message.kind === "paused") {
      leg.order.onPause(message.domain, message.ms);
      return;
    }
    this.#forget(message.host, leg);
    if (message.kind === "walked") leg.resolve(message.result);
    else leg.reject(Object.assign(new Error(message.message), { code: message.code }));
  }

  #forget(host: string, { order, onAbort }: Leg): void {
    this.#legs.delete(host);
    order.signal.removeEventListener("abort", onAbort);
    if (this.#legs.size === 0) this.#wasShared = false;
  }

  #crash(how: string): void {
    const wasAlone = this.#legs.size === 1 && !this.#wasShared;
    for (const [host, leg] of this.#legs) {
      this.#forget(host, leg);
      // One that never got so far says nothing about the site.
      const isFault = this.#isReady && this.#unfit === undefined;
      const message = `the walking process ${isFault ? "ended" : "could not start"}: ${this.#unfit ?? how}`;
      leg.reject(isFault ? new WalkerCrash(message, wasAlone) : new Error(message));
    }
  }
}
