/**
 * The public names of `siteatlas/sinks`: what a stranger's text goes through before it is shown, logged or
 * written. One function for each place that a text can end in; pure, without dependency, for any runtime.
 */
export { type CsvCellOptions, csvCell } from "./csv.ts";
export { safeFileName } from "./file-name.ts";
export { htmlAttribute, htmlHref, htmlText } from "./html.ts";
export { jsonForScript, jsonLine } from "./json.ts";
export { type LogLineOptions, logLine, logUrl, MAX_MESSAGE_LENGTH } from "./log-line.ts";
export { redactHeaders, redactText, redactUrl } from "./redact.ts";
export { terminalText } from "./terminal.ts";
