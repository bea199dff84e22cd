/**
 * The script of a walker process, which a worker starts (process-pool.ts). The worker keeps the jobs and leases. If
 * this process ends for any reason, the worker knows which sites it was visiting.
 *
 * Do not import this file: it listens to messages of its parent and ignores signals.
 */
import { getHeapStatistics } from "node:v8";
import type { LegContext, LegRequest, VisitLeg } from "../model/visit.ts";
import { STUCK_MS, type WalkerSettings } from "../model/visit-settings.ts";
import type { VisitStore } from "../store/object-store.ts";
import { NameLookup } from "./name-lookup.ts";
import { openVisitor } from "./open-visitor.ts";
import type { FromWalker, ToWalker } from "./process-messages.ts";
import { StoreOfWorker } from "./store-of-worker.ts";
import { startWatchdog } from "./watchdog.ts";

interface Running {
  readonly controller: AbortController;
  until: bigint;
}

const running = new Map<string, Running>();
const store = new StoreOfWorker(send);
let stops: ReadonlySet<string> = new Set();
let visitor: Promise<VisitLeg> | undefined;
let names: NameLookup | undefined;
let isEnding = false;

function send(message: FromWalker): void {
  // If the worker is gone, the message is dropped: the event `disconnect` ends this process.
  if (process.connected) process.send!(message, undefined, undefined, () => {});
}

async function loadVisitor(settings: WalkerSettings): Promise<VisitLeg> {
  names = new NameLookup({ servers: settings.dns });
  if (settings.visitor === undefined) return openVisitor(settings, store, names);
  const module = (await import(settings.visitor)) as {
    default: (given: WalkerSettings, givenStore: VisitStore) => Promise<VisitLeg>;
  };
  return module.default(settings, store);
}

function usedHeap(): number {
  return getHeapStatistics().used_heap_size;
}

async function walk(request: LegRequest, until: bigint): Promise<void> {
  const { host } = request;
  const leg: Running = { controller: new AbortController(), until };
  running.set(host, leg);
  const context: LegContext = {
    signal: leg.controller.signal,
    isHeld: () => process.hrtime.bigint() < leg.until,
    isStopped: (name, domain) => stops.has(name) || stops.has(domain),
    onPause: (domain, ms) => send({ kind: "paused", host, domain, ms }),
  };
  try {
    const visit = await visitor!;
    const result = await visit(request, context);
    send({ kind: "walked", host, heapBytes: usedHeap(), result });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    send({ kind: "failed", host, heapBytes: usedHeap(), message, ...(typeof code === "string" && { code }) });
  } finally {
    running.delete(host);
    if (isEnding && running.size === 0) process.exit(0);
  }
}

function listen(): void {
  process.on("message", (message: ToWalker) => {
    switch (message.kind) {
      case "settings":
        visitor = loadVisitor(message.settings);
        visitor.then(
          () => {
            // Start the watchdog only now: loading the modules may block for seconds if the machine is busy.
            startWatchdog({ stuckMs: message.settings.stuckMs ?? STUCK_MS });
            send({ kind: "ready" });
          },
          ({ message: reason }: Error) =>
            process.send!({ kind: "unfit", message: reason } satisfies FromWalker, () => process.exit(1)),
        );
        break;
      case "walk":
        if (message.addresses.length > 0)
          names?.learn(new URL(message.request.homepage).hostname, message.addresses);
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
        running.get(message.host)?.controller.abort(new Error("The visit was canceled"));
        break;
      case "ping":
        send({ kind: "alive" });
        break;
      case "stored":
        store.take(message);
        break;
      case "end":
        isEnding = true;
        if (running.size === 0) process.exit(0);
    }
  });
  process.on("disconnect", () => process.exit(0));
  // Ignore Ctrl-C, which also signals this process. The worker gets the same signal, and ends this process in time.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
}

listen();
