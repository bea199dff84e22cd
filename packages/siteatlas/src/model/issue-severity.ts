/** Severity and strict action of the issue codes, in a small file for parsers. issue-table.ts has their meaning. */
import {
  dropping,
  errors,
  failing,
  type IssueCode,
  infos,
  type Severity,
  type StrictAction,
  warnings,
} from "./generated/issue-codes.ts";

export { refusals } from "./generated/issue-codes.ts";
export type { IssueCode, Severity, StrictAction };

/**
 * The severity of a code. It is `warning`, unless the code (`http.status`) or its group (`http`) has another severity.
 */
export function severityOf(code: IssueCode): Severity {
  if (infos.has(code)) return "info";
  const isError = errors.has(code) || errors.has(code.slice(0, code.indexOf(".")));
  return isError && !warnings.has(code) ? "error" : "warning";
}

/** The action of strict mode for an issue: drop the entry or fail the document. The issue is reported in any case. */
export function strictActionOf(code: IssueCode): StrictAction | undefined {
  if (failing.has(code)) return "fail";
  return dropping.has(code) ? "drop" : undefined;
}
