/**
 * Changes as JSON: one object per change, with its kind in `op`. `fields` lists everything that changed. `before` and
 * `after` contain only the fields that a snapshot stores in full (page-line.ts).
 */
import type { PageChange } from "../../sync/changes.ts";
import type { PageField, SnapshotPage } from "../../sync/snapshot/page-line.ts";

/** The last object of the output. */
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

export function changeRecord(change: PageChange): object {
  const { kind: op } = change;
  switch (change.kind) {
    case "added": {
      const { kind: _, page, url, ...rest } = change;
      return { op, url, ...plainValues(page), ...rest };
    }
    case "changed": {
      const { kind: _, url, fields, before, after, ...rest } = change;
      return {
        op,
        url,
        fields,
        before: plainValues(before, fields),
        after: plainValues(after, fields),
        ...rest,
      };
    }
    default: {
      const { kind: _, ...rest } = change;
      return { op, ...rest };
    }
  }
}

export function summaryRecord(summary: ChangeSummary & { readonly kind?: "summary" }): object {
  const { kind: _, ...rest } = summary;
  return { op: "summary", ...rest };
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
