/**
 * A real terminal: tmux runs a command in a window of a given size and returns its final screen. Needs tmux 3.3 or
 * later.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 50;
const MAX_LINES = 50_000;

/**
 * @typedef {object} TerminalOptions
 * @property {number} columns
 * @property {number} rows
 * @property {string} folder where the command runs
 * @property {Readonly<Record<string, string>>} environment all variables
 * @property {number} [timeLimitMs]
 */

/**
 * @typedef {object} Screen
 * @property {string} text complete lines, including those that have scrolled away
 * @property {string} styledText the same with escape sequences for styles
 * @property {number} code the exit code of the command
 */

let terminals = 0;

export class Terminal {
  /** Each terminal has its own server, because a server that ends would take the next window with it. */
  #name = `siteatlas-docs-${process.pid}-${++terminals}`;
  /** The shell writes the exit code here, because tmux does not know it in time. */
  #codeFile = join(tmpdir(), `${this.#name}.code`);
  #timeLimitMs;

  /**
   * @param {string} command for sh
   * @param {TerminalOptions} options
   */
  constructor(command, { columns, rows, folder, environment, timeLimitMs = 60_000 }) {
    this.#timeLimitMs = timeLimitMs;
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    // The shell waits for a line, so that nothing is missed while the window is set up. It ignores Ctrl-C, which is
    // for the command.
    const script = `trap : INT; read -r _; (${command}); echo $? > ${this.#codeFile}`;
    const shell = ["env", "-i", "TERM=tmux-256color", ...variables, "sh", "-c", script];
    const size = ["-x", String(columns), "-y", String(rows)];
    this.#tmux("-f", "/dev/null", "new-session", "-d", ...size, "-c", folder, ...shell);
    this.#tmux("set-option", "-g", "remain-on-exit", "on");
    this.#tmux("set-option", "-g", "remain-on-exit-format", "");
    this.#tmux("set-option", "-g", "history-limit", String(MAX_LINES));
    this.#tmux("set-option", "-g", "status", "off");
    this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
    this.type("Enter");
  }

  /** @param {readonly string[]} keys as tmux names them: `C-c` */
  type(...keys) {
    this.#tmux("send-keys", ...keys);
  }

  /** The current screen, without the line for the shell. @returns {string} */
  text() {
    return this.#capture();
  }

  /**
   * Waits until the text is ready.
   *
   * @param {(text: string) => boolean} isReady
   */
  async until(isReady) {
    const end = Date.now() + this.#timeLimitMs;
    for (let text = this.text(); ; text = this.text()) {
      if (isReady(text)) return text;
      if (Date.now() > end) throw new Error(`This is not what was waited for:\n${text}`);
      await sleep(POLL_MS);
    }
  }

  /** Waits for the end of the command. @returns {Promise<Screen>} */
  async end() {
    const end = Date.now() + this.#timeLimitMs;
    // The screen of a dead pane is complete.
    while (!existsSync(this.#codeFile) || this.#tmux("display-message", "-p", "#{pane_dead}") !== "1\n") {
      if (Date.now() > end) throw new Error(`No end after ${this.#timeLimitMs} ms:\n${this.text()}`);
      await sleep(POLL_MS);
    }
    const code = Number(readFileSync(this.#codeFile, "utf8"));
    return { text: this.text(), styledText: this.#capture("-e"), code };
  }

  close() {
    this.#tmux("kill-server");
    rmSync(this.#codeFile, { force: true });
  }

  /** @param {readonly string[]} flags of `tmux capture-pane` */
  #capture(...flags) {
    const lines = this.#tmux("capture-pane", "-p", ...flags, "-S", "-")
      .trimEnd()
      .split("\n")
      .slice(1);
    return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
  }

  /** @param {readonly string[]} args */
  #tmux(...args) {
    return execFileSync("tmux", ["-u", "-L", this.#name, ...args], { encoding: "utf8" });
  }
}
