/**
 * The failure of a site that was last delivered to the hooks, in a file beside the snapshot. After a restart, the same
 * failure is not delivered again, and the hooks get a delivery when all is well.
 */
import { rm } from "node:fs/promises";
import { readSmallFile } from "../../../files/read-small-file.ts";
import { replaceFile } from "../../../files/replace-file.ts";

const MAX_BYTES = 1024 * 1024;

function fileOf(snapshot: string): string {
  return `${snapshot}.failure`;
}

/** Returns the failure. Empty if there was none, or if the file cannot be read: then a failure is delivered twice. */
export function readDeliveredFailure(snapshot: string): string {
  try {
    return readSmallFile(fileOf(snapshot), MAX_BYTES) ?? "";
  } catch {
    return "";
  }
}

/** Call this when the failure was delivered. @param failure empty if all is well */
export async function saveDeliveredFailure(snapshot: string, failure: string): Promise<void> {
  if (failure === "") await rm(fileOf(snapshot), { force: true });
  else await replaceFile(fileOf(snapshot), (file) => file.writeFile(failure));
}
