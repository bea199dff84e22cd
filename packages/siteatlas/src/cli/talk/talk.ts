/**
 * Everything that is said on stderr, and the log file: errors, notes, what happens with -v, progress, the
 * last line. stdout is for data alone.
 *
 * Texts that came from a site go through the sinks before they come here, or come through `logLine` here.
 */
import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import { jsonLine } from "../../sinks/json.ts";
import { logLine } from "../../sinks/log-line.ts";
import type { Settings } from "../flags.ts";
import { isAsciiTerminal } from "../picture/glyphs.ts";
import { UsageError } from "../usage-error.ts";
import { type Live, openLive } from "./live.ts";
import { progressFacts, progressLine, progressLines } from "./progress.ts";
import { type Paint, paintFor, type Style, wantsColor } from "./style.ts";
import type { Tally } from "./tally.ts";
import { wrapWords } from "./words.ts";

/** 0: what everybody sees; 1: -v; 2: -vv. */
export type Level = 0 | 1 | 2;

/** A plain line of progress comes so often. */
const PLAIN_MS = 10_000;
const JSON_MS = 1000;
const LIVE_MS = 100;
/** A terminal that does not know how wide it is says 0. */
const DEFAULT_COLUMNS = 80;

export type TalkSettings = Pick<Settings, "quiet" | "verbose" | "progress" | "color" | "logFile">;

export class Talk {
  readonly level: number;
  readonly isQuiet: boolean;
  /** stderr has colours. */
  readonly paint: Paint;
  /** stdout has colours. */
  readonly color: boolean;
  readonly #isJson: boolean;
  readonly #settings: TalkSettings;
  #log: number | undefined;
  #live: Live | undefined;
  #isLoading = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(settings: TalkSettings) {
    const { quiet = false, verbose = 0, progress, color, logFile } = settings;
    this.#settings = settings;
    this.isQuiet = quiet;
    this.level = quiet ? -1 : verbose;
    this.#isJson = progress === "json";
    const { env: environment, stdout, stderr } = process;
    this.paint = paintFor(wantsColor({ color, environment, isTerminal: stderr.isTTY === true }));
    this.color = wantsColor({ color, environment, isTerminal: stdout.isTTY === true });
    if (logFile !== undefined) this.#log = openLog(logFile);
    // Whoever read our messages is gone: no reason to end.
    stderr.on("error", () => {});
  }

  // ---------------------------------------------------------------- messages

  error(text: string, hint?: string): void {
    this.#write({ event: "error", message: text, ...(hint !== undefined && { hint }) }, () =>
      this.#shown("red", "error:", text, hint),
    );
  }

  /** Something that is missing or odd, but ends nothing. Also said when quiet, if `isLoud`. */
  warn(text: string, hint?: string, isLoud = false): void {
    if (this.isQuiet && !isLoud) this.#writeLog(text);
    else {
      this.#write({ event: "warning", message: text, ...(hint !== undefined && { hint }) }, () =>
        this.#shown("yellow", "warning:", text, hint),
      );
    }
  }

  /** What happens, for those who want to see it. */
  say(level: Level, text: string, facts: object = {}): void {
    const line = logLine(text);
    if (this.level < level) this.#writeLog(line);
    else this.#write({ event: "note", message: line, ...facts }, () => line);
  }

  /** The last line. */
  summary(text: string, facts: object, isLoud: boolean): void {
    this.stopProgress();
    if (this.isQuiet && !isLoud) this.#writeLog(text);
    else this.#write({ event: "summary", message: text, ...facts }, () => this.#wrapped(text));
  }

  #shown(style: Style, label: string, text: string, hint: string | undefined): string {
    const message = `${this.paint(style, label)}${this.#wrapped(`${label} ${text}`, "  ").slice(label.length)}`;
    if (hint === undefined) return message;
    const lines = this.#wrapped(`  ${hint}`, "  ").split("\n");
    return [message, ...lines.map((line) => this.paint("dim", line))].join("\n");
  }

  /** Sentences on a terminal are broken between words; elsewhere a message is one line. */
  #wrapped(text: string, indent = ""): string {
    const columns = process.stderr.columns || DEFAULT_COLUMNS;
    if (!process.stderr.isTTY || text.length <= columns) return text;
    const [, before = "", rest = ""] = /^( *)(.*)$/s.exec(text) ?? [];
    const [first = "", ...lines] = wrapWords(rest, columns - Math.max(before.length, indent.length));
    return [before + first, ...lines.map((line) => indent + line)].join("\n");
  }

  /** Whether somebody wants to hear of this level, on stderr or in the log file. */
  hears(level: Level): boolean {
    return this.level >= level || this.#log !== undefined;
  }

  // ---------------------------------------------------------------- progress

  /** Shows how far it is, from now on: live on a terminal, as a line now and then elsewhere. */
  startProgress(tally: Tally): void {
    const { progress = "auto" } = this.#settings;
    if (this.isQuiet || progress === "none") return;
    const startedAt = performance.now();
    const ms = (): number => performance.now() - startedAt;
    if (progress === "auto" && isLiveTerminal()) {
      const { paint } = this;
      const ascii = isAsciiTerminal(process.env);
      // What draws it is loaded once there was something to wait for.
      this.#every(LIVE_MS, () => {
        const columns = process.stderr.columns || DEFAULT_COLUMNS;
        this.#draw(progressLines(tally, ms(), { paint, columns, ascii }));
      });
    } else if (progress === "json") {
      this.#every(JSON_MS, () => this.#write({ event: "progress", ...progressFacts(tally, ms()) }, () => ""));
    } else {
      this.#every(PLAIN_MS, () => this.#write({ event: "progress" }, () => progressLine(tally, ms())));
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
          // It may be over by now.
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

  // ---------------------------------------------------------------- where it goes

  #write(facts: { readonly event: string; readonly message?: string }, text: () => string): void {
    this.#live?.clear();
    process.stderr.write(`${this.#isJson ? jsonLine(facts) : text()}\n`);
    if (facts.message !== undefined) this.#writeLog(`${facts.event}: ${facts.message}`);
  }

  #writeLog(line: string): void {
    if (this.#log === undefined) return;
    try {
      writeSync(this.#log, `${new Date().toISOString()} ${logLine(line)}\n`);
    } catch (error) {
      // A log that cannot be written must not cost the data.
      this.#log = undefined;
      this.warn(`Cannot write ${this.#settings.logFile}: ${(error as Error).message}`);
    }
  }
}

/**
 * Where lines can be drawn over. Build logs keep every one of them; and what stands behind a pipe (`| head`,
 * `| grep`) writes to the same terminal without our knowing: its lines would be drawn over, too.
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
    throw new UsageError(`Cannot write ${path}: ${(error as Error).message}`);
  }
}
