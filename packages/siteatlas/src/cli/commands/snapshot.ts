/** `siteatlas snapshot show|export`: what a snapshot remembers of a site, and its pages in any format. No network. */
import type { DateValue, Page } from "../../model.ts";
import { parseDate } from "../../parse/date.ts";
import { jsonLine } from "../../sinks/json.ts";
import { terminalText } from "../../sinks/terminal.ts";
import { siteTrust } from "../../sync/lastmod-trust.ts";
import type { SnapshotPage } from "../../sync/page-line.ts";
import type { Snapshot } from "../../sync/read-snapshot.ts";
import { Enough } from "../enough.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { flagName, flags, type SettingName } from "../flags.ts";
import { nearestName } from "../nearest.ts";
import { readFields } from "../output/read-fields.ts";
import { PageFlow } from "../page-flow.ts";
import { type ChosenFormat, chooseFormat, openPageSink } from "../page-sink.ts";
import { drawSnapshot } from "../picture/draw-snapshot.ts";
import type { Command, Run } from "../run.ts";
import { createSelection } from "../select.ts";
import { openSnapshot, syncProblem } from "../snapshot-file.ts";
import { summaryLine } from "../talk/summary.ts";
import { Tally } from "../talk/tally.ts";
import { chooseTextFormat } from "../text-format.ts";
import { UsageError } from "../usage-error.ts";
import { drawOptions, endOutput, whole, withTextOutput } from "../whole-output.ts";

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
      `There is no siteatlas snapshot ${JSON.stringify(action)}`,
      `Did you mean siteatlas snapshot ${nearest} ${file ?? "FILE"}?`,
    );
  }
  if (file === undefined) throw new UsageError(`siteatlas snapshot ${action} needs a snapshot`);
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

/** All that it takes, besides what says how it talks. */
const SHOW_FLAGS: ReadonlySet<SettingName> = new Set(["json", "output", "force"]);

/** The others choose pages, and what is written of them. */
function checkShowFlags(given: readonly SettingName[], file: string): void {
  const wrong = given.find((name) => !SHOW_FLAGS.has(name) && flags[name].group !== "Messages");
  if (wrong === undefined) return;
  const flag = `--${flagName(wrong)}`;
  throw new UsageError(
    `siteatlas snapshot show has no ${flag}`,
    wrong === "format"
      ? "--json writes an object"
      : `It is for pages: siteatlas snapshot export ${terminalText(file)} ${flag} …`,
  );
}

async function show(run: Run, { facts, sitemaps }: Snapshot): Promise<ExitCode> {
  const format = chooseTextFormat(run);
  return withTextOutput(run, async (output) => {
    const lastmod = siteTrust(sitemaps);
    if (format === "text") {
      await output.write(drawSnapshot(facts, sitemaps, { ...drawOptions(run, facts.homepage), lastmod }));
    } else await output.write(`${jsonLine({ ...facts, lastmod, sitemaps })}\n`);
    await endOutput(run, output, true);
    return EXIT.done;
  });
}

// ---------------------------------------------------------------- export

/** What a snapshot holds of a page as it was, not as a hash. */
const FIELDS = "url,lastmod,lastmod_text,changefreq,priority,published,published_text,sitemap";
/** Formats with a type for dates have their precision beside them. */
const TYPED_FIELDS = FIELDS.replace(/\b(lastmod|published),/g, "$1,$1_precision,");

async function exportPages(run: Run, opened: Snapshot): Promise<ExitCode> {
  const { settings, signal, talk } = run;
  const format = chooseFormat(settings);
  if (format === "tree") throw new UsageError("--format tree is for ls: a snapshot has no tree");
  checkFields(run);
  const { homepage, startedAt } = opened.facts;
  const meta = { tool: "siteatlas snapshot", sites: homepage, started: startedAt };
  const sink = await openPageSink({ ...run, settings: withFields(run, format) }, format, meta);
  return whole(sink, async () => {
    const tally = new Tally();
    const flow = new PageFlow(settings, sink, tally);
    const select = createSelection(settings);
    talk.startProgress(tally);
    try {
      for await (const { sitemap, ...given } of opened.pages()) {
        signal.throwIfAborted();
        tally.pages++;
        tally.current = sitemap;
        const busy = flow.page(toPage(given), sitemap, select);
        if (busy !== undefined) await busy;
      }
      await flow.finish();
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
    }
    await endOutput(run, sink, true);
    tally.sitemaps = opened.sitemaps.filter(({ kind }) => kind === "pages").length;
    talk.summary(summaryLine(tally, { isInterrupted: false, isBrief: true }), tally.facts(), false);
    return EXIT.done;
  });
}

/** Whoever asks for a field that is not there gets no empty column. */
function checkFields({ settings: { fields }, given }: Run): void {
  if (fields === undefined || !given.includes("fields")) return;
  const missing = readFields(fields).find((name) => !TYPED_FIELDS.split(",").includes(name));
  if (missing === undefined) return;
  throw new UsageError(
    `A snapshot has no field "${missing}"`,
    `It has ${FIELDS.replaceAll(",", ", ")}; siteatlas ls has the others`,
  );
}

function withFields({ settings }: Run, format: ChosenFormat): Run["settings"] {
  if (settings.fields !== undefined || format === "urls" || format === "listing") return settings;
  return { ...settings, fields: format === "parquet" ? TYPED_FIELDS : FIELDS };
}

function toPage({ url, lastModified, changeFrequency, priority, published }: SnapshotPage): Page {
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

function toDate(text: string): DateValue {
  const { codes: _, ...date } = parseDate(text);
  return date;
}
