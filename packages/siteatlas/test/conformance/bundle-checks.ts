/**
 * The parser and the checks of fixtures, bundled from the sources: for the build of browsers, and because a bundle takes
 * a third less time than the modules of vitest.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import type * as checks from "./check-case.ts";

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

interface BundledChecks {
  readonly api: checks.ParseApi;
  readonly checkCase: typeof checks.checkCase;
}

export async function bundleChecks(
  runtime: "node" | "web",
  options: Pick<BuildOptions, "minify" | "plugins"> = {},
): Promise<BundledChecks> {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-checks-"));
  const outfile = join(folder, "checks.mjs");
  try {
    await build({
      stdin: {
        contents: `
          export * as api from "./src/parse/index.ts";
          export { checkCase } from "./test/conformance/check-case.ts";`,
        resolveDir: path("."),
      },
      outfile,
      bundle: true,
      platform: runtime === "node" ? "node" : "browser",
      format: "esm",
      logLevel: "error",
      alias: {
        "#platform": path(`src/decode/platform-${runtime}.ts`),
        "#shortcuts": path(`src/parse/fast/shortcuts-${runtime}.ts`),
      },
      ...options,
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
