/** The output for pages: records in any format, or a listing for a terminal. */
import type { Page } from "../../model/model.ts";
import { lazyRecord } from "../../output/page-fields.ts";
import type { Run } from "../command.ts";
import type { FlatFormat } from "../config/output-formats.ts";
import { paintFor } from "../terminal/style.ts";
import { openTextOutput } from "./buffered-output.ts";
import { outputFile } from "./choose-format.ts";
import { openWriter } from "./open-writer.ts";
import { readFields } from "./parse-field-names.ts";
import { TerminalListing } from "./terminal-listing.ts";

/** An output for pages. Its methods behave like those of `TextOutput`. */
export interface PageOutput {
  page(page: Page, sitemapUrl: string, site?: string): void | Promise<void>;
  /** Call this when the sitemap has no more pages. */
  sitemapEnd?(sitemapUrl: string): Promise<void>;
  end(isCut?: boolean): Promise<string | undefined>;
  abort(): Promise<void>;
}

/** Opens the output. Call it before the first request, so that a problem with the file is found early. */
export async function openPageOutput(
  { settings, reporter }: Run,
  format: FlatFormat | "listing",
  meta: Record<string, string>,
  { hasManySites = false }: { readonly hasManySites?: boolean } = {},
): Promise<PageOutput> {
  if (format === "listing") {
    return new TerminalListing(await openTextOutput({}), paintFor(reporter.color));
  }
  const { force, fields, csvRaw } = settings;
  const writer = await openWriter({
    format,
    file: outputFile(settings),
    force,
    csvRaw,
    fields: fields === undefined ? undefined : readFields(fields),
    hasManySites,
    hasLlmsTxt: settings.llms,
    meta,
  });
  return {
    page: (page, sitemapUrl, site) => writer.write(lazyRecord(page, sitemapUrl, site)),
    end: (isCut) => writer.end(isCut),
    abort: () => writer.abort(),
  };
}
