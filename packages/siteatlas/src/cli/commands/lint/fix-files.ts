/** `siteatlas lint --fix`: shows certain repairs of local files as a diff, and with `--write` changes the files. */
import { readFileSync, statSync } from "node:fs";
import { logLine } from "../../../escape/log-line.ts";
import { terminalText } from "../../../escape/terminal.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { decodeDocument } from "../../../lint/documents/document-text.ts";
import { type FixedLine, fixDocument, fixedText } from "../../../lint/fix-document.ts";
import type { Run } from "../../command.ts";
import { withTextOutput } from "../../output/finish-output.ts";
import { EXIT, type ExitCode } from "../../process/exit-codes.ts";
import { systemReason } from "../../process/system-reason.ts";
import { UsageError } from "../../process/usage-error.ts";
import { count } from "../../terminal/format-text.ts";
import { paintFor } from "../../terminal/style.ts";
import type { LocalSite } from "./local-site.ts";

/** Larger files are not repaired. The protocol allows 50 MiB. */
const MAX_BYTES = 50 * 1024 * 1024;
const CONTEXT = 2;

export async function fixFiles(run: Run, { files, origin }: LocalSite): Promise<ExitCode> {
  const { settings, reporter } = run;
  const paint = paintFor(reporter.color);
  let changed = 0;
  return withTextOutput(run, async (output) => {
    for (const file of files.filter((name) => /\.xml$/i.test(name))) {
      const lines = await fixedLines(file, origin);
      if (lines === undefined) continue;
      changed++;
      const name = terminalText(file);
      const style = (line: string): string =>
        line.startsWith("-") ? paint("red", line) : line.startsWith("+") ? paint("green", line) : line;
      const diff = [`--- a/${name}`, `+++ b/${name}`, ...hunks(lines)].map((line) => `${style(line)}\n`);
      await output.write(diff.join(""));
      if (settings.write) await replaceFile(file, async (target) => target.writeFile(fixedText(lines)));
    }
    await output.end();
    const what = settings.write ? "changed" : "would change; write the changes with --write";
    reporter.say(0, changed === 0 ? "nothing to repair" : `${count(changed, "file")} ${what}`);
    return EXIT.done;
  });
}

async function fixedLines(file: string, origin: string): Promise<readonly FixedLine[] | undefined> {
  try {
    if (statSync(file).size > MAX_BYTES) return undefined;
    const text = await decodeDocument(readFileSync(file));
    return /<(?:urlset|sitemapindex)[\s>]/.test(text) ? fixDocument(text, origin) : undefined;
  } catch (error) {
    throw new UsageError(`cannot read ${logLine(file)}: ${systemReason(error)}`);
  }
}

/** The changed lines with their surroundings, in the format of `diff -u`. */
function* hunks(lines: readonly FixedLine[]): Generator<string> {
  const isChanged = ({ before, after }: FixedLine): boolean => before !== after;
  let shown = 0;
  for (let at = lines.findIndex(isChanged); at >= 0; ) {
    let end = at;
    for (let next = at; next < lines.length && next <= end + 2 * CONTEXT; next++) {
      if (isChanged(lines[next]!)) end = next;
    }
    const from = Math.max(shown, at - CONTEXT);
    const part = lines.slice(from, end + 1 + CONTEXT);
    const added = part.filter(({ after }) => after !== undefined).length;
    const removedBefore = lines.slice(0, from).filter(({ after }) => after === undefined).length;
    yield `@@ -${from + 1},${part.length} +${from + 1 - removedBefore},${added} @@`;
    for (const line of part) yield* diffLines(line);
    shown = from + part.length;
    const next = lines.slice(shown).findIndex(isChanged);
    at = next < 0 ? -1 : shown + next;
  }
}

function* diffLines({ before, after }: FixedLine): Generator<string> {
  if (before === after) yield ` ${terminalText(before)}`;
  else {
    yield `-${terminalText(before)}`;
    if (after !== undefined) yield `+${terminalText(after)}`;
  }
}
