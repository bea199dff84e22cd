import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder for the files of a target. It is deleted when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-fuzz-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
