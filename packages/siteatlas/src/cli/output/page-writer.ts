/** The interface of all writers of pages. */
import type { PageRecord } from "../../output/page-fields.ts";

/** A writer of pages. Its methods behave like those of `TextOutput`. */
export interface PageWriter {
  write(record: PageRecord): void | Promise<void>;
  end(isCut?: boolean): Promise<string | undefined>;
  abort(): Promise<void>;
}
