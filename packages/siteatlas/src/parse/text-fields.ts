/** The text of a title or description: trimmed, and unescaped once more where it was escaped twice. */
import type { Report } from "../issue-log.ts";
import { unescapeOnce } from "./fields.ts";
import type { XmlScanner } from "./scanner.ts";

/** Text that holds markup is HTML and stays as it is (M05). */
const MARKUP = /<[a-z/!]/i;

/** The text just captured, or undefined if it is blank. */
export function readText(scanner: XmlScanner, report: Report): string | undefined {
  const text = scanner.text.toString().trim();
  if (text === "") return undefined;
  if (!text.includes("&") || MARKUP.test(text)) return text;
  const plain = unescapeOnce(text);
  if (plain !== text) report("text.double-escaped", text, scanner.line);
  return plain;
}
