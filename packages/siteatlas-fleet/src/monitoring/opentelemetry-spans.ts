/**
 * Creates an OpenTelemetry span for each leg of a visit, which is a part of the visit that is committed separately.
 * `@opentelemetry/api` is an optional peer dependency. To export the spans, the operator loads an SDK
 * (`node --import ./your-setup.mjs`). Without an SDK, the spans cost nothing.
 */
import { VERSION } from "../version.ts";
import type { WorkerEvent } from "../worker/worker.ts";

export async function openTelemetry(): Promise<(event: WorkerEvent) => void> {
  const { SpanStatusCode, trace } = await import("@opentelemetry/api").catch((cause: unknown) => {
    throw new Error("Spans need another package: npm install @opentelemetry/api", { cause });
  });
  const tracer = trace.getTracer("siteatlas-fleet", VERSION);
  return (event) => {
    if (event.kind === "leg") {
      const { host, domain, shard, epoch, visit, leg } = event.request;
      const { outcome, isOver, pages, requests, bytes, changes, reason = "" } = event.result;
      const now = Date.now();
      const place = { host, domain, shard, epoch, visit, leg };
      const attributes = { ...place, outcome, isOver, pages, requests, bytes, changes };
      const span = tracer.startSpan("siteatlas_fleet.leg", { startTime: now - event.ms, attributes });
      if (outcome === "unreachable") span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
      span.end(now);
    } else if (event.kind === "crashed" || event.kind === "quarantined") {
      const span = tracer.startSpan(`siteatlas_fleet.${event.kind}`, { attributes: { host: event.host } });
      span.setStatus({ code: SpanStatusCode.ERROR, message: event.reason });
      span.end();
    }
  };
}
