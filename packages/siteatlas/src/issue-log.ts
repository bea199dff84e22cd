/**
 * Collects the issues of one document. A hostile or merely wrong file can earn an issue per byte:
 * at most 100 are kept, a tenth of it of one code so that a flood of one kind hides no other; the rest
 * are counted.
 */
import { type IssueCode, severityOf, strictActionOf } from "./issues.ts";
import { PARSE_LIMITS } from "./limits.ts";
import type { Issue } from "./model.ts";
import { showInvisible } from "./sinks/invisible.ts";
import { maskUserinfo } from "./sinks/userinfo.ts";

const MAX_VALUE_LENGTH = 200;

/** Reports one issue; what most of the parse layer needs to know of the log. */
export type Report = (code: IssueCode, value?: string, line?: number) => void;

/** An offending text as an issue repeats it: whoever gets it prints it, with the issue (sec-O01, sec-O07). */
export function issueValue(text: string): string {
  return showInvisible(maskUserinfo(text).slice(0, MAX_VALUE_LENGTH)).slice(0, MAX_VALUE_LENGTH);
}

export class IssueLog {
  readonly kept: Issue[] = [];
  /** All issues, the kept ones among them. */
  total = 0;
  /** Where the document came from. */
  readonly url: string;
  readonly strict: boolean;
  /** The first issue that ends a document in strict mode. */
  failure: IssueCode | undefined;
  /** Called for each kept issue, in order. */
  onIssue: ((issue: Issue) => void) | undefined;
  readonly #perCode: Map<IssueCode, number> = new Map();
  readonly #most: number;

  /** `most`: so many are kept. */
  constructor(url: string, strict: boolean, most: number = PARSE_LIMITS.issues) {
    this.url = url;
    this.strict = strict;
    this.#most = most;
  }

  readonly report: Report = (code, value, line) => {
    // A document that failed is over, wherever its chunks end.
    if (this.failure !== undefined) return;
    this.total++;
    if (this.strict && strictActionOf(code) === "fail") this.failure = code;
    const seen = (this.#perCode.get(code) ?? 0) + 1;
    this.#perCode.set(code, seen);
    if (seen > Math.ceil(this.#most / 10) || this.kept.length >= this.#most) return;
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
