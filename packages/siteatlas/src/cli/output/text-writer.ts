/** Writes pages in a format of text: one after the other, nothing held back. text-forms.ts says how each looks. */

import type { PageRecord } from "../../output/page-record.ts";
import type { PageWriter } from "./open-writer.ts";
import type { TextForm } from "./text-forms.ts";
import type { TextOutput } from "./text-output.ts";

export class TextWriter implements PageWriter {
  readonly #output: TextOutput;
  readonly #form: TextForm;
  #hasRecords = false;

  constructor(output: TextOutput, form: TextForm) {
    this.#output = output;
    this.#form = form;
  }

  write(record: PageRecord): void | Promise<void> {
    const { head, between, row } = this.#form;
    const before = this.#hasRecords ? between : head;
    this.#hasRecords = true;
    return this.#output.write(before + row(record));
  }

  async end(isCut?: boolean): Promise<string | undefined> {
    const { tail, empty } = this.#form;
    try {
      await this.#output.write(this.#hasRecords ? tail : empty);
    } catch (error) {
      await this.#output.abort();
      throw error;
    }
    return this.#output.end(isCut);
  }

  abort(): Promise<void> {
    return this.#output.abort();
  }
}
