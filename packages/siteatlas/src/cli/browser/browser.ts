/**
 * Runs an installed Chromium without a window. Commands and results go through two pipes, as messages of the Chrome
 * DevTools Protocol that end in a zero byte. So no port is opened, and no other program can control the browser.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Readable, Writable } from "node:stream";
import { terminalText } from "../../escape/terminal.ts";
import { TemporaryPath } from "../../files/temporary-files.ts";
import { OutputError } from "../process/output-error.ts";
import { systemReason } from "../process/system-reason.ts";

/** A new profile without extensions, and no requests: the browser draws one page that it gets through the pipe. */
const FLAGS = [
  "--headless",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-extensions",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-breakpad",
  "--disable-gpu",
  // Containers often have a /dev/shm of 64 MB, which is too small for a large picture.
  "--disable-dev-shm-usage",
  "--hide-scrollbars",
  "--password-store=basic",
  "--use-mock-keychain",
  // Requests must fail: no host has an address, and the proxy is a closed port.
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--proxy-server=http://127.0.0.1:9",
  "--proxy-bypass-list=<-loopback>",
];

/** How much of the last messages of the browser is kept, for an error message. */
const KEPT_MESSAGES = 4000;

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

export class Browser {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #temporary: TemporaryPath;
  readonly #waiting: Map<number | string, Waiting> = new Map();
  readonly #ended: Promise<void>;
  #messages = "";
  #lastId = 0;
  #failure: Error | undefined;
  /** Ends the browser when this process ends, also after a second Ctrl-C. */
  readonly #endAtExit = (): void => {
    this.#kill();
    try {
      rmSync(this.#profile, { recursive: true, force: true });
    } catch {
      // The process ends now. The next run deletes the folder.
    }
  };

  private constructor(path: string, profile: string, temporary: TemporaryPath) {
    this.#profile = profile;
    this.#temporary = temporary;
    this.#child = spawn(path, [...FLAGS, ...sandboxFlags(), `--user-data-dir=${profile}`, "about:blank"], {
      // The browser starts many processes. In a group of their own, one signal ends all of them.
      detached: process.platform !== "win32",
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      env: withoutSettings(process.env),
    });
    process.on("exit", this.#endAtExit);
    this.#child.once("error", (error) => this.#fail(`cannot start the browser: ${systemReason(error)}`));
    this.#ended = new Promise((resolve) => this.#child.once("close", () => resolve()));
    this.#child.once("exit", (code, signal) =>
      this.#fail(`the browser ended (${signal ?? `exit code ${code}`})${this.#lastMessage()}`),
    );
    const [, , stderr, commands, answers] = this.#child.stdio as [null, null, Readable, Writable, Readable];
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#messages = (this.#messages + text).slice(-KEPT_MESSAGES);
    });
    // The listener of `exit` reports why the browser no longer reads.
    commands.on("error", () => {});
    this.#read(answers);
  }

  /** @param path the program, from `findBrowser` */
  static async start(path: string): Promise<Browser> {
    const temporary = await TemporaryPath.create(tmpdir(), ".siteatlas-browser.");
    const profile = temporary.withEnding("profile");
    await mkdir(profile, { mode: 0o700 });
    return new Browser(path, profile, temporary);
  }

  /** Sends a command. Resolves with its result. */
  call<T>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    const id = ++this.#lastId;
    const result = this.#wait<T>(id);
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return result;
  }

  /** Resolves at the next event of this name. */
  async event(method: string): Promise<void> {
    await this.#wait(method);
  }

  /** Ends the browser and deletes its profile. All commands that wait for a result fail. */
  async close(reason = "the browser was closed"): Promise<void> {
    this.#fail(reason);
    this.#kill();
    await this.#ended;
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 3 });
    process.off("exit", this.#endAtExit);
    this.#temporary.release();
  }

  #wait<T>(key: number | string): Promise<T> {
    const promise = new Promise<T>((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure);
      else this.#waiting.set(key, { resolve, reject });
    });
    // The caller may wait for another command first. Its error is the same.
    promise.catch(() => {});
    return promise;
  }

  #read(answers: Readable): void {
    let parts: string[] = [];
    answers.setEncoding("utf8").on("data", (text: string) => {
      const [first = "", ...others] = text.split("\0");
      parts.push(first);
      for (const next of others) {
        this.#take(JSON.parse(parts.join("")) as Answer);
        parts = [next];
      }
    });
  }

  #take({ id, method, result, error }: Answer): void {
    const key = id ?? method ?? "";
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (error === undefined) waiting?.resolve(result as never);
    else waiting?.reject(new OutputError(`the browser failed: ${terminalText(error.message)}`));
  }

  #fail(message: string): void {
    this.#failure ??= new OutputError(message);
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
    } catch {
      // All of its processes have ended.
    }
  }

  /** The last line that the browser wrote, which usually says why it ended. */
  #lastMessage(): string {
    const line = this.#messages.trim().split("\n").at(-1) ?? "";
    return line === "" ? "" : `: ${terminalText(line).slice(0, 300)}`;
  }
}

/** Chromium refuses to start as root with its sandbox. This is the usual case in a container. */
function sandboxFlags(): string[] {
  return process.getuid?.() === 0 ? ["--no-sandbox"] : [];
}

/** The environment without the settings of siteatlas, which may contain passwords. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^siteatlas_/i.test(name)));
}
