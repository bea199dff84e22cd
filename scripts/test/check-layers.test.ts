import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { checkLayers } from "../check-layers.mjs";

type Tree = Readonly<Record<string, string>>;

const manifest = JSON.stringify({
  name: "siteatlas",
  dependencies: { undici: "1" },
  devDependencies: { commander: "1", "hyparquet-writer": "1" },
  peerDependencies: { "hyparquet-writer": "1" },
  peerDependenciesMeta: { "hyparquet-writer": { optional: true } },
  imports: {
    "#platform": { node: "./dist/decode/platform-node.js", default: "./dist/decode/platform-web.js" },
  },
});

/** One file per layer, each importing what it may. */
const goodTree: Tree = {
  "model/model.ts": `import type { Code } from "./issues.ts"; export type Page = Code;`,
  "model/issues.ts": `export type Code = string;`,
  "decode/decode.ts": `import { inflate } from "#platform"; import "../model/model.ts"; export { inflate };`,
  "decode/platform-node.ts": `import { createGunzip } from "node:zlib"; export const inflate = createGunzip;`,
  "decode/platform-web.ts": "export const inflate = 1;",
  "parse/index.ts": `export { inflate } from "../decode/decode.ts"; export * from "./scanner.ts"; import "./xml/tags.ts";`,
  "parse/xml/tags.ts": `import "../fast/names.ts";`,
  "parse/fast/names.ts": `import type { Page } from "../../model/model.ts"; export type Name = Page;`,
  "parse/formats/rss.ts": `import type { Name } from "../fast/names.ts"; export type Rss = Name;`,
  "parse/robots/robots.ts": "export const robots = 1;",
  "parse/scanner.ts": `// import "../fetch/client.ts";\nexport const text = 'import "../cli/ls.ts"';`,
  "fetch/client.ts": `import { request } from "undici"; import net from "net"; export { net, request };`,
  "discover/robots.ts": `import "../fetch/client.ts"; import "../parse/index.ts";`,
  "walk/walk.ts": `import "../discover/robots.ts";`,
  "page-list/page-list.ts": `import "./block.ts"; import "../parse/index.ts";`,
  "page-list/block.ts": `import "#platform";`,
  "tree/tree.ts": `import "../walk/walk.ts"; import "../page-list/page-list.ts";`,
  "sync/sync.ts": `import "../tree/tree.ts";`,
  "lint/lint.ts": `import "../walk/walk.ts";`,
  "output/parquet-table.ts": `import "hyparquet-writer"; import "../model/model.ts"; import "node:zlib";`,
  "cli/ls.ts": `const lint = await import("../lint/lint.ts"); export default lint;`,
  "index.ts": `export * from "./cli/ls.ts"; export * from "./parse/index.ts";`,
};

const roots: string[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function writeFiles(files: Tree): string {
  const root = mkdtempSync(join(tmpdir(), "layers-"));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The problems of the good tree with some of its files replaced. */
function problemsWith(changes: Tree): string[] {
  const files: Record<string, string> = { "packages/siteatlas/package.json": manifest };
  for (const [path, text] of Object.entries({ ...goodTree, ...changes })) {
    files[`packages/siteatlas/src/${path}`] = text;
  }
  return checkLayers(writeFiles(files)).map((problem) => problem.replace("packages/siteatlas/src/", ""));
}

test("a tree that follows the layers has no problem", () => {
  expect(problemsWith({})).toEqual([]);
});

describe("an upward import fails", () => {
  const reason = "parse (L1) may not import the higher fetch (L2)";
  test.each([
    ["static", `import { a } from "../fetch/client.ts";`],
    ["for its effect", `import "../fetch/client.ts";`],
    ["type-only", `import type { A } from "../fetch/client.ts";`],
    ["re-export", `export { a } from "../fetch/client.ts";`],
    ["export all", `export * from "../fetch/client.ts";`],
    ["type re-export", `export type { A } from "../fetch/client.ts";`],
    ["dynamic", `const a = await import("../fetch/client.ts");`],
    ["import type in place", `let a: import("../fetch/client.ts").A;`],
    ["typeof import in place", `declare const a: typeof import("../fetch/client.ts");`],
  ])("%s", (_name, source) => {
    expect(problemsWith({ "parse/scanner.ts": `\n${source}` })).toEqual([
      `parse/scanner.ts:2 imports ../fetch/client.ts: ${reason}`,
    ]);
  });

  test("of the public index", () => {
    const changes = { "cli/ls.ts": `import type { A } from "../index.ts";`, "index.ts": "" };
    expect(problemsWith(changes)).toEqual([
      "cli/ls.ts:1 imports ../index.ts: cli (L5) may not import the higher public (L6)",
    ]);
  });
});

describe("a sideways import fails", () => {
  test("between the folders of one layer", () => {
    expect(problemsWith({ "sync/sync.ts": `import "../lint/lint.ts";` })).toEqual([
      "sync/sync.ts:1 imports ../lint/lint.ts: sync may not import lint beside it (L4)",
    ]);
  });

  test("decode may not import parse, though parse imports decode", () => {
    expect(problemsWith({ "decode/decode.ts": `import "../parse/scanner.ts";` })).toEqual([
      "decode/decode.ts:1 imports ../parse/scanner.ts: decode may not import parse beside it (L1)",
    ]);
  });

  test("through an alias", () => {
    expect(problemsWith({ "model/model.ts": `import "#platform";` })).toEqual([
      "model/model.ts:1 imports #platform: model (L0) may not import the higher decode (L1)",
      "model/model.ts:1 imports #platform: model (L0) may not import the higher decode (L1)",
    ]);
  });
});

describe("the sub-folders of a layer have an order", () => {
  test("an import of a higher one fails", () => {
    expect(
      problemsWith({
        "parse/fast/names.ts": `import type { A } from "../xml/tags2.ts";`,
        "parse/xml/tags2.ts": "",
      }),
    ).toEqual([
      "parse/fast/names.ts:1 imports ../xml/tags2.ts: parse/fast/ may not import parse/xml/ above it",
    ]);
  });

  test("so does one of a file that is above all of them", () => {
    expect(problemsWith({ "parse/fast/names.ts": `import "../scanner.ts";` })).toEqual([
      "parse/fast/names.ts:1 imports ../scanner.ts: parse/fast/ may not import parse/scanner.ts above it",
    ]);
  });

  test("and one between two of the same height", () => {
    expect(problemsWith({ "parse/formats/rss.ts": `import "../robots/robots.ts";` })).toEqual([
      "parse/formats/rss.ts:1 imports ../robots/robots.ts: parse/formats/ may not import parse/robots/ beside it",
    ]);
  });

  test("also where the files beside them use them and are used by them", () => {
    expect(
      problemsWith({
        "walk/place.ts": `import "./events/events.ts";`,
        "walk/events/events.ts": "",
        "walk/events/reporter.ts": `import "../place.ts"; import "../requests/queue.ts";`,
        "walk/requests/queue.ts": "",
      }),
    ).toEqual([
      "walk/events/reporter.ts:1 imports ../requests/queue.ts: walk/events/ may not import walk/requests/ above it",
    ]);
  });

  test("in siteatlas-fleet, too", () => {
    const root = writeFiles({
      "packages/fleet/package.json": JSON.stringify({ name: "siteatlas-fleet" }),
      "packages/fleet/src/cli/program.ts": `import "./commands/add.ts";`,
      "packages/fleet/src/cli/commands/add.ts": `import "../../model/site-name.ts"; import "../connections.ts";`,
      "packages/fleet/src/cli/connections.ts": "",
      "packages/fleet/src/model/site-name.ts": `import "../store/open-store.ts";`,
      "packages/fleet/src/store/open-store.ts": "",
    });
    expect(checkLayers(root)).toEqual([
      "packages/fleet/src/model/site-name.ts:1 imports ../store/open-store.ts: model/ may not import store/ above it",
    ]);
  });
});

test("a folder of more than 16 files fails", () => {
  const files = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`decode/more/file-${n}.ts`, ""]));
  expect(problemsWith(files)).toEqual(["decode/more holds 17 files: at most 16, make a sub-folder"]);
});

describe("a cycle fails", () => {
  test("of two files", () => {
    expect(
      problemsWith({ "parse/a.ts": `import "./b.ts";`, "parse/b.ts": `export * from "./a.ts";` }),
    ).toEqual(["packages/siteatlas/src has a cycle: parse/a.ts → parse/b.ts → parse/a.ts"]);
  });

  test("of one file", () => {
    expect(problemsWith({ "parse/a.ts": `import "./a.ts";` })).toEqual([
      "packages/siteatlas/src has a cycle: parse/a.ts → parse/a.ts",
    ]);
  });

  test("of three files, one of them behind a dynamic import", () => {
    expect(
      problemsWith({
        "fetch/a.ts": `import "./b.ts";`,
        "fetch/b.ts": `import "./c.ts";`,
        "fetch/c.ts": `await import("./a.ts");`,
      }),
    ).toEqual(["packages/siteatlas/src has a cycle: fetch/a.ts → fetch/b.ts → fetch/c.ts → fetch/a.ts"]);
  });

  test("through the platform alias", () => {
    expect(problemsWith({ "decode/platform-web.ts": `import "./decode.ts";` })).toEqual([
      "packages/siteatlas/src has a cycle: decode/decode.ts → decode/platform-web.ts → decode/decode.ts",
    ]);
  });

  test.each(["import { type", "import type {"])("of types alone: %s", (start) => {
    expect(
      problemsWith({
        "parse/a.ts": `${start} B } from "./b.ts"; export type A = B;`,
        "parse/b.ts": `${start} A } from "./a.ts"; export type B = A;`,
      }),
    ).toEqual(["packages/siteatlas/src has a cycle: parse/a.ts → parse/b.ts → parse/a.ts"]);
  });
});

describe("parse and decode run in browsers", () => {
  test.each(["node:zlib", "zlib", "fs/promises"])("no Node built-in: %s", (name) => {
    expect(problemsWith({ "decode/platform-web.ts": `import type { Gunzip } from "${name}";` })).toEqual([
      `decode/platform-web.ts:1 imports ${name}: decode runs in browsers and may not use a Node built-in`,
    ]);
  });

  test("no dependency, declared or not", () => {
    expect(problemsWith({ "parse/scanner.ts": `import "undici";\nimport "@scope/sax/stream";` })).toEqual([
      "parse/scanner.ts:1 imports undici: parse may not have a dependency",
      "parse/scanner.ts:2 imports @scope/sax/stream: parse may not have a dependency",
    ]);
  });
});

test("an undeclared dependency fails", () => {
  expect(problemsWith({ "fetch/client.ts": `import "@scope/http/client";` })).toEqual([
    "fetch/client.ts:1 imports @scope/http/client: @scope/http is not a dependency of siteatlas",
  ]);
});

test("what the command line alone needs is bundled into it", () => {
  const text = `import "commander";`;
  expect(problemsWith({ "cli/ls.ts": text })).toEqual([]);
  expect(problemsWith({ "fetch/client.ts": text })).toEqual([
    "fetch/client.ts:1 imports commander: commander is not a dependency of siteatlas",
  ]);
});

describe("an optional peer may be missing", () => {
  test.each(["fetch/client.ts", "sync/sync.ts", "index.ts"])("so %s may not need it", (file) => {
    const [unit] = file === "index.ts" ? ["public"] : file.split("/");
    expect(problemsWith({ [file]: `import "hyparquet-writer";` })).toEqual([
      `${file}:1 imports hyparquet-writer: hyparquet-writer is an optional peer, which ${unit} may not need`,
    ]);
  });

  test("what bundles it may", () => {
    expect(problemsWith({ "cli/ls.ts": `import "hyparquet-writer";` })).toEqual([]);
  });

  test("another package says itself what it does without it", () => {
    const manifest = {
      name: "fleet",
      peerDependencies: { s3: "1" },
      peerDependenciesMeta: { s3: { optional: true } },
    };
    const root = writeFiles({
      "packages/fleet/package.json": JSON.stringify(manifest),
      "packages/fleet/src/a.ts": `export const s3 = await import("s3");`,
    });
    expect(checkLayers(root)).toEqual([]);
  });
});

test("the package may not import itself by name", () => {
  expect(problemsWith({ "fetch/client.ts": `import "siteatlas/parse";` })).toEqual([
    "fetch/client.ts:1 imports siteatlas/parse: a package may not import itself by name, past the layers",
  ]);
});

test("a file outside every layer fails", () => {
  expect(problemsWith({ "stuff/a.ts": "" })).toEqual(["stuff/a.ts belongs to no layer: add it to the table"]);
});

test("a name that is computed or leads nowhere fails", () => {
  expect(
    problemsWith({ "cli/ls.ts": `await import(process.argv[2]!);\nimport "./gone.ts";\nimport "#gone";` }),
  ).toEqual([
    "cli/ls.ts:1 imports a computed name, which cannot be checked",
    "cli/ls.ts:2 imports ./gone.ts, which is not in the package's src",
    "cli/ls.ts:3 imports #gone, which is not in the package's src",
  ]);
});

test("another package uses only public exports of the library, and has no cycle", () => {
  const root = writeFiles({
    "packages/fleet/package.json": JSON.stringify({ name: "fleet", dependencies: { siteatlas: "1" } }),
    "packages/fleet/src/a.ts": `import "siteatlas/parse"; import "node:fs"; import "./b.ts";`,
    "packages/fleet/src/b.ts": `import "../../siteatlas/src/model.ts"; import "./a.ts";`,
  });
  expect(checkLayers(root)).toEqual([
    "packages/fleet/src/b.ts:1 imports ../../siteatlas/src/model.ts, which is not in the package's src",
    "packages/fleet/src has a cycle: a.ts → b.ts → a.ts",
  ]);
});
