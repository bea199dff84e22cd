/** The engine: passes checked pages to all rules, and collects their findings. */
import type { Finding } from "../lint/finding.ts";
import { placeOf } from "../lint/finding.ts";
import type { CheckedPage } from "./checked-page.ts";
import type { PageListener, PageRule } from "./page-rule.ts";

export interface JudgeOptions {
  /** The rules that are on, with the severity that applies. */
  readonly rules: readonly PageRule[];
  readonly now: Date;
  /** Whether an occurrence is ignored. */
  readonly ignore?: ((ruleId: string, value: string) => boolean) | undefined;
}

export class PageJudge {
  readonly #listeners: readonly PageListener[];
  #url = "";
  #findings: Finding[] = [];

  constructor({ rules, now, ignore }: JudgeOptions) {
    this.#listeners = rules.map(({ id, severity, listen }) =>
      listen({
        now,
        report: (occurrence = {}, url = this.#url) => {
          if (ignore?.(id, url)) return;
          this.#findings.push({ rule: id, severity, url, count: 1, places: [placeOf(occurrence)] });
        },
      }),
    );
  }

  /** Judges a page. Returns what is wrong with it. */
  page(page: CheckedPage): readonly Finding[] {
    this.#url = page.url;
    for (const listener of this.#listeners) listener.page(page);
    return this.#take();
  }

  /** Returns the findings that need all pages. Call it once. */
  end(): readonly Finding[] {
    for (const listener of this.#listeners) listener.end?.();
    return this.#take();
  }

  #take(): readonly Finding[] {
    const findings = this.#findings;
    this.#findings = [];
    return findings;
  }
}
