/** The findings of lint and check for a report: from a walk with `--lint`, or from files that `-f json` wrote. */
import { statSync } from "node:fs";
import {
  type Check,
  checkAt,
  checkPart,
  count,
  InvalidValue,
  listOf,
  oneOf,
  record,
  text,
} from "../../../check/check-value.ts";
import { logLine } from "../../../escape/log-line.ts";
import { readSmallFile } from "../../../files/read-small-file.ts";
import type { FindingGroup } from "../../../lint/group-findings.ts";
import type { ReportExample, ReportFinding, ReportFindings } from "../../../report/report-model.ts";
import { systemReason } from "../../process/system-reason.ts";
import { UsageError } from "../../process/usage-error.ts";

/** A file of findings has at most some hundred rules with ten examples each. */
const MAX_BYTES = 32 * 1024 * 1024;
export const MAX_EXAMPLES = 3;
const MAX_URL_LENGTH = 2000;

/** The findings of a walk. */
export function findingsOfWalk(
  groups: readonly FindingGroup[],
  target: string,
  pages: number,
): ReportFindings {
  const rules = groups.map(({ rule: { id, message, fix }, severity, count: times, examples }) => ({
    ...{ rule: id, severity, message, fix, count: times },
    examples: examples.map(shortExample),
  }));
  return { target, pages, rules };
}

/** The findings of `--findings`: at most one file of lint and one of check. @throws {UsageError} */
export function readFindings(paths: readonly string[]): { lint?: ReportFindings; check?: ReportFindings } {
  const all: { lint?: ReportFindings; check?: ReportFindings } = {};
  for (const path of paths) {
    const { tool, ...findings } = readFile(path);
    const name = tool === "siteatlas lint" ? "lint" : "check";
    if (all[name] !== undefined) throw new UsageError(`--findings: two files are from ${tool}`);
    all[name] = findings;
  }
  return all;
}

function readFile(path: string): ReturnType<typeof findingsFile> {
  const name = logLine(path);
  try {
    // A settings file of the current directory may name the file. To open a named pipe could block forever.
    if (!statSync(path).isFile()) throw new UsageError(`cannot read ${name}: it is not a regular file`);
    const content = readSmallFile(path, MAX_BYTES);
    if (content === undefined) throw new UsageError(`cannot read ${name}: it is larger than 32 MiB`);
    return checkAt(() => "$", findingsFile, JSON.parse(content));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (!(error instanceof InvalidValue) && !(error instanceof SyntaxError))
      throw new UsageError(`cannot read ${name}: ${systemReason(error)}`);
    const why = error instanceof InvalidValue ? `: ${logLine(error.message)}` : "";
    throw new UsageError(
      `${name} has no findings of siteatlas${why}`,
      "Write one with siteatlas lint or siteatlas check, and -f json.",
    );
  }
}

const findingsFile = (value: unknown) => {
  const file = record(value);
  const part = <T>(name: string, check: Check<T>): T => checkPart(name, check, file[name]);
  return {
    tool: part("tool", oneOf(["siteatlas lint", "siteatlas check"])),
    target: part("target", text),
    pages: part("pages", count),
    rules: part("findings", listOf(finding)),
  };
};

const finding: Check<ReportFinding> = (value) => {
  const item = record(value);
  const part = <T>(name: string, check: Check<T>): T => checkPart(name, check, item[name]);
  return {
    rule: part("rule", text),
    severity: part("severity", oneOf(["error", "warning", "info"])),
    message: part("message", text),
    fix: part("fix", text),
    count: part("count", count),
    examples: part("examples", listOf(example)).slice(0, MAX_EXAMPLES),
  };
};

const example: Check<ReportExample> = (value) => {
  const { url, line, value: found } = record(value);
  return shortExample({
    url: checkPart("url", text, url),
    ...(line !== undefined && { line: checkPart("line", count, line) }),
    ...(found !== undefined && { value: checkPart("value", text, found) }),
  });
};

function shortExample({ url, line, value }: ReportExample): ReportExample {
  return {
    url: url.slice(0, MAX_URL_LENGTH),
    ...(line !== undefined && { line }),
    ...(value !== undefined && { value: value.slice(0, MAX_URL_LENGTH) }),
  };
}
