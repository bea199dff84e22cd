/** The inputs of `siteatlas compare` and `check`: a site, a snapshot, a file, a folder or stdin. */
import { basename } from "node:path";
import { logLine } from "../../escape/log-line.ts";
import type { Settings } from "../config/flags.ts";
import { type ArgumentKind, argumentKind } from "../config/local-files.ts";
import { readTarget } from "../config/target.ts";
import { UsageError } from "../process/usage-error.ts";

export interface CompareInput {
  readonly kind: Exclude<ArgumentKind, "missing">;
  /** The argument as the user typed it. */
  readonly text: string;
  /** The name for messages. */
  readonly name: string;
}

/** @throws {UsageError} if the argument is neither a site nor a file */
export function readInput(text: string, settings: Settings): CompareInput {
  const kind = argumentKind(text);
  if (kind === "missing") {
    throw new UsageError(`cannot read ${logLine(text, { maxLength: 100 })}: no such file or folder`);
  }
  if (kind === "stdin") return { kind, text, name: "stdin" };
  return { kind, text, name: kind === "site" ? readTarget(text, settings).name : nameOf(text) };
}

/** The names of both inputs. If they are equal, as for `old/urls.txt` and `new/urls.txt`, the names are the arguments. */
export function nameInputs(a: CompareInput, b: CompareInput): readonly [CompareInput, CompareInput] {
  if (a.name !== b.name) return [a, b];
  const whole = (input: CompareInput): CompareInput =>
    ["snapshot", "file", "folder"].includes(input.kind)
      ? { ...input, name: logLine(input.text, { maxLength: 100 }) }
      : input;
  return [whole(a), whole(b)];
}

/** `/dev/fd/63`, which a shell passes for `<(…)`, keeps its whole name. */
function nameOf(path: string): string {
  const name = path.startsWith("/dev/") ? path : basename(path);
  return logLine(name || path, { maxLength: 60 });
}
