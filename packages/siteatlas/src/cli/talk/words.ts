/** Numbers and names as people read them. */
import type { IssueCode } from "../../issues.ts";
import type { HttpFacts } from "../../model.ts";

/** `80,356`. Not by Intl, which takes 40 ms to get ready: as long as Node takes to start. */
export function number(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 page`, `80,356 pages` */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** `4.2 MB` */
export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  let rest = value;
  for (; rest >= 1000 && at < units.length - 1; at++) rest /= 1000;
  return `${at === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${units[at]}`;
}

/** `11.2 s`, `3 min 20 s` */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `a`, `a and b`, `a, b and c` */
export function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** In lines of so many characters, broken at spaces; a longer word has a line of its own. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}

/** Why something failed, in a word or two: `404`, `timeout`, `HTML page`. */
export function failureWord(code: IssueCode | undefined, http: HttpFacts | undefined): string {
  if (code === "http.status" && http !== undefined) return String(http.status);
  if (code === undefined) return "unknown";
  return FAILURES[code] ?? code.slice(code.indexOf(".") + 1).replaceAll("-", " ");
}

/** Why something failed, in a sentence, which the word precedes where it does not say it itself. */
export function failureText(
  code: IssueCode | undefined,
  http: HttpFacts | undefined,
  reason: string | undefined,
): string {
  const word = failureWord(code, http);
  if (reason === undefined) return word;
  return reason.toLowerCase().includes(word.toLowerCase()) ? reason : `${word}: ${reason}`;
}

const FAILURES: Readonly<Partial<Record<IssueCode, string>>> = {
  "http.dns": "no such host",
  "http.connection": "no connection",
  "http.tls": "TLS",
  "http.protocol": "not HTTP",
  "http.blocked-address": "private address",
  "content.html": "HTML page",
  "content.empty": "empty",
};

/** More kinds of failure than these are a matter for -v. */
const MAX_KINDS = 4;

/** `404, timeout`, `2 × 404, timeout`, `5 × 404, 2 × empty, 403, 6 others`. Equal ones by name. */
export function failureWords(failures: ReadonlyMap<string, number>): string {
  const sorted = [...failures].sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1));
  const shown = sorted.length > MAX_KINDS ? sorted.slice(0, MAX_KINDS - 1) : sorted;
  const words = shown.map(([word, times]) =>
    times === 1 || failures.size === 1 ? word : `${number(times)} × ${word}`,
  );
  const rest = sorted.slice(shown.length).reduce((sum, [, times]) => sum + times, 0);
  return [...words, ...(rest > 0 ? [`${number(rest)} others`] : [])].join(", ");
}
