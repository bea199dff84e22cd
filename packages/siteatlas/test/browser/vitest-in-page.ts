/**
 * Replaces `vitest` when test files are bundled for a browser: collects their tests instead of running them. Has only
 * the functions that the tests of test/parse use: the bundler rejects other ones. Assertions are those of vitest.
 */
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from "@vitest/expect";
import * as chai from "chai";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect: typeof chai.expect = chai.expect;

type Body = (...values: never[]) => unknown;

export const collected: { readonly name: string; readonly run: () => unknown }[] = [];
const path: string[] = [];

function collect(name: string, ...rest: readonly unknown[]): void {
  const run = rest.find((part): part is () => unknown => typeof part === "function");
  if (run === undefined) throw new TypeError(`Cannot collect test "${name}": no function`);
  collected.push({ name: [...path, name].join(" > "), run });
}

function group(name: string, body: () => void): void {
  path.push(name);
  body();
  path.pop();
}

/** A table of tests. A row that is not an array is one value. */
function tableOf(add: (name: string, body: () => void) => void) {
  return (rows: readonly unknown[]) => (name: string, body: Body) => {
    for (const row of rows) {
      const values = Array.isArray(row) ? row : [row];
      add(titleOf(name, values), () => body(...(values as never[])));
    }
  };
}

/** Replaces `%s`, `%j` and similar by the values in turn. */
function titleOf(name: string, values: readonly unknown[]): string {
  let next = 0;
  return name.replace(/%[sdijo]/g, (sign) => {
    const value = values[next++];
    return sign === "%s" || sign === "%d" || sign === "%i" ? String(value) : JSON.stringify(value);
  });
}

export const test = Object.assign(collect, { each: tableOf(collect) });
export const it = test;
export const describe = Object.assign(group, { each: tableOf(group) });
