/**
 * Creates an OpenTelemetry span for each visit, and below it one for each leg (a part of the visit that is committed
 * separately), each commit, crash and quarantine. `@opentelemetry/api` is an optional peer dependency. To export the
 * spans, the operator loads an SDK (`node --import ./your-setup.mjs`). Without an SDK, the spans cost nothing.
 */
import type { Attributes, Span } from "@opentelemetry/api";
import { VERSION } from "../version.ts";
import type { WorkerEvent } from "../worker/worker.ts";

/** A span that has just ended. Without `ms`, it has no duration. */
interface EndedSpan {
  readonly name: string;
  readonly host: string;
  readonly ms?: number;
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
  /** Why the span is an error. */
  readonly failure?: string;
}

export async function openTelemetry(): Promise<(event: WorkerEvent) => void> {
  const { context, SpanKind, SpanStatusCode, trace } = await import("@opentelemetry/api").catch(
    (cause: unknown) => {
      throw new Error("Spans need another package: npm install @opentelemetry/api", { cause });
    },
  );
  const tracer = trace.getTracer("siteatlas-fleet", VERSION);
  /** The spans of the visits in progress, by host. */
  const visits = new Map<string, Span>();

  const add = ({ name, host, ms = 0, attributes = {}, failure }: EndedSpan): void => {
    const visit = visits.get(host);
    const parent = visit === undefined ? context.active() : trace.setSpan(context.active(), visit);
    const now = Date.now();
    const options = { startTime: now - ms, attributes: attributesOf(host, attributes) };
    const span = tracer.startSpan(`siteatlas_fleet.${name}`, options, parent);
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    span.end(now);
  };

  return (event) => {
    switch (event.kind) {
      case "claimed": {
        const { host, domain, visit } = event;
        const attributes = attributesOf(host, { domain, visit });
        visits.set(host, tracer.startSpan("siteatlas_fleet.visit", { kind: SpanKind.CONSUMER, attributes }));
        break;
      }
      case "leg":
        add(legSpan(event));
        break;
      case "committed":
        add({ name: "commit", host: event.request.host, ms: event.ms });
        break;
      case "crashed":
      case "quarantined":
        add({ name: event.kind, host: event.host, failure: event.reason });
        break;
      case "ended":
        visits.get(event.host)?.end();
        visits.delete(event.host);
        break;
    }
  };
}

function legSpan({ request, result, ms }: Extract<WorkerEvent, { kind: "leg" }>): EndedSpan {
  const { host, domain, shard, epoch, visit, leg } = request;
  const { outcome, pages, requests, bytes, changes, isOver, reason = "" } = result;
  return {
    ...{ name: "leg", host, ms },
    attributes: {
      ...{ domain, shard, epoch, visit, leg, outcome, pages, requests, bytes, changes },
      ...{ is_over: isOver },
    },
    ...(outcome === "unreachable" && { failure: reason }),
  };
}

/** The host has the name that OpenTelemetry gives it. Our own names have a prefix. */
function attributesOf(host: string, own: NonNullable<EndedSpan["attributes"]>): Attributes {
  const named = Object.entries(own).map(([name, value]) => [`siteatlas_fleet.${name}`, value]);
  return { "server.address": host, ...Object.fromEntries(named) };
}
