/** Checks `parseDate` with one entry of fixtures/dates.json. Uses no Node module. */
import type { parseDate } from "siteatlas/parse";

export interface DateCase {
  readonly id: string;
  readonly text: string;
  readonly context?: "feed";
  readonly instant: string | null;
  readonly precision?: string;
  readonly zoneAssumed?: true;
  readonly codes?: readonly string[];
}

export function dateProblems(date: DateCase, api: { readonly parseDate: typeof parseDate }): string[] {
  const { text, context, instant, precision = "time", zoneAssumed, codes = [] } = date;
  const parsed = api.parseDate(text, context && { context });
  const actual = [parsed.value?.getTime(), parsed.precision, parsed.zoneAssumed ?? false, ...parsed.codes];
  const expected =
    instant === null
      ? [undefined, undefined, zoneAssumed ?? false, ...codes]
      : [new Date(instant).getTime(), precision, zoneAssumed ?? false, ...codes];
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  return is === should ? [] : [`${JSON.stringify(text)} is ${is}, expected ${should}`];
}
