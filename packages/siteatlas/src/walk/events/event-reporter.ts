/**
 * Sends the events of a walk to the code that reads them (the reader): batches of pages, the result of each sitemap,
 * and issues. If the reader is slow, the tasks of the walk wait.
 */
import { isPromise } from "../../check/show-value.ts";
import { unlessAborted } from "../../fetch/timeout-signal.ts";
import { issueValue } from "../../model/issue-log.ts";
import { type IssueCode, severityOf } from "../../model/issue-severity.ts";
import type { Issue, Page } from "../../model/model.ts";
import { EventLoopYield } from "../event-loop-yield.ts";
import type { WalkOptions } from "../options.ts";
import { EventChannel } from "./event-channel.ts";
import type { WalkEvent } from "./events.ts";

/** Pages of one sitemap that were parsed together. */
interface PageBatch {
  readonly kind: "pages";
  readonly pages: readonly Page[];
  readonly sitemapUrl: string;
}

/** One step of a walk: a batch of pages, or one event of another kind. */
export type WalkStep = PageBatch | Exclude<WalkEvent, { readonly kind: "page" }>;

/** Maximum number of sent arrays of steps that the reader has not read yet. */
const CHANNEL_CAPACITY = 4;
/** Number of steps after which other tasks of the process can run. 500 steps take about 10 ms. */
const STEPS_PER_TURN = 500;

export class EventReporter {
  /** Issues of the site itself, for example limits that the walk reached. */
  readonly siteIssues: Issue[] = [];
  readonly #channel: EventChannel<readonly WalkStep[]> = new EventChannel(CHANNEL_CAPACITY);
  readonly #yield: EventLoopYield = new EventLoopYield(STEPS_PER_TURN);
  readonly #onEvent: WalkOptions["onEvent"];
  readonly #signal: AbortSignal;

  constructor({ onEvent, signal = new AbortController().signal }: Pick<WalkOptions, "onEvent" | "signal">) {
    this.#onEvent = onEvent;
    this.#signal = signal;
  }

  /** Whether the caller passed `onEvent`. */
  get hasListener(): boolean {
    return this.#onEvent !== undefined;
  }

  read(): AsyncGenerator<readonly WalkStep[]> {
    return this.#channel.read();
  }

  close(error?: { readonly reason: unknown }): void {
    this.#channel.close(error);
  }

  async send(steps: readonly WalkStep[]): Promise<void> {
    if (this.#onEvent !== undefined) {
      for (const step of steps) {
        for (const event of eventsOf(step)) {
          const result = this.#onEvent(event);
          if (isPromise(result)) await unlessAborted(result as Promise<void>, this.#signal);
        }
      }
    }
    await this.#channel.send(steps);
    await this.rest();
  }

  async sendSiteIssue(code: IssueCode, url: string, value?: string): Promise<void> {
    const issue: Issue = {
      code,
      severity: severityOf(code),
      url,
      ...(value !== undefined && { value: issueValue(value) }),
    };
    this.siteIssues.push(issue);
    await this.send([{ kind: "issue", issue }]);
  }

  /** Counts one step. After `STEPS_PER_TURN` steps, lets other tasks run. */
  rest(): Promise<void> {
    return this.#yield.after();
  }
}

/** Yields the events of a step: one event per page for a batch, otherwise the step itself. */
export function* eventsOf(step: WalkStep): Generator<WalkEvent> {
  if (step.kind !== "pages") yield step;
  else for (const page of step.pages) yield { kind: "page", page, sitemapUrl: step.sitemapUrl };
}
