/** Runs a store call of a walker process in the worker, because only the worker has the credentials of the store. */
import { resolve, sep } from "node:path";
import { readName } from "../dataset/part-paths.ts";
import type { LegRequest } from "../model/visit.ts";
import { MissingObjectError } from "../store/object-key.ts";
import type { VisitStore } from "../store/object-store.ts";
import type { StoreAnswer, StoreCall, StoreFailure } from "./process-messages.ts";

export interface StoreAccess {
  /** Returns the store. It is opened at the first call. */
  readonly open: () => Promise<VisitStore>;
  /** The folder for the temporary files of walker processes. */
  readonly folder: string;
  /** Returns the request for this host that the walker process is working on. Undefined if there is none. */
  readonly requestOf: (host: string) => LegRequest | undefined;
}

/** Runs the call. Never throws: if the call fails, the answer contains the error. */
export async function runStoreCall(call: StoreCall, access: StoreAccess): Promise<StoreAnswer> {
  const { id, action, key, file } = call;
  try {
    checkCall(call, access);
    await (await access.open())[action](key, file);
    return { kind: "stored", id };
  } catch (error) {
    return { kind: "stored", id, error: failureOf(error) };
  }
}

/**
 * Rejects a call that a walker process must not make. The bytes of a hostile site may take over the process. So it may
 * only write objects of its current sites and claims, read the snapshots of these sites, and name files in the folder
 * for temporary files.
 */
function checkCall({ action, key, file }: StoreCall, { folder, requestOf }: StoreAccess): void {
  const name = readName(key);
  const request = name && requestOf(name.host);
  const isOwn =
    action === "put"
      ? name !== undefined && request?.shard === name.shard && request.epoch === name.epoch
      : request?.snapshot === key;
  if (!isOwn || !resolve(file).startsWith(resolve(folder) + sep)) {
    throw new TypeError(
      `A walker process may not ${action} the object ${JSON.stringify(key)} with the file ${file}`,
    );
  }
}

function failureOf(error: unknown): StoreFailure {
  const { message } = error as Error;
  if (error instanceof MissingObjectError) return { kind: "missing", message };
  return { kind: error instanceof TypeError ? "invalid" : "failed", message };
}
