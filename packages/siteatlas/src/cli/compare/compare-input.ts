/** Finds out what the two arguments of `siteatlas compare` are: a site, a file, a folder or stdin. */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { logLine } from "../../escape/log-line.ts";
import type { Settings } from "../config/flags.ts";
import { isLocalPath } from "../config/local-files.ts";
import { readTarget } from "../config/target.ts";
import { UsageError } from "../process/usage-error.ts";

export interface CompareInput {
  readonly kind: "site" | "file" | "folder" | "stdin";
  /** The argument as the user typed it. */
  readonly text: string;
  /** The name for messages. */
  readonly name: string;
}

/** Matches file extensions that are not top-level domains. Such an argument is never a site. */
const FILE_NAME = /\.(?:csv|tsv|tab|log|ndjson|jsonl|json|txt|urls|gz|xml)$/i;

/** @throws {UsageError} if the argument is neither a site nor a file */
export function readInput(text: string, settings: Settings): CompareInput {
  if (text === "-") return { kind: "stdin", text, name: "stdin" };
  const kind = kindOf(text);
  // Tools that mirror sites create folders such as `example.com`. `./example.com` is such a folder.
  if (kind === "file" || (kind === "folder" && isLocalPath(text))) {
    return { kind, text, name: nameOf(text) };
  }
  if (isLocalPath(text) || (FILE_NAME.test(text) && !text.includes("/"))) {
    throw new UsageError(`cannot read ${logLine(text, { maxLength: 100 })}: no such file or folder`);
  }
  return { kind: "site", text, name: readTarget(text, settings).name };
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}

/** The names of both inputs. If they are equal, as for `old/urls.txt` and `new/urls.txt`, the names are the arguments. */
export function nameInputs(a: CompareInput, b: CompareInput): readonly [CompareInput, CompareInput] {
  if (a.name !== b.name) return [a, b];
  const whole = (input: CompareInput): CompareInput => {
    const isPath = input.kind === "file" || input.kind === "folder";
    return isPath ? { ...input, name: logLine(input.text, { maxLength: 100 }) } : input;
  };
  return [whole(a), whole(b)];
}

/** `/dev/fd/63`, which a shell passes for `<(…)`, keeps its whole name. */
function nameOf(path: string): string {
  const name = path.startsWith("/dev/") ? path : basename(path);
  return logLine(name || path, { maxLength: 60 });
}
