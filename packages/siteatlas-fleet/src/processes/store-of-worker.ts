/**
 * The store as a walker process sees it. It sends each call to the worker, which has the credentials
 * (run-store-call.ts).
 */
import { MissingObjectError } from "../store/object-key.ts";
import type { VisitStore } from "../store/object-store.ts";
import type { StoreAnswer, StoreCall } from "./process-messages.ts";

export class StoreOfWorker implements VisitStore {
  readonly #send: (call: StoreCall) => void;
  readonly #waiting: Map<number, (answer: StoreAnswer) => void> = new Map();
  #lastId = 0;

  constructor(send: (call: StoreCall) => void) {
    this.#send = send;
  }

  put(key: string, file: string): Promise<void> {
    return this.#call("put", key, file);
  }

  get(key: string, file: string): Promise<void> {
    return this.#call("get", key, file);
  }

  /** Handles the worker's answer to an earlier call. */
  take(answer: StoreAnswer): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }

  async #call(action: StoreCall["action"], key: string, file: string): Promise<void> {
    const id = ++this.#lastId;
    const { error } = await new Promise<StoreAnswer>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ kind: "store", id, action, key, file });
    });
    if (error?.kind === "missing") throw new MissingObjectError(key);
    if (error?.kind === "invalid") throw new TypeError(error.message);
    if (error !== undefined) throw new Error(error.message);
  }
}
