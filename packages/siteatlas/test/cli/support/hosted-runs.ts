/** Runs of the command line in processes that serve many runs: see cli-host.mjs. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { END_OF_RUN, type HostedRun } from "./cli-host.mjs";

const HOST = fileURLToPath(new URL("./cli-host.mjs", import.meta.url));
const END = Buffer.from(END_OF_RUN);

interface HostedResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The hosts of one test file. Runs at the same time have a host each. */
export class HostedRuns {
  readonly #main: string;
  readonly #idle: ChildProcess[] = [];

  /** @param main the path of `main.js` */
  constructor(main: string) {
    this.#main = main;
  }

  async run(run: HostedRun): Promise<HostedResult> {
    const host = this.#idle.pop() ?? this.#start();
    let isRunning = true;
    // A test that failed or timed out does not wait for its run.
    onTestFinished(() => void (isRunning && host.kill("SIGKILL")));
    const [exit, ...outputs] = [endOfRun(host), readRun(host.stdout!), readRun(host.stderr!)];
    host.send(run);
    const [code, stdout, stderr] = await Promise.all([exit, ...outputs]);
    isRunning = false;
    if (host.exitCode === null && host.signalCode === null) this.#idle.push(host);
    return { code, stdout: stdout!, stderr: stderr! };
  }

  /** Ends the idle hosts. */
  close(): void {
    for (const host of this.#idle) host.kill("SIGKILL");
  }

  #start(): ChildProcess {
    // Runs on Node itself, without the options of the test runner.
    return spawn(process.execPath, [HOST, this.#main], {
      env: {},
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
  }
}

/** The exit code of the run. */
function endOfRun(host: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    const finish = (code: number | null): void => {
      host.off("message", read);
      host.off("close", finish);
      resolve(code);
    };
    const read = (message: unknown): void => finish((message as { code: number }).code);
    host.on("message", read);
    host.on("close", finish);
  });
}

/** The output up to the end of the run, or of the process. */
function readRun(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let tail: Buffer = Buffer.alloc(0);
    const finish = (length?: number): void => {
      stream.off("data", read);
      stream.off("end", finishAll);
      resolve(Buffer.concat(chunks).subarray(0, length).toString());
    };
    const finishAll = (): void => finish();
    const read = (chunk: Buffer): void => {
      chunks.push(chunk);
      tail = Buffer.concat([tail, chunk]).subarray(-END.length);
      if (tail.equals(END)) finish(chunks.reduce((sum, { length }) => sum + length, 0) - END.length);
    };
    stream.on("data", read);
    stream.on("end", finishAll);
  });
}
