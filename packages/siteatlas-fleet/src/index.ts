/** The public names of siteatlas-fleet: for those who run a fleet from their own program. */
export { createPool, Frontier } from "./database/frontier.ts";
export { migrate } from "./database/migrate.ts";
export { compact } from "./dataset/compact.ts";
export { manifest, readDataset } from "./dataset/manifest.ts";
export { sweep } from "./dataset/sweep.ts";
export { Feeder, type FeederOptions } from "./feeder.ts";
export { domainOf, readSite, type SiteName, shardOf } from "./host.ts";
export type { LegContext, LegRequest, LegResult, Outcome, VisitLeg } from "./leg.ts";
export { Metrics, serveMetrics } from "./metrics.ts";
export { connectRedis } from "./queues.ts";
export { nextVisit, type ScheduleOptions } from "./schedule.ts";
export type { WalkerSettings } from "./settings.ts";
export { type ObjectStore, openStore } from "./store/object-store.ts";
export { createVisitor, type VisitOptions } from "./visit/visit-leg.ts";
export { ProcessWalkers } from "./walkers/process-walkers.ts";
export { openVisitor } from "./walkers/walker-process.ts";
export { InlineWalkers, type Walkers } from "./walkers/walkers.ts";
export { FleetWorker, type WorkerEvent, type WorkerOptions } from "./worker.ts";
