/**
 * One check: collects pages, leaves out those that the state file has recorded, requests the others, and yields what
 * the rules find. The pages wait in a temporary file while the walk goes on: a sitemap must not be held open until its
 * pages were requested.
 */
import type { Finding } from "../lint/finding.ts";
import { activeRules, type RuleSeverities } from "../lint/rule-settings.ts";
import { spellDate } from "../model/format-date.ts";
import type { Page } from "../model/model.ts";
import { Sample, sectionOf } from "../page-list/sample.ts";
import { DEFAULT_CONCURRENCY } from "../walk/options.ts";
import type { CheckedPage, PageToCheck } from "./checked-page.ts";
import { PageJudge } from "./judge-pages.ts";
import { definePageRule, type PageRule } from "./page-rule.ts";
import { type PageAccess, PageRequester } from "./request-page.ts";
import { pageRules } from "./rules/all-page-rules.ts";
import { CheckFile } from "./state/check-file.ts";
import { PageSpool } from "./state/page-spool.ts";
import { PageTable } from "./state/page-table.ts";

/** Options of a check that do not belong to the walk. */
export interface PageCheckOptions {
  /** Additional rules, from `definePageRule`. @default none */
  readonly rules?: readonly PageRule[] | undefined;
  /**
   * Severities of rules by id: `error`, `warning`, `info` or `off`. `page.canonical*` stands for all rules that start
   * with `page.canonical`. @default the severity of each rule
   */
  readonly severities?: RuleSeverities | undefined;
  /** Returns whether a finding of a rule is ignored at this page. @default nothing is ignored */
  readonly ignore?: ((ruleId: string, url: string) => boolean) | undefined;
  /** Checks only this number of pages, chosen by the hash of their URLs. The choice is stable. @default all pages */
  readonly sample?: number | undefined;
  /**
   * With `sample`: chooses the same number of pages from each group. A group has the same sitemap, or the same first
   * path segment, such as `/blog`. @default all pages are one group
   */
  readonly stratify?: "sitemap" | "path" | undefined;
  /**
   * Sends HEAD requests, which transfer no body. Rules about the content of pages then find nothing. A page whose HEAD
   * request fails is requested with GET. @default false
   */
  readonly headersOnly?: boolean | undefined;
  /** Maximum number of pages that are requested. The others stay unchecked. @default unlimited */
  readonly maxChecks?: number | undefined;
  /**
   * Path of the state file. A check that was interrupted continues there. A later check requests only pages that may
   * have changed. The file is created if it does not exist. @default none
   */
  readonly state?: string | undefined;
  /** Called after each page. @default none */
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
  /** The current time, for rules about dates. @default new Date() */
  readonly now?: Date | undefined;
}

/** How far a check is. */
export interface CheckProgress {
  /** Number of pages of the check: all pages, or the size of the sample. */
  readonly total: number;
  /** Number of pages that were requested. */
  readonly checked: number;
  /** Number of pages that the state file has recorded, and that were not requested again. */
  readonly recorded: number;
  /** Number of pages that were skipped because of an option, such as `crossHost`. */
  readonly skipped: number;
}

/** How many pages are in work at the same time, for each concurrent request that a site allows. */
const TASKS_PER_REQUEST = 4;

export class PageCheck implements CheckProgress {
  checked = 0;
  recorded = 0;
  /** Number of pages that were skipped, by reason. */
  readonly skippedBy: Map<string, number> = new Map();
  /** Whether pages were left out, because of `maxChecks`. */
  isCut = false;
  /** The rules that are on. */
  readonly rules: readonly PageRule[];
  /** URL of the first page. Undefined if there is none. */
  firstUrl: string | undefined;
  readonly #options: PageCheckOptions;
  readonly #judge: PageJudge;
  readonly #table = new PageTable();
  readonly #spool: PageSpool;
  readonly #sample: Sample<PageToCheck> | undefined;

  private constructor(options: PageCheckOptions, spool: PageSpool) {
    const { rules: own = [], severities = {}, ignore, now = new Date(), sample } = options;
    this.#options = options;
    this.#spool = spool;
    this.rules = activeRules([...pageRules, ...own.map(definePageRule)], severities);
    this.#judge = new PageJudge({ rules: this.rules, now, ignore });
    this.#sample = sample === undefined ? undefined : new Sample(sample);
  }

  /** Starts a check. @throws {RangeError} if `severities` names no rule */
  static async create(options: PageCheckOptions): Promise<PageCheck> {
    return new PageCheck(options, await PageSpool.create());
  }

  get total(): number {
    return this.#table.size;
  }

  get skipped(): number {
    return [...this.skippedBy.values()].reduce((sum, pages) => sum + pages, 0);
  }

  /** Adds a page. Returns a promise if the caller must wait. A page that several sitemaps list is checked once. */
  add(page: PageToCheck): Promise<void> | undefined {
    this.firstUrl ??= page.url;
    if (this.#sample === undefined) return this.#keep(page);
    const { url, sitemapUrl = "" } = page;
    this.#sample.add(
      page,
      url,
      this.#options.stratify === "path" ? sectionOf(url) : this.#options.stratify && sitemapUrl,
    );
    return undefined;
  }

  #keep(page: PageToCheck): Promise<void> | undefined {
    return this.#table.add(page) ? this.#spool.add(page) : undefined;
  }

  /** Requests the pages and yields what is wrong with them. Leaving the loop aborts the requests. */
  async *run(
    access: PageAccess,
    { signal, concurrency = DEFAULT_CONCURRENCY }: RunOptions,
  ): AsyncGenerator<Finding> {
    for (const page of this.#sample?.end() ?? []) await this.#keep(page);
    // Without pages, the site could probably not be read. Its records stay.
    if (this.total === 0) return;
    const { state, headersOnly = false } = this.#options;
    const recorded: Finding[] = [];
    const replay = (page: CheckedPage): void => {
      this.recorded++;
      recorded.push(...this.#judge.page(page));
    };
    const file = state === undefined ? undefined : await CheckFile.open(state, this.#table, replay);
    const leave = new AbortController();
    try {
      yield* recorded;
      const until = signal === undefined ? leave.signal : AbortSignal.any([signal, leave.signal]);
      const requester = new PageRequester(access, until, headersOnly);
      for await (const pages of this.#checkAll(requester, TASKS_PER_REQUEST * concurrency)) {
        const records = pages.map((page) => ({ page, findings: this.#judge.page(page) }));
        // A page that was skipped is not recorded: the options of the next check may allow it.
        const requested = records.filter(({ page }) => page.outcome !== "skipped");
        await file?.add(
          requested.map(({ page, findings }) => ({ page, ...(isProblem(findings) && { problem: true }) })),
        );
        for (const { page, findings } of records) {
          if (page.outcome === "skipped") this.#countSkipped(page);
          else this.checked++;
          this.#options.onProgress?.(this);
          yield* findings;
        }
      }
      yield* this.#judge.end();
      if (!this.isCut) await file?.end();
    } finally {
      leave.abort(new Error("The check has ended"));
      await file?.close();
    }
  }

  #countSkipped({ reason = "" }: CheckedPage): void {
    this.skippedBy.set(reason, (this.skippedBy.get(reason) ?? 0) + 1);
  }

  /** Deletes the temporary files. */
  async close(): Promise<void> {
    await this.#spool.remove();
  }

  /** Checks the pages that need a request, several at the same time. Yields those that are done. */
  async *#checkAll(requester: PageRequester, most: number): AsyncGenerator<readonly CheckedPage[]> {
    const { maxChecks = Number.POSITIVE_INFINITY } = this.#options;
    const done: CheckedPage[] = [];
    let running = 0;
    let started = 0;
    let failure: { readonly error: unknown } | undefined;
    let wake = (): void => {};
    const check = async (page: PageToCheck): Promise<void> => {
      try {
        done.push(await requester.check(page));
      } catch (error) {
        failure ??= { error };
      }
      running--;
      wake();
    };
    const change = async (): Promise<void> => {
      if (done.length === 0 && failure === undefined) await new Promise<void>((resolve) => (wake = resolve));
      if (failure !== undefined) throw failure.error;
    };
    for await (const page of this.#spool.pages()) {
      if (this.#table.isFinished(page.url)) continue;
      if (started >= maxChecks) {
        this.isCut = true;
        break;
      }
      started++;
      running++;
      void check(page);
      if (running < most) continue;
      await change();
      yield done.splice(0);
    }
    while (running > 0 || done.length > 0) {
      await change();
      yield done.splice(0);
    }
  }
}

interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly concurrency?: number | undefined;
}

function isProblem(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity !== "info");
}

/** A page of a sitemap, with the facts that rules need. */
export function pageToCheck({ url, lastModified, alternates = [] }: Page, sitemapUrl?: string): PageToCheck {
  const date = lastModified && spellDate(lastModified);
  const links = alternates.flatMap(({ language, url: target }) =>
    language === undefined ? [] : { language: language.toLowerCase(), url: target },
  );
  return {
    url,
    ...(date !== undefined && { lastModified: date }),
    ...(sitemapUrl !== undefined && { sitemapUrl }),
    ...(links.length > 0 && { alternates: links.slice(0, 200) }),
  };
}
