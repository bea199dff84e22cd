/** Starts another runtime in a process of its own, and offers its client as if it were local. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Client, ClientResponse } from "../../src/fetch/client/client.ts";
import type { Sitemap } from "../../src/model/model.ts";

interface Answer {
  readonly id: number;
  readonly error?: PortableError;
  readonly [name: string]: unknown;
}

interface PortableError {
  readonly name?: string;
  readonly message: string;
  readonly code?: string;
  readonly cause?: PortableError;
}

interface Waiter {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export class Runtime {
  readonly #child: ChildProcess;
  readonly #waiting: Map<number, Waiter> = new Map();
  #lastId = 0;
  #failure: Error | undefined;

  /** `agent` is agent.mjs in the folder where the package is installed. */
  constructor(command: readonly string[], agent: string, folder: string) {
    const [file = "", ...args] = command;
    this.#child = spawn(file, [...args, agent], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    this.#child.on("exit", (status) => this.#fail(new Error(`The runtime ended (${status})`)));
    this.#child.on("error", (error) => this.#fail(error));
    createInterface({ input: this.#child.stdout! }).on("line", (line) => {
      const answer = JSON.parse(line) as Answer;
      const waiter = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (answer.error === undefined) waiter?.resolve(answer);
      else waiter?.reject(errorOf(answer.error));
    });
  }

  /** Resolves when it is ready. */
  ready(): Promise<unknown> {
    return this.#wait(0);
  }

  readonly client: Client = async ({ url, headers, signal }) => {
    const request = ++this.#lastId;
    const onAbort = (): void => void this.#ask("abort", { request }).catch(() => {});
    if (!signal.aborted) signal.addEventListener("abort", onAbort, { once: true });
    this.#send({ id: request, op: "request", url, headers, aborted: signal.aborted });
    const { status, headers: received } = (await this.#wait(request)) as unknown as ClientResponse;
    const body: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => body,
      next: async () => {
        const { done, bytes } = await this.#ask("next", { request });
        if (done) return { done: true, value: undefined };
        return { done: false, value: Uint8Array.from(Buffer.from(bytes as string, "base64")) };
      },
      return: async () => {
        await this.#ask("return", { request });
        return { done: true, value: undefined };
      },
    };
    const cancel = (): void => void this.#ask("cancel", { request }).catch(() => {});
    return { status, headers: received, body, cancel };
  };

  async walk(homepage: string, options: object): Promise<readonly string[]> {
    const { urls } = await this.#ask("walk", { homepage, options });
    return urls as readonly string[];
  }

  /** The pages are a plain list. */
  async parse(bytes: Uint8Array, options: object): Promise<Sitemap> {
    const { sitemap } = await this.#ask("parse", { bytes: Buffer.from(bytes).toString("base64"), options });
    return sitemap as Sitemap;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }

  #ask(op: string, message: object): Promise<Answer> {
    const id = ++this.#lastId;
    this.#send({ id, op, ...message });
    return this.#wait(id);
  }

  #send(message: object): void {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  #wait(id: number): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function errorOf({ name, message, code, cause }: PortableError): Error {
  const error = new Error(message, cause && { cause: errorOf(cause) });
  return Object.assign(error, name !== undefined && { name }, code !== undefined && { code });
}
