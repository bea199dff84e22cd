/** Reads the JSON of an earlier report, for `--compare`. The file is untrusted: all values that the page shows are checked. */
import { readFile, stat } from "node:fs/promises";
import { terminalText } from "../../../escape/terminal.ts";
import { REPORT_FORMAT, REPORT_VERSION, type SiteReport } from "../../../report/report-model.ts";
import { systemReason } from "../../process/system-reason.ts";
import { UsageError } from "../../process/usage-error.ts";

/** A report of siteatlas has at most about 4 MB. */
const MAX_BYTES = 32 * 1024 * 1024;

export async function readEarlierReport(path: string): Promise<SiteReport> {
  const text = await readText(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isReport(value)) return value;
  throw new UsageError(
    `${terminalText(path)} is not a report that siteatlas can compare`,
    "Write one with siteatlas report <url> -o old.json.",
  );
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new UsageError(`${terminalText(path)} is too large to be a report`);
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${terminalText(path)}: ${systemReason(error)}`);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the checks below are the only proof of the type
type Anything = any;

/** Checks the values that a comparison shows. */
function isReport(value: Anything): value is SiteReport {
  if (value?.format !== REPORT_FORMAT || value.version !== REPORT_VERSION) return false;
  const numbers: unknown[] = [
    ...[
      value.pages?.total,
      value.pages?.unique,
      value.sitemaps?.read,
      value.sitemaps?.failed,
      value.dates?.dated,
    ],
    ...Object.values(value.languages?.pages ?? { missing: undefined }),
  ];
  const lists: unknown[] = [value.sections, value.issues, value.dates?.ages];
  return (
    typeof value.made?.at === "string" &&
    numbers.every((one) => typeof one === "number") &&
    lists.every(Array.isArray) &&
    value.sections.every((one: Anything) => typeof one?.path === "string" && typeof one.pages === "number") &&
    value.issues.every((one: Anything) => typeof one?.count === "number") &&
    value.dates.ages.every((one: Anything) => typeof one?.pages === "number")
  );
}
