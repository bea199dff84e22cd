/**
 * Runs walks in separate processes, so that a crash (out of memory, an endless loop, a bug of the runtime) does not end
 * the worker and its locks. Many sites share a walker process. A site that may have caused a crash is a suspect. It
 * gets a process to itself: if that process also crashes, the site is the cause.
 *
 * Secrets stay in the worker. Walker processes inherit only harmless environment variables. The worker accesses the
 * store, and a proxy that needs a password, on behalf of its walker processes.
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { checkOptions, type OptionRules, objectOf } from "../check/check-options.ts";
import { required, wholeNumber } from "../check/rules.ts";
import type { LegResult } from "../model/visit.ts";
import { STUCK_MS, WALKER_SETTINGS, type WalkerSettings } from "../model/visit-settings.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { openStore } from "../store/open-store.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { FromWalker, ToWalker } from "./process-messages.ts";
import { hasCredentials, type ProxyRelay, startProxyRelay } from "./proxy-relay.ts";
import { runStoreCall, type StoreAccess } from "./run-store-call.ts";
import { WalkerCrash, type Walkers, type WalkOrder } from "./visit-runner.ts";
import { walkerEnvironment } from "./walker-environment.ts";

export interface ProcessWalkersOptions {
  readonly settings: WalkerSettings;
  readonly count: number;
  /** Maximum number of processes for suspects, which are sites that may have caused a crash. @default 4 */
  readonly suspects?: number | undefined;
  /** Maximum heap of each shared process, in MB. A process for a single suspect has half of it. @default 1024 */
  readonly memoryMb?: number | undefined;
}

const PROCESS_WALKERS_OPTIONS: OptionRules<ProcessWalkersOptions> = {
  settings: required(objectOf(WALKER_SETTINGS)),
  count: required(wholeNumber(1)),
  suspects: wholeNumber(1),
  memoryMb: wholeNumber(1),
};

interface Leg {
  readonly order: WalkOrder;
  readonly resolve: (result: LegResult) => void;
  readonly reject: (reason: unknown) => void;
  readonly onAbort: () => void;
}

type Role = "shared" | "alone";

const SCRIPT = fileURLToPath(new URL("./visit-process.js", import.meta.url));
/**
 * The smallest heap of a process for a single suspect, which is a site that may have caused a crash. Such a process has
 * half of `memoryMb`, but at least this much, and never more than `memoryMb`.
 */
const LEAST_SUSPECT_MB = 256;
/** The process of a suspect is used for another suspect only if less than this share of its heap is in use. */
const CLEAN_SHARE = 0.5;
/** A process that does not end within this time is killed. */
const END_MS = 5000;
/**
 * A process that sends nothing for `stuckMs` times this factor is killed. Its own watchdog acts earlier if only the
 * event loop is blocked.
 */
const FROZEN_FACTOR = 1.5;
/** The same for a process that is starting. If the machine is busy, loading the modules takes seconds. */
const START_MS = 60_000;

export class ProcessWalkers implements Walkers {
  readonly #options: ProcessWalkersOptions;
  #shared: WalkerProcess[] = [];
  readonly #alone: Set<WalkerProcess> = new Set();
  /** Callbacks that start the visits of suspects. They wait for a free process. */
  readonly #waiting: (() => void)[] = [];
  #aloneCount = 0;
  #stops: readonly string[] = [];
  #store: Promise<ObjectStore> | undefined;
  #relay: Promise<ProxyRelay> | undefined;

  constructor(options: ProcessWalkersOptions) {
    checkOptions("ProcessWalkers", PROCESS_WALKERS_OPTIONS, options);
    this.#options = options;
  }

  async walk(order: WalkOrder): Promise<LegResult> {
    const settings = await this.#walkerSettings();
    const shared = order.isSuspect ? undefined : this.#leastBusy(order, settings);
    return shared === undefined ? this.#walkAlone(order, settings) : shared.walk(order);
  }

  /** Returns the settings for walker processes, without the credentials of the proxy. */
  async #walkerSettings(): Promise<WalkerSettings> {
    const { settings } = this.#options;
    const { proxy } = settings;
    if (proxy === undefined || !hasCredentials(proxy)) return settings;
    this.#relay ??= startProxyRelay(proxy);
    return { ...settings, proxy: (await this.#relay).url };
  }

  hold(hosts: readonly string[], until: bigint): void {
    for (const walker of this.#all) walker.hold(hosts, until);
  }

  stop(names: readonly string[]): void {
    this.#stops = names;
    for (const walker of this.#all) walker.stop(names);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((walker) => walker.end()));
    await this.#store?.then((store) => store.close());
    (await this.#relay)?.close();
  }

  get #all(): WalkerProcess[] {
    return [...this.#shared, ...this.#alone];
  }

  #start(role: Role, settings: WalkerSettings): WalkerProcess {
    const walker = new WalkerProcess({ ...this.#options, settings }, role, () => this.#openStore());
    walker.stop(this.#stops);
    return walker;
  }

  /**
   * Returns the shared process with the fewest sites. A process has at most one former suspect. For a former suspect,
   * returns undefined if every process already has a former suspect.
   */
  #leastBusy({ wasSuspect }: WalkOrder, settings: WalkerSettings): WalkerProcess | undefined {
    this.#shared = this.#shared.filter(({ isGone }) => !isGone);
    if (this.#shared.length < this.#options.count) this.#shared.push(this.#start("shared", settings));
    const free = wasSuspect ? this.#shared.filter((walker) => !walker.hasFormerSuspect) : this.#shared;
    return free.toSorted((a, b) => a.size - b.size)[0];
  }

  #openStore(): Promise<ObjectStore> {
    this.#store ??= openStore(this.#options.settings.store).catch((error: unknown) => {
      // Forget the failed attempt, so that the next call opens the store again.
      this.#store = undefined;
      throw error;
    });
    return this.#store;
  }

  async #walkAlone(order: WalkOrder, settings: WalkerSettings): Promise<LegResult> {
    const { suspects = 4 } = this.#options;
    while (this.#aloneCount >= suspects) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#aloneCount++;
    try {
      order.signal.throwIfAborted();
      return await this.#walkAsOnlySite(order, settings);
    } finally {
      this.#aloneCount--;
      this.#waiting.shift()?.();
    }
  }

  /**
   * Walks a site in a process without other sites. An idle process is used again only if most of its heap is free.
   * Otherwise memory that the last site left there could make this site crash.
   */
  async #walkAsOnlySite(order: WalkOrder, settings: WalkerSettings): Promise<LegResult> {
    const idle = [...this.#alone].find((process) => process.size === 0 && !process.isGone && process.isClean);
    const walker = idle ?? this.#start("alone", settings);
    this.#alone.add(walker);
    try {
      return await walker.walk(order);
    } finally {
      if (!walker.isClean) void walker.end().then(() => this.#alone.delete(walker));
    }
  }
}

class WalkerProcess {
  readonly #process: ChildProcess;
  readonly #legs: Map<string, Leg> = new Map();
  readonly #gone: Promise<void>;
  isGone = false;
  /** The first site of this process. `#wasShared` says whether the process had another site since. */
  #firstHost: string | undefined;
  #wasShared = false;
  readonly #role: Role;
  readonly #heapMb: number;
  #heapBytes = 0;
  #hasStops = false;
  #isReady = false;
  #unfit: string | undefined;
  readonly #access: StoreAccess;
  readonly #heartbeat: Heartbeat;
  #isFrozen = false;

  /** The role is also an argument of the process, so that `ps` shows it. */
  constructor({ settings, memoryMb = 1024 }: ProcessWalkersOptions, role: Role, open: StoreAccess["open"]) {
    const requestOf: StoreAccess["requestOf"] = (host) => this.#legs.get(host)?.order.request;
    this.#access = { open, folder: settings.folder, requestOf };
    // A process for one suspect has only half of the heap. A site that needs more than that may crash shared processes,
    // so it must also crash when it is alone.
    const suspectMb = Math.min(memoryMb, Math.max(LEAST_SUSPECT_MB, Math.round(memoryMb / 2)));
    this.#role = role;
    this.#heapMb = role === "alone" ? suspectMb : memoryMb;
    this.#process = fork(SCRIPT, [role], {
      execArgv: [`--max-old-space-size=${this.#heapMb}`, "--disable-warning=ExperimentalWarning"],
      env: walkerEnvironment(process.env),
      // JSON would turn a limit of Infinity into null.
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#heartbeat = new Heartbeat({
      frozenMs: () => (this.#isReady ? FROZEN_FACTOR * (settings.stuckMs ?? STUCK_MS) : START_MS),
      ping: () => this.#send({ kind: "ping" }),
      onFrozen: () => {
        this.#isFrozen = true;
        this.#process.kill("SIGKILL");
      },
    });
    this.#process.on("message", (message: FromWalker) => this.#take(message));
    this.#gone = new Promise((resolve) => {
      const end = (how: string): void => {
        this.isGone = true;
        this.#heartbeat.end();
        this.#crash(this.#isFrozen ? "it did not respond" : how);
        resolve();
      };
      this.#process.on("exit", (code, signal) => end(signal ?? `exit code ${code}`));
      // A process without a pid did not start, and emits no exit event. Other errors are about messages and are
      // ignored.
      this.#process.on("error", ({ message }) => {
        if (this.#process.pid === undefined) end(message);
      });
    });
    this.#send({ kind: "settings", settings });
  }

  get size(): number {
    return this.#legs.size;
  }

  /** Whether most of the heap is free after the last visit. */
  get isClean(): boolean {
    return !this.isGone && this.#heapBytes < CLEAN_SHARE * this.#heapMb * 2 ** 20;
  }

  get hasFormerSuspect(): boolean {
    return [...this.#legs.values()].some(({ order }) => order.wasSuspect);
  }

  walk(order: WalkOrder): Promise<LegResult> {
    const { request, signal, until, addresses = [] } = order;
    const { host } = request;
    signal.throwIfAborted();
    return new Promise<LegResult>((resolve, reject) => {
      const onAbort = (): void => this.#send({ kind: "cancel", host });
      signal.addEventListener("abort", onAbort, { once: true });
      this.#legs.set(host, { order, resolve, reject, onAbort });
      this.#firstHost ??= host;
      this.#wasShared ||= this.#firstHost !== host;
      this.#send({ kind: "walk", request, until: String(until()), addresses });
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
    // Ignore a failure to send: if the process is gone, its exit event ends the visits.
    if (this.#process.connected) this.#process.send(message, undefined, undefined, () => {});
  }

  #take(message: FromWalker): void {
    this.#heartbeat.hear();
    if (message.kind === "ready") this.#isReady = true;
    if (message.kind === "unfit") this.#unfit = message.message;
    if (message.kind === "ready" || message.kind === "unfit" || message.kind === "alive") return;
    if (message.kind === "store") {
      void runStoreCall(message, this.#access).then((answer) => this.#send(answer));
      return;
    }
    const leg = this.#legs.get(message.host);
    if (leg === undefined) return;
    if (message.kind === "paused") {
      leg.order.onPause(message.domain, message.ms);
      return;
    }
    this.#forget(message.host, leg);
    this.#heapBytes = message.heapBytes;
    if (message.kind === "walked") leg.resolve(message.result);
    else leg.reject(Object.assign(new Error(message.message), { code: message.code }));
  }

  #forget(host: string, { order, onAbort }: Leg): void {
    this.#legs.delete(host);
    order.signal.removeEventListener("abort", onAbort);
  }

  #crash(how: string): void {
    const id = randomUUID();
    const wasAlone = this.#role === "alone" || !this.#wasShared;
    const company = this.#legs.size > 1 ? ` while it visited ${this.#legs.size} sites` : "";
    for (const [host, leg] of this.#legs) {
      this.#forget(host, leg);
      // Whether the process started. If it did not, no site caused the failure.
      const isFault = this.#isReady && this.#unfit === undefined;
      const message = `the walker process ${isFault ? "ended" : "could not start"}: ${this.#unfit ?? how}${isFault ? company : ""}`;
      const crash = { wasAlone, id, wasFrozen: this.#isFrozen };
      leg.reject(isFault ? new WalkerCrash(message, crash) : new Error(message));
    }
  }
}
