/** The facts about an issue code that a parser needs. issue-table.ts describes the meaning of the codes. */
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

/** An issue is a warning unless its code (`http.status`) or its group (`http`) has another severity. */
export function severityOf(code: IssueCode): Severity {
  if (infos.has(code)) return "info";
  const isError = errors.has(code) || errors.has(code.slice(0, code.indexOf(".")));
  return isError && !warnings.has(code) ? "error" : "warning";
}

/** The action of strict mode, in addition to the report. */
export function strictActionOf(code: IssueCode): StrictAction | undefined {
  if (failing.has(code)) return "fail";
  return dropping.has(code) ? "drop" : undefined;
}
