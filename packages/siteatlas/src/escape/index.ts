/**
 * The public names of `siteatlas/escape`: functions that escape untrusted text before it is shown, logged or
 * written. There is one function per destination. They run in any runtime, without dependencies.
 */
export { type CsvCellOptions, csvCell } from "./csv.ts";
export { safeFileName } from "./file-name.ts";
export { htmlAttribute, htmlHref, htmlText } from "./html.ts";
export { jsonForScript, jsonLine } from "./json.ts";
export { type LogLineOptions, logLine, logUrl, MAX_MESSAGE_LENGTH } from "./log-line.ts";
export { type HeaderValue, redactHeaders, redactText, redactUrl } from "./redact.ts";
export { terminalText } from "./terminal.ts";
