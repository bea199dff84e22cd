/** Runs a call of a walker process in the worker, which has the credentials of the store. */
import { resolve, sep } from "node:path";
import { readName } from "../dataset/part-paths.ts";
import type { LegRequest } from "../model/visit.ts";
import { MissingObjectError } from "../store/object-key.ts";
import type { VisitStore } from "../store/object-store.ts";
import type { StoreAnswer, StoreCall, StoreFailure } from "./process-messages.ts";

export interface StoreAccess {
  /** Opens the store, once for all calls. */
  readonly open: () => Promise<VisitStore>;
  /** The folder for temporary files of the walker processes. */
  readonly folder: string;
  /** Returns the part of a visit that this process runs for a host. */
  readonly requestOf: (host: string) => LegRequest | undefined;
}

/** Never throws: the answer has the error. */
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
 * The bytes of a hostile site may take over a walker process. So the process writes only objects of its own sites and
 * claims, reads only their snapshots, and names only files in the folder for temporary files.
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
