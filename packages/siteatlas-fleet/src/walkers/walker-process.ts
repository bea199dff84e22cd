/**
 * A process that walks, started by a worker (process-walkers.ts). It holds no job and no lease: when it ends,
 * whatever the reason, the worker knows which legs it had.
 *
 * To be started, never to be imported: it listens to its worker, and to no signal.
 */
import type { LegContext, LegRequest, VisitLeg } from "../leg.ts";
import type { WalkerSettings } from "../settings.ts";
import type { FromWalker, ToWalker } from "./messages.ts";
import { openVisitor } from "./open-visitor.ts";
import { startWatchdog } from "./watchdog.ts";

/** A document has ten seconds of processor time; whoever takes longer than this loops. */
const STUCK_MS = 20_000;

interface Running {
  readonly controller: AbortController;
  until: bigint;
}

const running = new Map<string, Running>();
let stops: ReadonlySet<string> = new Set();
let visitor: Promise<VisitLeg> | undefined;
let isEnding = false;

function tell(message: FromWalker): void {
  // A worker that is gone hears nothing; this process ends with it.
  if (process.connected) process.send!(message, undefined, undefined, () => {});
}

async function loadVisitor(settings: WalkerSettings): Promise<VisitLeg> {
  if (settings.visitor === undefined) return openVisitor(settings);
  const module = (await import(settings.visitor)) as {
    default: (given: WalkerSettings) => Promise<VisitLeg>;
  };
  return module.default(settings);
}

async function walk(request: LegRequest, until: bigint): Promise<void> {
  const { host } = request;
  const leg: Running = { controller: new AbortController(), until };
  running.set(host, leg);
  const context: LegContext = {
    signal: leg.controller.signal,
    isHeld: () => process.hrtime.bigint() < leg.until,
    isStopped: (name, domain) => stops.has(name) || stops.has(domain),
    onPause: (domain, ms) => tell({ kind: "paused", host, domain, ms }),
  };
  try {
    const visit = await visitor!;
    tell({ kind: "walked", host, result: await visit(request, context) });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    tell({ kind: "failed", host, message, ...(typeof code === "string" && { code }) });
  } finally {
    running.delete(host);
    if (isEnding && running.size === 0) process.exit(0);
  }
}

function listen(): void {
  process.on("message", (message: ToWalker) => {
    switch (message.kind) {
      case "settings":
        startWatchdog({ stuckMs: message.settings.stuckMs ?? STUCK_MS });
        visitor = loadVisitor(message.settings);
        visitor.then(
          () => tell({ kind: "ready" }),
          ({ message: reason }: Error) =>
            process.send!({ kind: "unfit", message: reason } satisfies FromWalker, () => process.exit(1)),
        );
        break;
      case "walk":
        void walk(message.request, BigInt(message.until));
        break;
      case "stop":
        stops = new Set(message.names);
        break;
      case "hold":
        for (const host of message.hosts) {
          const leg = running.get(host);
          if (leg !== undefined) leg.until = BigInt(message.until);
        }
        break;
      case "cancel":
        running.get(message.host)?.controller.abort(new Error("The visit was cancelled"));
        break;
      case "end":
        isEnding = true;
        if (running.size === 0) process.exit(0);
    }
  });
  process.on("disconnect", () => process.exit(0));
  // Signals for the whole group are for the worker: it says what becomes of the legs.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
}

listen();
