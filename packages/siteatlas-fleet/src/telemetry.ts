/**
 * Spans for OpenTelemetry, one for each leg. `@opentelemetry/api` is an optional peer; what becomes of the spans is
 * for whoever sets the SDK up (`node --import ./your-setup.mjs`). Without an SDK they cost nothing.
 */
import { VERSION } from "./version.ts";
import type { WorkerEvent } from "./worker.ts";

export async function openTelemetry(): Promise<(event: WorkerEvent) => void> {
  const { SpanStatusCode, trace } = await import("@opentelemetry/api").catch((cause: unknown) => {
    throw new Error("Spans need a package beside this one: npm install @opentelemetry/api", { cause });
  });
  const tracer = trace.getTracer("siteatlas-fleet", VERSION);
  return (event) => {
    if (event.kind === "leg") {
      const { host, domain, shard, epoch, visit, leg } = event.request;
      const { outcome, isOver, pages, requests, bytes, changes } = event.result;
      const now = Date.now();
      const attributes = {
        host,
        domain,
        shard,
        epoch,
        visit,
        leg,
        outcome,
        isOver,
        pages,
        requests,
        bytes,
        changes,
      };
      const span = tracer.startSpan("siteatlas_fleet.leg", { startTime: now - event.ms, attributes });
      if (outcome === "unreachable")
        span.setStatus({ code: SpanStatusCode.ERROR, message: event.result.reason ?? "" });
      span.end(now);
    } else if (event.kind === "crashed" || event.kind === "quarantined") {
      const span = tracer.startSpan(`siteatlas_fleet.${event.kind}`, { attributes: { host: event.host } });
      span.setStatus({ code: SpanStatusCode.ERROR, message: event.reason });
      span.end();
    }
  };
}
