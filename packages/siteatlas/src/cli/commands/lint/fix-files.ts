/** `siteatlas lint --fix`: shows certain repairs of local files as a diff, and with `--write` changes the files. */
import { readFileSync, statSync } from "node:fs";
import { logLine } from "../../../escape/log-line.ts";
import { terminalText } from "../../../escape/terminal.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { fixedText, fixSitemap } from "../../../lint/fix-document.ts";
import type { Run } from "../../command.ts";
import { withTextOutput } from "../../output/finish-output.ts";
import { EXIT, type ExitCode } from "../../process/exit-codes.ts";
import { systemReason } from "../../process/system-reason.ts";
import { UsageError } from "../../process/usage-error.ts";
import { count } from "../../terminal/format-text.ts";
import { paintFor } from "../../terminal/style.ts";
import type { LocalSite } from "./local-site.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Larger files are not repaired. The protocol allows 50 MiB. */
const MAX_BYTES = 50 * 1024 * 1024;

export async function fixFiles(run: Run, { files, origin }: LocalSite): Promise<ExitCode> {
  const { settings, reporter } = run;
  const paint = paintFor(reporter.color);
  const style = (line: string): string =>
    line.startsWith("-") ? paint("red", line) : line.startsWith("+") ? paint("green", line) : line;
  let changed = 0;
  return withTextOutput(run, async (output) => {
    for (const file of files.filter((name) => /\.xml$/i.test(name))) {
      const lines = await fixedLines(file, origin);
      if (lines === "unsafe") {
        reporter.say(0, `${terminalText(file)}: not repaired, because a repair might change its pages`);
        continue;
      }
      if (lines === undefined) continue;
      changed++;
      const diff = [...unifiedDiff(file, lines)].map((line) => `${style(line)}\n`);
      await output.write(diff.join(""));
      if (settings.write) await writeFile(file, fixedText(lines));
    }
    await output.end();
    const what = settings.write ? "changed" : "would change; write the changes with --write";
    reporter.say(0, changed === 0 ? "nothing to repair" : `${count(changed, "file")} ${what}`);
    return EXIT.done;
  });
}

async function fixedLines(file: string, origin: string): ReturnType<typeof fixSitemap> {
  try {
    return statSync(file).size > MAX_BYTES ? undefined : await fixSitemap(readFileSync(file), origin);
  } catch (error) {
    throw new UsageError(`cannot read ${logLine(file)}: ${systemReason(error)}`);
  }
}

async function writeFile(file: string, text: string): Promise<void> {
  try {
    // `replaceFile` renames a new file, which the mode of the old file does not prevent.
    if ((statSync(file).mode & 0o222) === 0) throw new Error("the file is read-only");
    await replaceFile(file, async (target) => target.writeFile(text));
  } catch (error) {
    throw new UsageError(`cannot write ${logLine(file)}: ${systemReason(error)}`);
  }
}
