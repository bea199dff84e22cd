/** Runs parts of visits: in walker processes (process-pool.ts) or in this process. */
import { checkArgument } from "../check/check-options.ts";
import { callable, having, type Rule } from "../check/rules.ts";
import type { LegContext, LegRequest, LegResult, VisitLeg } from "../model/visit.ts";

export interface WalkOrder {
  readonly request: LegRequest;
  /** Whether the site may have caused a crash. If so, it gets a process to itself. */
  readonly isSuspect: boolean;
  /**
   * Whether the site was a suspect, and may share a process again. At most one such site is in a process, so that two
   * suspects of the same crash are not in the next one together.
   */
  readonly wasSuspect: boolean;
  readonly signal: AbortSignal;
  /** Returns when the lease ends, on the clock of `process.hrtime`, which all processes of a machine share. */
  readonly until: () => bigint;
  readonly onPause: LegContext["onPause"];
}

/** Thrown if the walker process ended without a result. */
export class WalkerCrash extends Error {
  override readonly name = "WalkerCrash";
  /** Whether the process was for this site alone, so that the site must have caused the crash. */
  readonly wasAlone: boolean;
  /** The same UUID for all sites that were in the process. */
  readonly id: string;

  constructor(message: string, wasAlone: boolean, id: string) {
    super(message);
    this.wasAlone = wasAlone;
    this.id = id;
  }
}

export interface Walkers {
  /** @throws {WalkerCrash} if the walker process ended without a result */
  walk(order: WalkOrder): Promise<LegResult>;
  /** Replaces the stop list of all walkers. */
  stop(names: readonly string[]): void;
  /** Extends the leases of these hosts to this time in all walkers. */
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
