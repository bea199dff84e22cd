/**
 * A real terminal: tmux, which runs a command in a window of a given size and says what is on its screen, as
 * a person would see it: lines that were drawn over are gone. `apt-get install tmux`, 3.3 or later.
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
 * @property {Readonly<Record<string, string>>} environment all of it
 * @property {number} [timeLimitMs]
 */

/**
 * @typedef {object} Screen
 * @property {string} text whole lines, also those that have scrolled away
 * @property {number} code with which the command ended
 */

let terminals = 0;

export class Terminal {
  /** Each has a server of its own: one that is being ended would take the next window with it. */
  #name = `siteatlas-docs-${process.pid}-${++terminals}`;
  /** Where the shell puts the exit code: tmux does not know it in time. */
  #codeFile = join(tmpdir(), `${this.#name}.code`);
  #timeLimitMs;

  /**
   * @param {string} command for sh
   * @param {TerminalOptions} options
   */
  constructor(command, { columns, rows, folder, environment, timeLimitMs = 60_000 }) {
    this.#timeLimitMs = timeLimitMs;
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    // The shell waits for a word of ours, so that nothing is missed while the window is set up; Ctrl-C is for
    // the command alone.
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

  /** What is to be seen now, without the line of the word above. @returns {string} */
  text() {
    const lines = this.#tmux("capture-pane", "-p", "-S", "-").trimEnd().split("\n").slice(1);
    return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
  }

  /**
   * Once the text is as it is wanted.
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

  /** Once the command has ended. @returns {Promise<Screen>} */
  async end() {
    const end = Date.now() + this.#timeLimitMs;
    // A dead pane has shown everything.
    while (!existsSync(this.#codeFile) || this.#tmux("display-message", "-p", "#{pane_dead}") !== "1\n") {
      if (Date.now() > end) throw new Error(`No end after ${this.#timeLimitMs} ms:\n${this.text()}`);
      await sleep(POLL_MS);
    }
    return { text: this.text(), code: Number(readFileSync(this.#codeFile, "utf8")) };
  }

  close() {
    this.#tmux("kill-server");
    rmSync(this.#codeFile, { force: true });
  }

  /** @param {readonly string[]} args */
  #tmux(...args) {
    return execFileSync("tmux", ["-u", "-L", this.#name, ...args], { encoding: "utf8" });
  }
}
