/** Reads JSON Feeds for tests, in pieces of any size. */
import { expect } from "vitest";
import type { IssueCode } from "../../../src/model/issue-severity.ts";
import type { Page } from "../../../src/model/model.ts";
import type { EntrySink } from "../../../src/parse/formats/entry-sink.ts";
import { JsonFeedReader } from "../../../src/parse/formats/json-feed.ts";
import { UrlReader } from "../../../src/parse/values/url.ts";

export const site = "https://www.example.com";
export const version = "https://jsonfeed.org/version/1.1";

export interface Reading {
  readonly isFeed: boolean | undefined;
  readonly pages: readonly Page[];
  readonly codes: readonly IssueCode[];
}

export function read(chunks: Iterable<string>, cut = false): Reading {
  const pages: Page[] = [];
  const codes: IssueCode[] = [];
  const sink: EntrySink = {
    page: (page) => pages.push(page),
    child: () => expect.unreachable(),
    report: (code) => codes.push(code),
  };
  const urls = new UrlReader(`${site}/feed.json`, sink.report, {
    strict: false,
    escapeCode: "url.html-escaped",
  });
  const reader = new JsonFeedReader(sink, urls);
  for (const chunk of chunks) reader.push(chunk);
  reader.end(cut);
  return { isFeed: reader.isFeed, pages, codes };
}

/** Reads a document complete, by character and split in two at every position. All must agree. */
export function readEachWay(document: string): Reading {
  const whole = read([document]);
  expect(read(document.split(""))).toEqual(whole);
  for (let at = 1; at < document.length; at++) {
    expect(read([document.slice(0, at), document.slice(at)])).toEqual(whole);
  }
  return whole;
}

export const feed = (items: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ version, title: "T", ...more, items });
export const urlsOf = ({ pages }: Reading): string[] => pages.map((page) => page.url);
