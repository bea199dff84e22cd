/** Who walks the legs: other processes (process-walkers.ts), or this one. */
import type { LegContext, LegRequest, LegResult, VisitLeg } from "../leg.ts";

export interface WalkOrder {
  readonly request: LegRequest;
  /** It may be what a worker died of: it is walked alone. */
  readonly isSuspect: boolean;
  readonly signal: AbortSignal;
  /** Until when the lease holds, by `process.hrtime`, which is the same in all processes of a machine. */
  readonly until: () => bigint;
  readonly onPause: LegContext["onPause"];
}

/** The process that walked the leg ended without an answer. */
export class WalkerCrash extends Error {
  override readonly name = "WalkerCrash";
  /** Nothing else was walked there: it is the site. */
  readonly wasAlone: boolean;

  constructor(message: string, wasAlone: boolean) {
    super(message);
    this.wasAlone = wasAlone;
  }
}

export interface Walkers {
  /** @throws {WalkerCrash} */
  walk(order: WalkOrder): Promise<LegResult>;
  /** Nobody may ask these hosts and domains for anything, and they alone. */
  stop(names: readonly string[]): void;
  /** The leases of these hosts hold until then. */
  hold(hosts: readonly string[], until: bigint): void;
  close(): Promise<void>;
}

/** Walks in this process: for those who have another way to guard it, and for measuring what all else costs. */
export class InlineWalkers implements Walkers {
  readonly #visit: VisitLeg;
  #stops: ReadonlySet<string> = new Set();

  constructor(visit: VisitLeg) {
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
