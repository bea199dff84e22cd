/**
 * Writes all messages to stderr and to the log file: errors, warnings, notes of -v, progress and the summary. stdout is
 * for data only. Every text is escaped here, because it may contain arguments, settings, file names and text from a
 * site: no control or bidi character reaches the terminal (sec-O01).
 */
import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import { jsonLine } from "../../escape/json.ts";
import { logLine } from "../../escape/log-line.ts";
import { terminalText } from "../../escape/terminal.ts";
import type { Settings } from "../config/flags.ts";
import { toOutputError } from "../process/output-error.ts";
import { systemReason } from "../process/system-reason.ts";
import { wrapWords } from "../terminal/format-text.ts";
import { isAsciiTerminal } from "../terminal/glyphs.ts";
import { type Live, openLive } from "../terminal/live-lines.ts";
import { type Paint, paintFor, type Style, wantsColor } from "../terminal/style.ts";
import { progressFacts, progressLine, progressLines } from "./progress.ts";
import type { RunCounts } from "./run-counts.ts";

/** When a message is written. 0: always. 1: with -v. 2: with -vv. */
type Level = 0 | 1 | 2;

const PLAIN_MS = 10_000;
const JSON_MS = 1000;
const LIVE_MS = 100;
/** Width that is used if the terminal reports 0 columns. */
const DEFAULT_COLUMNS = 80;

export type ReporterSettings = Pick<Settings, "quiet" | "verbose" | "progress" | "color" | "logFile" | "log">;

type Severity = "error" | "warning" | "info" | "debug";

export class Reporter {
  readonly level: number;
  readonly isQuiet: boolean;
  /** Adds colors to text for stderr. */
  readonly paint: Paint;
  /** Whether text on stdout has colors. */
  readonly color: boolean;
  /** Whether each message is a JSON object with a time and a level (`--log json`). */
  readonly isStructured: boolean;
  readonly #isJson: boolean;
  readonly #settings: ReporterSettings;
  #log: number | undefined;
  #live: Live | undefined;
  #isLoading = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(settings: ReporterSettings) {
    const { quiet = false, verbose = 0, progress, color, logFile, log } = settings;
    this.#settings = settings;
    this.isQuiet = quiet;
    this.level = quiet ? -1 : verbose;
    this.isStructured = log === "json";
    this.#isJson = progress === "json" || this.isStructured;
    const { env: environment, stdout, stderr } = process;
    this.paint = paintFor(wantsColor({ color, environment, isTerminal: stderr.isTTY === true }));
    this.color = wantsColor({ color, environment, isTerminal: stdout.isTTY === true });
    if (logFile !== undefined) this.#log = openLog(logFile);
    // If the program that reads stderr ends, the run continues.
    stderr.on("error", () => {});
  }

  // ---------------------------------------------------------------- messages

  error(text: string, hint?: string): void {
    const message = terminalText(text);
    const facts = { event: "error", message, ...(hint !== undefined && { hint }) };
    this.#write(facts, () => this.#shown("red", "error:", message, hint), "error");
  }

  /** Reports a problem that does not end the run. With `isLoud`, it is also shown with -q. */
  warn(text: string, hint?: string, isLoud = false, facts: object = {}): void {
    const message = terminalText(text);
    if (this.isQuiet && !isLoud) this.#writeLog(message);
    else {
      const all = { event: "warning", message, ...(hint !== undefined && { hint }), ...facts };
      this.#write(all, () => this.#shown("yellow", "warning:", message, hint), "warning");
    }
  }

  say(level: Level, text: string, facts: object = {}): void {
    const line = logLine(text);
    if (this.level < level) this.#writeLog(line);
    else
      this.#write(
        { event: "note", message: line, ...facts },
        () => (level === 0 ? this.#wrapped(line) : line),
        level === 0 ? "info" : "debug",
      );
  }

  /** Writes the summary, which is the last line of a run. */
  summary(text: string, facts: object, isLoud: boolean): void {
    this.stopProgress();
    const message = terminalText(text);
    if (this.isQuiet && !isLoud) this.#writeLog(message);
    else this.#write({ event: "summary", message, ...facts }, () => this.#wrapped(message));
  }

  #shown(style: Style, label: string, text: string, hint: string | undefined): string {
    const message = `${this.paint(style, label)}${this.#wrapped(`${label} ${text}`, "  ").slice(label.length)}`;
    if (hint === undefined) return message;
    const lines = hint
      .split("\n")
      .flatMap((line) => this.#wrapped(`  ${terminalText(line)}`, "  ").split("\n"));
    return [message, ...lines.map((line) => this.paint("dim", line))].join("\n");
  }

  /** Wraps a message to the width of the terminal. If stderr is not a terminal, the message stays one line. */
  #wrapped(text: string, indent = ""): string {
    const columns = process.stderr.columns || DEFAULT_COLUMNS;
    if (!process.stderr.isTTY || text.length <= columns) return text;
    const [, before = "", rest = ""] = /^( *)(.*)$/s.exec(text) ?? [];
    const [first = "", ...lines] = wrapWords(rest, columns - Math.max(before.length, indent.length));
    return [before + first, ...lines.map((line) => indent + line)].join("\n");
  }

  /** Whether a message of this level is written to stderr or the log file. */
  hears(level: Level): boolean {
    return this.level >= level || this.#log !== undefined;
  }

  // ---------------------------------------------------------------- progress

  /** Shows the progress from now on: as live lines on a terminal, otherwise as one line every 10 seconds. */
  startProgress(runCounts: RunCounts): void {
    const { progress = "auto" } = this.#settings;
    if (this.isQuiet || progress === "none") return;
    const startedAt = performance.now();
    const ms = (): number => performance.now() - startedAt;
    if (progress === "auto" && !this.isStructured && isLiveTerminal()) {
      const { paint } = this;
      const ascii = isAsciiTerminal(process.env);
      this.#every(LIVE_MS, () => {
        const columns = process.stderr.columns || DEFAULT_COLUMNS;
        this.#draw(progressLines(runCounts, ms(), { paint, columns, ascii }));
      });
    } else if (this.#isJson) {
      // `--log json` is for logs that are kept, so it has as few lines as plain progress.
      this.#every(progress === "json" ? JSON_MS : PLAIN_MS, () =>
        this.#write({ event: "progress", ...progressFacts(runCounts, ms()) }, () => ""),
      );
    } else {
      this.#every(PLAIN_MS, () => this.#write({ event: "progress" }, () => progressLine(runCounts, ms())));
    }
  }

  stopProgress(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#live?.close();
    this.#live = undefined;
  }

  close(): void {
    this.stopProgress();
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
  }

  #draw(lines: readonly string[]): void {
    if (this.#live !== undefined) this.#live.draw(lines);
    else if (!this.#isLoading) {
      this.#isLoading = true;
      openLive().then(
        (live) => {
          // The run may have ended while log-update was being loaded.
          if (this.#timer === undefined) live.close();
          else this.#live = live;
        },
        () => clearInterval(this.#timer),
      );
    }
  }

  #every(ms: number, act: () => void): void {
    this.#timer = setInterval(act, ms);
    this.#timer.unref();
  }

  // ---------------------------------------------------------------- output

  #write(
    facts: { readonly event: string; readonly message?: string },
    text: () => string,
    level: Severity = "info",
  ): void {
    this.#live?.clear();
    const record = this.isStructured ? { time: new Date().toISOString(), level, ...facts } : facts;
    process.stderr.write(`${this.#isJson ? jsonLine(record) : text()}\n`);
    const { event, message } = facts;
    // In the log file, each message starts with the name of its event. Notes do not need this: they start with a word
    // such as the severity of an issue.
    if (message !== undefined) this.#writeLog(event === "note" ? message : `${event}: ${message}`);
  }

  #writeLog(line: string): void {
    if (this.#log === undefined) return;
    try {
      writeSync(this.#log, `${new Date().toISOString()} ${logLine(line)}\n`);
    } catch (error) {
      // If the log cannot be written, continue without it, because the data is more important.
      this.#log = undefined;
      this.warn(`cannot write ${this.#settings.logFile}: ${systemReason(error)}`);
    }
  }
}

/**
 * Whether live lines can be redrawn on this terminal. False for build logs, which would keep every frame. False if
 * stdout is a pipe: its reader (`| head`) may write to the same terminal, and live lines would overwrite that.
 */
function isLiveTerminal(): boolean {
  const { CI: ci, TERM: terminal } = process.env;
  const isLive = process.stderr.isTTY === true && terminal !== "dumb" && !isPipe(1);
  return isLive && (ci === undefined || /^(?:|0|false)$/.test(ci));
}

function isPipe(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}

function openLog(path: string): number {
  try {
    return openSync(path, "a", 0o600);
  } catch (error) {
    throw toOutputError(error, path, 2);
  }
}
