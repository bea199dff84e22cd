/** Chooses the format of `siteatlas report`. */
import { terminalText } from "../../escape/terminal.ts";
import type { Run } from "../command.ts";
import {
  SITE_REPORT_FORMATS,
  type SiteReportFormat,
  siteReportExtensions,
  siteReportFormatOfFile,
} from "../config/output-formats.ts";
import { UsageError } from "../process/usage-error.ts";
import { joined } from "../terminal/format-text.ts";
import { outputFile } from "./choose-format.ts";

export type { SiteReportFormat };

/** The format of `-f`, of `--json`, or of the file extension. The default is HTML, but not on a terminal. */
export function chooseSiteReportFormat({ settings, command }: Run): SiteReportFormat {
  const { format = "auto", json } = settings;
  const file = outputFile(settings);
  const wanted = format === "auto" ? (json ? "json" : undefined) : format;
  if (wanted !== undefined) {
    const found = SITE_REPORT_FORMATS.find((name) => name === wanted);
    if (found !== undefined) return found;
    throw new UsageError(
      `siteatlas ${command} cannot write ${wanted}`,
      `Use ${joined(SITE_REPORT_FORMATS, "or")}.`,
    );
  }
  if (file === undefined) {
    if (process.stdout.isTTY === true)
      throw new UsageError(`siteatlas ${command} needs a file`, "Add -o report.html, or -f markdown.");
    return "html";
  }
  const byName = siteReportFormatOfFile(file);
  if (byName !== undefined) return byName;
  const [, picture] = /\.(png|pdf)$/i.exec(file) ?? [];
  throw new UsageError(
    `${terminalText(file)}: unknown file extension`,
    picture === undefined
      ? `Use ${joined(siteReportExtensions(), "or")}, or choose a format with -f.`
      : `Use --${picture.toLowerCase()} ${terminalText(file)} instead of -o.`,
  );
}
