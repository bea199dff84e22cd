/** Runs legs of visits, either in walker processes (process-pool.ts) or in this process. */
import { checkArgument } from "../check/check-options.ts";
import { callable, having, type Rule } from "../check/rules.ts";
import type { LegContext, LegRequest, LegResult, VisitLeg } from "../model/visit.ts";
import type { Address } from "./name-lookup.ts";

export interface WalkOrder {
  readonly request: LegRequest;
  /** Whether the site may have caused a crash. If so, it gets a process to itself. */
  readonly isSuspect: boolean;
  /**
   * Whether the site was a suspect before, and may share a process again. A process has at most one such site.
   * Otherwise two suspects of the same crash could both be in the process at the next crash.
   */
  readonly wasSuspect: boolean;
  readonly signal: AbortSignal;
  /**
   * Returns the time when the lease ends, in nanoseconds of `process.hrtime`. All processes of a machine share this
   * clock.
   */
  readonly until: () => bigint;
  readonly onPause: LegContext["onPause"];
  /** Addresses of the host, as far as they are known. */
  readonly addresses?: readonly Address[] | undefined;
}

/** Thrown if the walker process ended without a result. */
export class WalkerCrash extends Error {
  override readonly name = "WalkerCrash";
  /** Whether the site was alone in the process, so that it must have caused the crash. */
  readonly wasAlone: boolean;
  /** A UUID of the crash. All sites that were in the process get the same UUID. */
  readonly id: string;
  /** Whether the process was killed because it no longer responded. No site is blamed for this. */
  readonly wasFrozen: boolean;

  constructor(
    message: string,
    { wasAlone, id, wasFrozen }: Pick<WalkerCrash, "wasAlone" | "id" | "wasFrozen">,
  ) {
    super(message);
    this.wasAlone = wasAlone;
    this.id = id;
    this.wasFrozen = wasFrozen;
  }
}

export interface Walkers {
  /** Runs one leg of a visit. @throws {WalkerCrash} if the walker process ended without a result */
  walk(order: WalkOrder): Promise<LegResult>;
  /** Replaces the stop list, which is the list of hosts that must not get requests, in all walkers. */
  stop(names: readonly string[]): void;
  /** Extends the leases of these hosts to the time `until` in all walkers. */
  hold(hosts: readonly string[], until: bigint): void;
  close(): Promise<void>;
}

const VISIT: Rule<VisitLeg> = callable();

export const WALKERS: Rule<Walkers> = having("walk", "walkers, such as new ProcessWalkers()");

/** Walks sites in this process, without protection against crashes. For tests, benchmarks and isolated deployments. */
export class InlineWalkers implements Walkers {
  readonly #visit: VisitLeg;
  #stops: ReadonlySet<string> = new Set();

  constructor(visit: VisitLeg) {
    checkArgument("InlineWalkers", "visit", VISIT, visit);
    this.#visit = visit;
  }

  walk({ request, signal, until, onPause }: WalkOrder): Promise<LegResult> {
    return this.#visit(request, {
      signal,
      onPause,
      isHeld: () => process.hrtime.bigint() < until(),
      isStopped: (host, domain) => this.#stops.has(host) || this.#stops.has(domain),
    });
  }

  stop(names: readonly string[]): void {
    this.#stops = new Set(names);
  }

  hold(): void {}

  async close(): Promise<void> {}
}
