/** `siteatlas snapshot show|export`: the contents of a snapshot, and its pages in any format. No network. */

import { nearestName } from "../../check/suggest-name.ts";
import { jsonLine } from "../../escape/json.ts";
import { logLine } from "../../escape/log-line.ts";
import { terminalText } from "../../escape/terminal.ts";
import type { DateValue, Page } from "../../model/model.ts";
import { parseDate } from "../../parse/values/parse-date.ts";
import { siteTrust } from "../../sync/revalidate/lastmod-trust.ts";
import type { SnapshotPage } from "../../sync/snapshot/page-line.ts";
import type { Snapshot } from "../../sync/snapshot/read-snapshot.ts";
import { isCountedEntry } from "../../sync/snapshot/snapshot-format.ts";
import { drawSnapshot } from "../changes/draw-snapshot.ts";
import { openSnapshot, syncProblem } from "../changes/snapshot-file.ts";
import type { Command, Run } from "../command.ts";
import { commandOfAction } from "../config/command-info.ts";
import { commands } from "../config/command-table.ts";
import { flagName, type SettingName } from "../config/flags.ts";
import { commandFormats } from "../config/output-formats.ts";
import { RunCounts } from "../messages/run-counts.ts";
import { sentences, summaryLine } from "../messages/summary.ts";
import { choosePageFormat, chooseTextFormat } from "../output/choose-format.ts";
import { abortOnError, drawOptions, endOutput, withTextOutput } from "../output/finish-output.ts";
import { openPageOutput } from "../output/page-output.ts";
import { PagePipeline } from "../output/page-pipeline.ts";
import { readFields } from "../output/parse-field-names.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { UsageError } from "../process/usage-error.ts";
import { joined, number } from "../terminal/format-text.ts";

const ACTIONS: Readonly<Record<string, (run: Run, snapshot: Snapshot) => Promise<ExitCode>>> = {
  show,
  export: exportPages,
};

export const snapshot: Command = async (run) => {
  const [action = "", file] = run.args;
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (act === undefined) {
    const nearest = nearestName(action, Object.keys(ACTIONS)) ?? "show";
    throw new UsageError(
      `unknown command "siteatlas snapshot ${logLine(action, { maxLength: 80 })}"`,
      `Did you mean "siteatlas snapshot ${nearest} ${file ?? "FILE"}"?`,
    );
  }
  if (file === undefined)
    throw new UsageError(
      `siteatlas snapshot ${action} needs a snapshot`,
      "Create one with siteatlas sync <url>.",
    );
  if (act === show) checkShowFlags(run.given, file);
  const opened = await openSnapshot(file);
  try {
    return await act(run, opened);
  } catch (error) {
    throw syncProblem(error, file);
  } finally {
    await opened.close();
  }
};

// ---------------------------------------------------------------- show

/** Rejects flags that only `export` has. */
function checkShowFlags(given: readonly SettingName[], file: string): void {
  const { settings } = commandOfAction(commands.find(({ name }) => name === "snapshot")!, "show");
  const wrong = given.find((name) => !settings.includes(name));
  if (wrong === undefined) return;
  const flag = `--${flagName(wrong)}`;
  throw new UsageError(
    `siteatlas snapshot show has no flag ${flag}`,
    wrong === "format" ? "Use --json." : `Use it with siteatlas snapshot export ${terminalText(file)}.`,
  );
}

async function show(run: Run, { facts, sitemaps, pending }: Snapshot): Promise<ExitCode> {
  const format = chooseTextFormat(run);
  return withTextOutput(run, async (output) => {
    const lastmod = siteTrust(sitemaps);
    if (format === "text") {
      const options = { ...drawOptions(run, facts.homepage), lastmod };
      await output.write(drawSnapshot(facts, sitemaps, pending, options));
    } else {
      const parts = showJson({ ...facts, lastmod }, { sitemaps, pending });
      for (const part of parts) await output.write(part);
    }
    await endOutput(run, output);
    return EXIT.done;
  });
}

/** Yields a JSON object in parts, because its whole text may be longer than the maximum length of a string. */
function* showJson(facts: object, lists: Readonly<Record<string, readonly object[]>>): Generator<string> {
  yield jsonLine(facts).slice(0, -1);
  for (const [name, list] of Object.entries(lists)) {
    yield `,${jsonLine(name)}:[`;
    let separator = "";
    for (const entry of list) {
      yield separator + jsonLine(entry);
      separator = ",";
    }
    yield "]";
  }
  yield "}\n";
}

// ---------------------------------------------------------------- export

/** The fields of a page that a snapshot stores in full, not as a hash. */
const FIELDS = "url,lastmod,lastmod_text,changefreq,priority,published,published_text,sitemap";
/** Formats with a date type have a separate column for the precision. */
const TYPED_FIELDS = FIELDS.replace(/\b(lastmod|published),/g, "$1,$1_precision,");

async function exportPages(run: Run, opened: Snapshot): Promise<ExitCode> {
  const { settings, signal, reporter } = run;
  const format = choosePageFormat(run, commandFormats.snapshot.names);
  checkFields(run);
  const { homepage, startedAt } = opened.facts;
  const meta = { tool: "siteatlas snapshot", sites: homepage, started: startedAt };
  const output = await openPageOutput({ ...run, settings: withFields(run, format) }, format, meta);
  return abortOnError(output, async () => {
    const runCounts = new RunCounts();
    runCounts.sitemaps = opened.sitemaps.filter(isCountedEntry).length;
    const pipeline = new PagePipeline(settings, output, runCounts);
    reporter.startProgress(runCounts);
    let pending = 0;
    for await (const { sitemap, pendingSince, ...given } of opened.pages()) {
      signal.throwIfAborted();
      runCounts.pages++;
      runCounts.current = sitemap;
      const taken = pipeline.page(toPage(given), sitemap);
      if (taken === "limit-reached") {
        runCounts.dropPage();
        break;
      }
      if (pendingSince !== undefined) pending++;
      if (taken !== undefined) await taken;
    }
    await pipeline.finish();
    await endOutput(run, output);
    const line = summaryLine(runCounts, { isInterrupted: false, isBrief: true });
    const more = `${number(pending)} of them pending: their removal is not certain yet`;
    const all = pending === 0 ? line : sentences(line.replace(/\.$/, ""), more);
    reporter.summary(all, { ...runCounts.facts(), pending }, false);
    return EXIT.done;
  });
}

/** Rejects fields that would be empty columns. */
function checkFields({ settings: { fields }, given }: Run): void {
  if (fields === undefined || !given.includes("fields")) return;
  const missing = readFields(fields).find((name) => !TYPED_FIELDS.split(",").includes(name));
  if (missing === undefined) return;
  throw new UsageError(
    `a snapshot has no field "${missing}"`,
    `Use ${joined(FIELDS.split(","), "or")}. siteatlas ls writes all fields.`,
  );
}

function withFields({ settings }: Run, format: string): Run["settings"] {
  if (settings.fields !== undefined || format === "urls" || format === "listing") return settings;
  return { ...settings, fields: format === "parquet" ? TYPED_FIELDS : FIELDS };
}

export function toPage({ url, lastModified, changeFrequency, priority, published }: SnapshotPage): Page {
  return {
    url,
    ...(lastModified !== undefined && { lastModified: toDate(lastModified) }),
    ...(changeFrequency !== undefined && {
      changeFrequency: changeFrequency as Page["changeFrequency"] & string,
    }),
    ...(priority !== undefined && { priority }),
    ...(published !== undefined && { published: toDate(published) }),
  };
}

export function toDate(text: string): DateValue {
  const { codes: _, ...date } = parseDate(text);
  return date;
}
