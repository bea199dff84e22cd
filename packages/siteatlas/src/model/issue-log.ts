/**
 * Collects the issues of one document. A hostile file can cause one issue per byte, so at most `limits.issues` issues
 * are kept (100 by default), and at most a tenth of this number per code. All issues are counted.
 */

import { showInvisible } from "../escape/invisible.ts";
import { maskUserinfo } from "../escape/userinfo.ts";
import { PARSE_LIMITS } from "./generated/limits.ts";
import { type IssueCode, severityOf, strictActionOf } from "./issue-severity.ts";
import type { Issue } from "./model.ts";

const MAX_VALUE_LENGTH = 200;

export type Report = (code: IssueCode, value?: string, line?: number) => void;

/** Shortens and escapes the text that caused an issue, so that it is safe to print (sec-O01, sec-O07). */
export function issueValue(text: string): string {
  const shown = showInvisible(maskUserinfo(text).slice(0, MAX_VALUE_LENGTH));
  // Make a copy of the text: a slice would keep the whole document in memory.
  return ` ${shown}`.slice(1, MAX_VALUE_LENGTH + 1);
}

export class IssueLog {
  readonly kept: Issue[] = [];
  /** Number of all issues, including issues that were not kept. */
  total = 0;
  /** Number of issues by code. */
  readonly perCode: Map<IssueCode, number> = new Map();
  readonly url: string;
  readonly strict: boolean;
  /** In strict mode, the code of the issue that ended the document. */
  failure: IssueCode | undefined;
  /** Called for each kept issue, in order. */
  onIssue: ((issue: Issue) => void) | undefined;
  readonly #limit: number;

  constructor(url: string, strict: boolean, limit: number = PARSE_LIMITS.issues) {
    this.url = url;
    this.strict = strict;
    this.#limit = limit;
  }

  readonly report: Report = (code, value, line) => {
    // Report no issues after the failure, so that the issues do not depend on how the document is split into chunks.
    if (this.failure !== undefined) return;
    this.total++;
    if (this.strict && strictActionOf(code) === "fail") this.failure = code;
    const seen = (this.perCode.get(code) ?? 0) + 1;
    this.perCode.set(code, seen);
    if (seen > Math.ceil(this.#limit / 10) || this.kept.length >= this.#limit) return;
    const issue: Issue = {
      code,
      severity: severityOf(code),
      url: this.url,
      ...(line !== undefined && { line }),
      ...(value !== undefined && { value: issueValue(value) }),
    };
    this.kept.push(issue);
    this.onIssue?.(issue);
  };
}
