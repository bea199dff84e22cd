/** A temporary folder for one test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-output-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
