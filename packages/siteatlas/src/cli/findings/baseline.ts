/**
 * A baseline: the findings that are known. It has the number of occurrences for each rule and document. A finding is new
 * if its rule has more occurrences in its document than the baseline says.
 */
import { statSync } from "node:fs";
import { checkPart, count, InvalidValue, oneOf, record } from "../../check/check-value.ts";
import { logLine } from "../../escape/log-line.ts";
import { readSmallFile } from "../../files/read-small-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { Finding } from "../../lint/finding.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";

/** Maximum size of a baseline in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const FORMAT = "siteatlas-baseline/1";

export class Baseline {
  /** Numbers of occurrences by rule and document. */
  readonly #counts: ReadonlyMap<string, number>;
  /** Number of findings that the baseline contains. */
  known = 0;

  constructor(counts: ReadonlyMap<string, number> = new Map()) {
    this.#counts = counts;
  }

  /** Reads a baseline. @throws {UsageError} if the file cannot be read or is not a baseline */
  static read(path: string): Baseline {
    const name = logLine(path);
    let text: string | undefined;
    try {
      // A settings file of the current directory may name the baseline. To open a named pipe could block forever.
      if (!statSync(path).isFile()) throw new UsageError(`cannot read ${name}: it is not a regular file`);
      text = readSmallFile(path, MAX_BYTES);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(
        `cannot read ${name}: ${systemReason(error)}`,
        "Create it with --update-baseline.",
      );
    }
    if (text === undefined) throw new UsageError(`cannot read ${name}: it is larger than 64 MiB`);
    return new Baseline(parse(text, name));
  }

  /** Returns the new part of a finding. Undefined if the baseline contains all of it. */
  newPart(finding: Finding): Finding | undefined {
    const known = this.#counts.get(keyOf(finding)) ?? 0;
    if (known === 0) return finding;
    this.known++;
    return finding.count > known ? { ...finding, count: finding.count - known } : undefined;
  }
}

/** Collects findings for a new baseline. */
export class BaselineDraft {
  readonly #counts: Map<string, number> = new Map();

  add(finding: Finding): void {
    const key = keyOf(finding);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + finding.count);
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Writes the baseline. Sorted, so that a version control system shows what changed. */
  async write(path: string): Promise<void> {
    const findings = Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
    const text = `${JSON.stringify({ format: FORMAT, findings }, undefined, 2)}\n`;
    try {
      await replaceFile(path, async (file) => {
        await file.writeFile(text);
      });
    } catch (error) {
      throw new UsageError(`cannot write ${logLine(path)}: ${systemReason(error)}`);
    }
  }
}

function keyOf({ rule, url }: Finding): string {
  return `${rule} ${url}`;
}

function parse(text: string, name: string): ReadonlyMap<string, number> {
  try {
    const file = record(JSON.parse(text));
    checkPart("format", oneOf([FORMAT]), file["format"]);
    const findings = checkPart("findings", record, file["findings"]);
    return new Map(Object.entries(findings).map(([key, value]) => [key, checkPart(key, count, value)]));
  } catch (error) {
    const why = error instanceof InvalidValue ? `: ${logLine(error.message)}` : "";
    throw new UsageError(`${name} is not a baseline of siteatlas${why}`, "Create it with --update-baseline.");
  }
}
