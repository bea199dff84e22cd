/** The folder of the bundled command line, for all test files of a run of vitest. The first of them builds it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    cliFolder: string;
  }
}

export default function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-cli-"));
  provide("cliFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
