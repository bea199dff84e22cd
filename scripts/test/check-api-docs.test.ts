import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkApiDocs } from "../check-api-docs.mjs";

/** Problems of these files, of which index.ts is the entry point. Paths are relative. */
function check(files: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-api-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return checkApiDocs([join(folder, "index.ts")]).map((problem) => problem.slice(folder.length + 1));
}

test("what is documented has no problem", () => {
  const text = `/** A function. */
export function run(options: RunOptions = {}): void {}
/** Options of run. */
export interface RunOptions {
  /** How often. @default 1 */
  readonly times?: number | undefined;
}
/** A class. */
export class Runner {
  #hidden = 1;
  private secret = 2;
  constructor(times: number) {}
  /** Its name. */
  readonly name = "a";
}
/** An event. */
export type RunEvent = { readonly kind: "end" };
const internal = 1;
`;
  expect(check({ "index.ts": text })).toEqual([]);
});

test("an exported symbol, also from another file", () => {
  const files = {
    "index.ts": `export { run, type Result as Outcome } from "./run.ts";\nexport const LIMIT = 1;\n`,
    "run.ts": "export function run(): void {}\nexport type Result = 1;\nexport const internal = 1;\n",
  };
  expect(check(files)).toEqual([
    "index.ts:2: LIMIT has no doc comment",
    "run.ts:1: run has no doc comment",
    "run.ts:2: Outcome has no doc comment",
  ]);
});

test("a field, also of a type that only another public type names", () => {
  const text = `/** A result. */
export interface Result extends Base {
  readonly kind: "result";
  readonly part: Part | undefined;
}
interface Base { readonly url: string }
/** A part. */
export type Part = { readonly size: number };
/** A class. */
export class Runner {
  run(): void {}
  get size(): number { return 1; }
}
`;
  expect(check({ "index.ts": text })).toEqual([
    "index.ts:11: Runner.run has no doc comment",
    "index.ts:12: Runner.size has no doc comment",
    "index.ts:4: Result.part has no doc comment",
    "index.ts:6: Base has no doc comment",
    "index.ts:6: Base.url has no doc comment",
    "index.ts:8: Part.size has no doc comment",
  ]);
});

test("an option without a default, and one that does not accept undefined", () => {
  const text = `/** Options of run. */
export interface RunOptions {
  /** How often. */
  readonly times?: number | undefined;
  /** Called at the end. @default none */
  readonly onEnd?: () => undefined;
  /** Where. */
  readonly path: string;
}
`;
  expect(check({ "index.ts": text })).toEqual([
    "index.ts:4: RunOptions.times has no @default",
    "index.ts:6: RunOptions.onEnd does not accept undefined",
  ]);
});

test("of the overloads of a function, one needs a comment", () => {
  const text = `/** Reads it. */
export function read(value: string): string;
export function read(value: number): number;
export function read(value: unknown): unknown { return value; }
`;
  expect(check({ "index.ts": text })).toEqual([]);
});

test("a type in a signature that has no public name", () => {
  const text = `/** A function. */
export function run(part: Part): Promise<Result> {}
/** A class. */
export class Runner<Row> {
  constructor(start: Start) {}
  /** A method. */
  add(row: Row): void {}
}
/** A part. */
interface Part extends Base { readonly kind: "part" }
/** A base. */
interface Base {
  /** More. */
  readonly more: More;
}
/** More. */
type More = 1;
/** A result. */
export type Result = 1;
/** A start. */
type Start = 1;
`;
  expect(check({ "index.ts": text })).toEqual([
    "index.ts:10: Part, a type of run, is not exported",
    "index.ts:17: More, a type of Base, is not exported",
    "index.ts:21: Start, a type of Runner, is not exported",
  ]);
});
