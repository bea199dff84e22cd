/**
 * The failure of a site that was last delivered to the hooks, in a file beside the snapshot. A failure that lasts for
 * several syncs is delivered once, also after a restart, and the hooks get a delivery when all is well.
 */
import { rm } from "node:fs/promises";
import { readSmallFile } from "../../files/read-small-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { SyncSummary } from "../../sync/sync-site.ts";
import type { Settings } from "../config/flags.ts";

const MAX_BYTES = 1024 * 1024;

export class DeliveredFailure {
  readonly #file: string;
  readonly #isOn: boolean;
  /** The failure, or a key of the unread sitemaps (`unreadKey`). Empty if all is well. */
  #failure: string;
  /** The value of `#failure` in the file. */
  #saved: string;

  /** @param snapshot path of the snapshot of the site */
  constructor(snapshot: string, { hookOn }: Settings) {
    this.#file = `${snapshot}.failure`;
    this.#isOn = hookOn?.includes("failures") === true;
    this.#failure = this.#isOn ? this.#read() : "";
    this.#saved = this.#failure;
  }

  /** Whether the hooks must get this failure. Empty: all is well. False without `--hook-on failures`. */
  isNews(failure: string): boolean {
    return this.#isOn && failure !== this.#failure;
  }

  /** Call this when the failure was delivered. */
  note(failure: string): void {
    this.#failure = failure;
  }

  /** Writes the file. Call this when the delivery can no longer be lost, and the snapshot was replaced. */
  async save(): Promise<void> {
    if (!this.#isOn || this.#failure === this.#saved) return;
    if (this.#failure === "") await rm(this.#file, { force: true });
    else await replaceFile(this.#file, (file) => file.writeFile(this.#failure));
    this.#saved = this.#failure;
  }

  /** Returns the failure. Empty if there was none, or if the file cannot be read: then a failure is delivered twice. */
  #read(): string {
    try {
      return readSmallFile(this.#file, MAX_BYTES) ?? "";
    } catch {
      return "";
    }
  }
}

/**
 * A key of the sitemaps that could not be read. It changes when their number or the reasons change. Empty if all were
 * read.
 */
export function unreadKey({ unknownSitemaps }: SyncSummary, reasons: ReadonlyMap<string, number>): string {
  return unknownSitemaps === 0 ? "" : [unknownSitemaps, ...reasons].join(" ");
}
