/** Chooses the format of findings: by `-f`, `--json`, or the extension of the file. */
import type { Run } from "../command.ts";
import { REPORT_FORMATS, type ReportFormat, reportFormatOfFile } from "../config/output-formats.ts";
import { outputFile } from "../output/choose-format.ts";
import { UsageError } from "../process/usage-error.ts";
import { joined } from "../terminal/format-text.ts";

export function chooseReportFormat({ settings, command }: Run): ReportFormat {
  const { format = "auto", json } = settings;
  if (format !== "auto") {
    const found = REPORT_FORMATS.find((name) => name === format);
    if (found === undefined) {
      throw new UsageError(
        `siteatlas ${command} cannot write ${format}`,
        `Use ${joined(REPORT_FORMATS, "or")}.`,
      );
    }
    if (json && found !== "json")
      throw new UsageError(`--json conflicts with --format ${found}`, "Use one of them.");
    return found;
  }
  if (json) return "json";
  const file = outputFile(settings);
  const byName = file === undefined ? "text" : reportFormatOfFile(file);
  if (byName !== undefined) return byName;
  throw new UsageError(
    `${file}: unknown file extension`,
    "Use .txt, .json, .sarif, .xml (junit) or .md, or choose a format with -f.",
  );
}
