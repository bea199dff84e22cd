/**
 * The failure of a site that was last delivered to the hooks, in a file beside the snapshot. A failure that lasts for
 * several syncs is delivered once, also after a restart. When the site recovers, the hooks get one more delivery.
 */
import { rm } from "node:fs/promises";
import { readSmallFile } from "../../files/read-small-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { isFailedSync, type SyncSummary } from "../../sync/sync-summary.ts";
import type { Settings } from "../config/flags.ts";
import { count } from "../terminal/format-text.ts";
import { isChange } from "./change-record.ts";
import { unreadText } from "./changes-line.ts";
import type { SyncFailure } from "./delivery.ts";

const MAX_BYTES = 1024 * 1024;

export class DeliveredFailure {
  readonly #file: string;
  readonly #isOn: boolean;
  /**
   * The message of a failed sync, or the `unreadKey` of a sync that could not read all sitemaps. Empty if there was no
   * failure.
   */
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

  /**
   * Whether the hooks must get this failure, because it differs from the last one. False without `--hook-on failures`.
   *
   * @param failure empty after a sync without a failure
   */
  isNews(failure: string): boolean {
    return this.#isOn && failure !== this.#failure;
  }

  /** Call this when the failure was delivered. */
  note(failure: string): void {
    this.#failure = failure;
  }

  /** Writes the file. Call this when the delivery can no longer be lost and the snapshot was replaced. */
  async save(): Promise<void> {
    if (!this.#isOn || this.#failure === this.#saved) return;
    if (this.#failure === "") await rm(this.#file, { force: true });
    else await replaceFile(this.#file, (file) => file.writeFile(this.#failure));
    this.#saved = this.#failure;
  }

  /** Reads the failure from the file. If the file cannot be read, returns "", and the failure is delivered again. */
  #read(): string {
    try {
      return readSmallFile(this.#file, MAX_BYTES) ?? "";
    } catch {
      return "";
    }
  }
}

/**
 * A text to compare two syncs: it changes when the number of unread sitemaps or their reasons change. Empty if all
 * sitemaps were read.
 */
export function unreadKey({ unknownSitemaps }: SyncSummary, reasons: ReadonlyMap<string, number>): string {
  return unknownSitemaps === 0 ? "" : [unknownSitemaps, ...reasons].join(" ");
}

/**
 * The failure that the hooks get instead of the changes, if no sitemap could be read completely and nothing changed.
 * Otherwise undefined.
 *
 * @param failures number of failed syncs in a row, including this one
 */
export function outageOf(
  summary: SyncSummary,
  reasons: ReadonlyMap<string, number>,
  failures: number,
): SyncFailure | undefined {
  if (!isFailedSync(summary) || isChange(summary)) return undefined;
  const { unknownSitemaps, unknownPages } = summary;
  const message = unreadText(count(unknownSitemaps, "sitemap"), unknownSitemaps, unknownPages, reasons);
  return { message, failures };
}
