/**
 * The state file of a check: it remembers the facts about each page that was checked, one JSON object per line. If a
 * check is killed, the next one continues with the other pages. If the last check has ended, the next one requests
 * pages again only if they may have changed: pages without a date, with another date, and pages that had a problem.
 *
 *     {"format":"siteatlas-check/1","startedAt":"2026-11-17T12:00:00.000Z"}
 *     {"url":"https://example.com/a","outcome":"answered","status":200,…}
 *     {"endedAt":"2026-11-17T12:05:00.000Z"}
 */
import { type FileHandle, open, stat } from "node:fs/promises";
import {
  amount,
  type Check,
  checkAt,
  count,
  flag,
  InvalidValue,
  listOf,
  matching,
  oneOf,
  shape,
  text,
  yes,
} from "../../check/check-value.ts";
import { logLine } from "../../escape/log-line.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { CheckedPage, LanguageLink, PageHtml, PageRedirect } from "../checked-page.ts";
import { completeLines, type Line } from "./json-lines.ts";
import type { PageTable } from "./page-table.ts";

const FORMAT = "siteatlas-check/1";

/** Thrown if a file is not a state file of a check, or is damaged. */
export class CheckFileError extends Error {
  /** The name of the error. */
  override readonly name: string = "CheckFileError";
}

const URL_TEXT = matching(/^https?:\/\/\S{1,8192}$/, "a URL");
const LINK: Check<LanguageLink> = shape<LanguageLink>({ language: text, url: URL_TEXT }, {});
const REDIRECT: Check<PageRedirect> = shape<PageRedirect>({ status: count, url: URL_TEXT }, {});
const HTML: Check<PageHtml> = shape<PageHtml>(
  {
    isNoindex: flag,
    canonicals: listOf(URL_TEXT),
    alternates: listOf(LINK),
    words: count,
    textHash: text,
  },
  {
    canonical: text,
    isCanonicalAbsolute: flag,
    title: text,
    heading: text,
    language: text,
    robots: text,
    refresh: text,
    modified: text,
    cutIn: oneOf(["head", "body"]),
    isAmp: yes,
    asksForPassword: yes,
  },
);
const PAGE: Check<CheckedPage> = shape<CheckedPage>(
  {
    url: URL_TEXT,
    outcome: oneOf(["answered", "failed", "disallowed"]),
    checkedAt: text,
    redirects: listOf(REDIRECT),
  },
  {
    lastModified: text,
    sitemapUrl: text,
    alternates: listOf(LINK),
    status: count,
    code: text,
    reason: text,
    ms: amount,
    contentType: text,
    length: count,
    robotsTag: text,
    modifiedHeader: text,
    canonicalHeader: text,
    html: HTML,
    isErrorPage: yes,
  },
);

/** A line of the file. */
interface CheckRecord {
  readonly page: CheckedPage;
  /** Set if a rule found an error or a warning on the page. */
  readonly problem?: true;
}

const RECORD: Check<CheckRecord> = shape<CheckRecord>({ page: PAGE }, { problem: yes });
const HEADER: Check<object> = shape<{ format: string; startedAt: string }>(
  { format: oneOf([FORMAT]), startedAt: text },
  {},
);

export class CheckFile {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * Opens or creates the file. Marks the recorded pages of the table that need not be requested, and calls `replay` for
   * each of them.
   *
   * @throws {CheckFileError} if the file is not a state file, or is damaged
   * @throws the error of the file system
   */
  static async open(path: string, table: PageTable, replay: (page: CheckedPage) => void): Promise<CheckFile> {
    const size = await sizeOf(path);
    if (size > 0) {
      const old = await open(path, "r+");
      try {
        if (await hasEnded(old, size)) await startAgain(path, old, table, replay);
        else await resume(path, old, table, replay);
      } finally {
        await old.close();
      }
    }
    if (size === 0) await replaceFile(path, (file) => file.appendFile(headerLine()));
    return new CheckFile(await open(path, "a"));
  }

  /** Records pages. They are in the file when the promise resolves. */
  async add(records: readonly CheckRecord[]): Promise<void> {
    await this.#file.appendFile(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }

  /** Records that all pages were checked. */
  async end(): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify({ endedAt: new Date().toISOString() })}\n`);
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** Replaces the records of an ended check by those of its pages that need not be requested again. */
async function startAgain(
  path: string,
  old: FileHandle,
  table: PageTable,
  replay: (page: CheckedPage) => void,
): Promise<void> {
  await replaceFile(path, async (file) => {
    await file.appendFile(headerLine());
    for await (const { record, text: line } of recordsOf(path, old)) {
      if (record === undefined) continue;
      const { page, problem } = record;
      const isUnchanged = page.lastModified !== undefined && table.hasDate(page) && !problem;
      if (!isUnchanged || !table.finish(page.url)) continue;
      await file.appendFile(`${line}\n`);
      replay(page);
    }
  });
}

/** Continues a check that was killed. Removes a last line that was not written completely. */
async function resume(
  path: string,
  file: FileHandle,
  table: PageTable,
  replay: (page: CheckedPage) => void,
): Promise<void> {
  let length = 0;
  for await (const { record, end } of recordsOf(path, file)) {
    length = end;
    if (record !== undefined && table.finish(record.page.url)) replay(record.page);
  }
  await file.truncate(length);
}

interface RecordLine extends Line {
  /** Undefined for the first and the last line. */
  readonly record: CheckRecord | undefined;
}

/** Yields the lines of a state file. @throws {CheckFileError} if it is not a state file, or is damaged */
async function* recordsOf(path: string, file: FileHandle): AsyncGenerator<RecordLine> {
  let number = 0;
  const name = (): string => `line ${number}`;
  try {
    for await (const line of completeLines(file)) {
      number++;
      const value: unknown = JSON.parse(line.text);
      if (number === 1) checkAt(name, HEADER, value);
      const isRecord = number > 1 && !isEnd(value);
      yield { ...line, record: isRecord ? checkAt(name, RECORD, value) : undefined };
    }
    if (number === 0) throw new RangeError("no line");
  } catch (error) {
    const isDamage =
      error instanceof InvalidValue || error instanceof SyntaxError || error instanceof RangeError;
    if (!isDamage) throw error;
    const why = error instanceof InvalidValue ? error.message : `line ${Math.max(1, number)} is damaged`;
    throw new CheckFileError(`${logLine(path)} is not a state file of siteatlas check: ${why}`);
  }
}

function isEnd(value: unknown): boolean {
  return typeof value === "object" && value !== null && "endedAt" in value;
}

function headerLine(): string {
  return `${JSON.stringify({ format: FORMAT, startedAt: new Date().toISOString() })}\n`;
}

/** Length of the last line of an ended check. */
const END_LENGTH = '{"endedAt":"2026-11-17T12:00:00.000Z"}\n'.length;

async function hasEnded(file: FileHandle, size: number): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(END_LENGTH),
    0,
    END_LENGTH,
    Math.max(0, size - END_LENGTH),
  );
  return /^\{"endedAt":"[^"]*"\}\n$/.test(buffer.toString("utf8", 0, bytesRead));
}

/** The size of a file. 0 if it does not exist. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return 0;
  }
}
