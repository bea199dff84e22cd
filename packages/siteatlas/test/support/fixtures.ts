/**
 * Reads the pairs in fixtures/: an input and its expected result. fixtures/README.md describes the file format.
 * test/conformance/check-case.ts does the comparison.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { IssueCode } from "../../src/model/issue-severity.ts";
import type { IndexFormat, PagesFormat } from "../../src/model/model.ts";

const ROOT = fileURLToPath(new URL("../../../../fixtures/", import.meta.url));
const EXPECTED = ".expected.json";

/** Fields by name as in src/model/model.ts; a date is cut to what the document gave ("2024-01-02"). */
export type ExpectedFields = Readonly<Record<string, unknown>>;

/** What `<name>.expected.json` holds. An absent list of pages or children means that there are none. */
export interface Expected {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly contentType?: string;
  /** The tested rule. */
  readonly policy: string;
  /** Generates the input if there is no input file. */
  readonly generate?: readonly RecipePart[];
  readonly kind?: "index" | "pages" | "invalid";
  readonly format?: IndexFormat | PagesFormat;
  /** Why it is invalid. */
  readonly code?: IssueCode;
  readonly partial?: true;
  readonly pages?: readonly string[];
  readonly pageCount?: number;
  /** First and last page, if the list is too long to write out. */
  readonly ends?: readonly [string, string];
  readonly children?: readonly string[];
  readonly duplicateCount?: number;
  /** Must be among the issues reported; more are allowed. */
  readonly codes?: readonly IssueCode[];
  /** No warning and no error is reported. */
  readonly quiet?: true;
  /** Fields of the first page, null where one must be absent. */
  readonly firstPage?: ExpectedFields;
  /** All fields of the first pages, one object per page. */
  readonly fields?: readonly ExpectedFields[];
  /** All fields of the first children. */
  readonly childFields?: readonly ExpectedFields[];
  readonly strict?: StrictExpected;
  readonly lintCodes?: readonly string[];
  readonly walkCodes?: readonly string[];
}

/** What `strict: true` changes. */
interface StrictExpected {
  readonly kind?: "invalid";
  readonly code?: IssueCode;
  readonly pages?: readonly string[];
  readonly children?: readonly string[];
}

/** A literal text, or a text many times over, in which `{n}` stands for the count from 0. */
type RecipePart = string | { readonly repeat: string; readonly count: number; readonly separator?: string };

export interface Fixture {
  readonly group: string;
  /** `U09-raw-ampersand`. */
  readonly name: string;
  readonly expected: Expected;
  readonly input: Uint8Array;
}

/** All fixtures of these groups, or of every group, in the order of their ids. */
export function loadFixtures(...groups: readonly string[]): Fixture[] {
  return (groups.length > 0 ? groups : allGroups()).flatMap(loadGroup);
}

/** The folders of fixtures/. */
export function allGroups(): string[] {
  const entries = readdirSync(ROOT, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** The date table. Its entries also name issue codes. */
export function loadDates(): readonly { readonly text: string; readonly codes?: readonly IssueCode[] }[] {
  return JSON.parse(readFileSync(`${ROOT}dates.json`, "utf8"));
}

function loadGroup(group: string): Fixture[] {
  const files = readdirSync(ROOT + group).sort();
  const inputs = files.filter((file) => !file.endsWith(EXPECTED));
  const fixtures = files.flatMap((file): Fixture[] => {
    if (!file.endsWith(EXPECTED)) return [];
    const name = file.slice(0, -EXPECTED.length);
    const path = `${ROOT}${group}/`;
    const expected: Expected = JSON.parse(readFileSync(path + file, "utf8"));
    const matching = inputs.filter((input) => input.startsWith(`${name}.`));
    return [{ group, name, expected, input: loadInput(path, name, expected, matching) }];
  });
  const generated = fixtures.filter((fixture) => fixture.expected.generate !== undefined).length;
  if (inputs.length + generated !== fixtures.length) {
    throw new Error(`fixtures/${group}: an input without expectation`);
  }
  return fixtures;
}

function loadInput(path: string, name: string, expected: Expected, files: readonly string[]): Uint8Array {
  const [file] = files;
  if (expected.id !== name.slice(0, name.indexOf("-"))) throw new Error(`${name}: the id is ${expected.id}`);
  if (expected.generate !== undefined && file === undefined) return generate(expected.generate);
  if (expected.generate !== undefined || file === undefined || files.length > 1) {
    throw new Error(`${name}: needs one input file or one recipe, not ${files.length} files`);
  }
  // A plain Uint8Array, not a Buffer: the library must not depend on methods of Buffer.
  return new Uint8Array(readFileSync(path + file));
}

function generate(recipe: readonly RecipePart[]): Uint8Array {
  return new TextEncoder().encode(recipe.map(generatePart).join(""));
}

function generatePart(part: RecipePart): string {
  if (typeof part === "string") return part;
  const { repeat, count, separator = "" } = part;
  return Array.from({ length: count }, (_, n) => repeat.replaceAll("{n}", String(n))).join(separator);
}
