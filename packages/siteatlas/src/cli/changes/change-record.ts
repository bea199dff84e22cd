/**
 * Changes as JSON (`schemas/record.json`): one object per change, with the same properties as in the library.
 * `page`, `before` and `after` contain only the fields that a snapshot stores in full (page-line.ts).
 */
import { newRunId, type PageChange, RECORD_SCHEMA, type SyncStart } from "../../sync/changes.ts";
import type { PageField, SnapshotPage } from "../../sync/snapshot/page-line.ts";
import type { SyncFailure } from "./delivery.ts";

/** The numbers of a run. They are the last record of the output. */
export interface ChangeSummary {
  readonly homepage: string;
  readonly pageCount: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Number of pages whose removal is pending. */
  readonly pending: number;
  readonly relisted: number;
  readonly unknownSitemaps: number;
  readonly unknownPages: number;
}

/** The properties that every record of a run has. */
export interface Envelope {
  readonly schema: number;
  readonly run: string;
  readonly at: string;
}

export function envelopeOf({ schema, run, at }: SyncStart): Envelope {
  return { schema, run, at };
}

/** Creates the start record of a run that is not a sync, or of a sync that failed before it sent a start record. */
export function newRun(homepage: string): SyncStart {
  const at = new Date().toISOString();
  return { kind: "start", schema: RECORD_SCHEMA, run: newRunId(), at, homepage, isFirst: false };
}

export function startRecord({ kind, homepage, isFirst, previousRun }: SyncStart): object {
  return { kind, homepage, isFirst, previousRun };
}

export function failureRecord({ message, failures }: SyncFailure): object {
  return { kind: "failure", message, failures };
}

export function changeRecord(change: PageChange): object {
  switch (change.kind) {
    case "added": {
      const { kind, url, page, ...rest } = change;
      return { kind, url, page: plainValues(page), ...rest };
    }
    case "changed": {
      const { kind, url, fields, before, after, ...rest } = change;
      return {
        kind,
        url,
        fields,
        before: plainValues(before, fields),
        after: plainValues(after, fields),
        ...rest,
      };
    }
    default:
      return change;
  }
}

export function summaryRecord(summary: ChangeSummary & { readonly kind?: "summary" }): object {
  return { ...summary, kind: "summary" };
}

const PLAIN = [
  "lastModified",
  "changeFrequency",
  "priority",
  "published",
] as const satisfies readonly PageField[];

function plainValues(page: SnapshotPage, fields?: readonly PageField[]): object {
  const names = PLAIN.filter((name) => page[name] !== undefined && fields?.includes(name) !== false);
  return Object.fromEntries(names.map((name) => [name, page[name]]));
}

export function isChange({ added, changed, removed }: ChangeSummary): boolean {
  return added + changed + removed > 0;
}
