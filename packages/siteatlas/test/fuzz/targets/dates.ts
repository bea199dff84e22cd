/** Dates: nothing throws, an instant is valid or absent, its ISO form has the same instant, lists of pages keep it. */
import assert from "node:assert/strict";
import { spellDate } from "../../../src/model/format-date.ts";
import { issueTable } from "../../../src/model/issue-table.ts";
import { PageListBuilder } from "../../../src/page-list/page-list.ts";
import type { DateContext, ParsedDate } from "../../../src/parse/index.ts";
import { parseDate } from "../../../src/parse/index.ts";
import { readInput, textOf } from "../input.ts";
import { repeated, withinTimeSync } from "../promises.ts";

const NOW = new Date("2026-11-16T00:00:00Z");

export function fuzz(data: Uint8Array): void {
  const { choice, bytes } = readInput(data);
  const context: DateContext = choice % 2 === 0 ? "sitemap" : "feed";
  withinTimeSync(() => check(textOf(bytes), context));
  const long = repeated(bytes);
  if (long !== undefined) withinTimeSync(() => void parseDate(textOf(long), { context, now: NOW }));
}

function check(text: string, context: DateContext): void {
  const date = parseDate(text, { context, now: NOW });
  const { codes, ...value } = date;
  assert.equal(date.text, text.trim());
  for (const code of codes) assert.ok(Object.hasOwn(issueTable, code), code);
  assert.equal(date.value === undefined, date.precision === undefined);
  // The shortcut for usual dates is used without `now`.
  const { codes: _, ...shortcut } = parseDate(text, { context });
  assert.deepEqual(shortcut, value);
  if (date.value !== undefined) checkInstant(date as ParsedDate & { readonly value: Date });
  const builder = new PageListBuilder();
  builder.add({ url: "https://www.example.com/", lastModified: value, published: value });
  const [page] = builder.finish();
  assert.deepEqual(page, { url: "https://www.example.com/", lastModified: value, published: value });
}

function checkInstant(date: ParsedDate & { readonly value: Date }): void {
  const instant = date.value.getTime();
  assert.ok(!Number.isNaN(instant));
  const year = date.value.getUTCFullYear();
  if (year < 1000 || year > 9999) return;
  assert.equal(parseDate(date.value.toISOString(), { now: NOW }).value?.getTime(), instant);
  const spelled = parseDate(spellDate(date)!, { now: NOW });
  assert.equal(spelled.precision, date.precision);
  if (date.precision !== "time") assert.ok(spelled.value!.getTime() <= instant);
  else assert.equal(spelled.value?.getTime(), instant);
}
