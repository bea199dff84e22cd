import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bundleProblems, MAX_GZIPPED, MAX_GZIPPED_BY_ESBUILD } from "../check-bundle.mjs";

const file = (path: string, imports: readonly { path: string; external?: boolean }[] = []) => ({
  [path]: { bytes: 1, imports: imports.map((item) => ({ kind: "import-statement" as const, ...item })) },
});

function problems(text: string, inputs = file("dist/parse/index.js")): string[] {
  return bundleProblems({ text, metafile: { inputs, outputs: {} } });
}

test("README.md and docs/parsing.md say these sizes", () => {
  const sizes = [MAX_GZIPPED, MAX_GZIPPED_BY_ESBUILD].map((bytes) => Math.ceil(bytes / 1000));
  for (const page of ["README.md", "docs/parsing.md"]) {
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
    expect(text).toContain(`${sizes[0]} to ${sizes[1]} KB minified and gzipped`);
  }
});

describe("bundleProblems", () => {
  test("accepts code for browsers", () => {
    expect(problems("const a={process:1,require:b.require(2)};subprocess.run();x.Buffer=1")).toEqual([]);
  });

  test.each(["process.exit()", "Buffer.from(a)", 'require("zlib")', 'import"node:zlib"', "setImmediate(a)"])(
    "finds %s in the text",
    (text) => {
      expect(problems(`const a=1;${text}`)).toHaveLength(1);
    },
  );

  test.each([
    ["a built-in", file("a.js", [{ path: "zlib", external: true }])],
    ["a built-in that was replaced", file("a.js", [{ path: "node:zlib" }])],
    ["anything external", file("a.js", [{ path: "undici", external: true }])],
    ["the platform of Node", file("dist/decode/platform-node.js")],
    ["the shortcuts of Node", file("dist/parse/fast/shortcuts-node.js")],
  ])("finds %s among the modules", (_, inputs) => {
    expect(problems("", inputs)).toHaveLength(1);
  });

  test("finds a bundle that is too large", () => {
    expect(problems(randomBytes(MAX_GZIPPED).toString("latin1"))).toHaveLength(1);
    expect(problems("a".repeat(10 * MAX_GZIPPED))).toEqual([]);
    const textByEsbuild = randomBytes(MAX_GZIPPED_BY_ESBUILD).toString("latin1");
    const metafile = { inputs: file("dist/parse/index.js"), outputs: {} };
    expect(bundleProblems({ text: "", textByEsbuild, metafile })).toHaveLength(1);
  });
});
