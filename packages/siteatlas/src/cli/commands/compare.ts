/** `siteatlas compare`: which pages only one of two inputs has, and which pages both have. */
import { Comparison, type ComparisonSummary, type PageIntake } from "../../compare/comparison.ts";
import type { ComparedPage } from "../../compare/merge-pages.ts";
import { readFile, readFolder } from "../../compare/read/read-file.ts";
import { type ReadOptions, readText } from "../../compare/read/read-text.ts";
import { SnapshotError } from "../../sync/snapshot/snapshot-error.ts";
import { snapshotPath, syncProblem } from "../changes/snapshot-file.ts";
import type { Command, Run } from "../command.ts";
import { type CompareInput, nameInputs, readInput } from "../compare/compare-input.ts";
import { CompareOutput } from "../compare/compare-output.ts";
import { drawComparison, MAX_EXAMPLES } from "../compare/draw-comparison.ts";
import { ignoreHint, inputProblem, noteInput } from "../compare/input-notes.ts";
import { anyGlob } from "../config/glob.ts";
import { RunCounts } from "../messages/run-counts.ts";
import { noteStdin } from "../messages/stdin-notice.ts";
import { sentences } from "../messages/summary.ts";
import { chooseCompareFormat, outputFile } from "../output/choose-format.ts";
import { drawOptions, endOutput, withTextOutput } from "../output/finish-output.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { Interruption } from "../process/interrupt.ts";
import { keepHeapSmall } from "../process/limit-heap-growth.ts";
import { OutputError } from "../process/output-error.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";
import { count, joined, number } from "../terminal/format-text.ts";
import { walkSites } from "../walk/walk-sites.ts";

type Sides = readonly [a: CompareInput, b: CompareInput];

export const compare: Command = async (run) => {
  keepHeapSmall();
  const { settings, args, reporter } = run;
  const format = chooseCompareFormat(run);
  const sides = readSides(run);
  noteStdin(reporter, args, "URLs");
  return withTextOutput(run, async (output) => {
    const comparison = await Comparison.open({ ignore: settings.ignoreParts, filter: filterOf(run) });
    try {
      const codes: ExitCode[] = [];
      for (const [at, input] of sides.entries()) {
        const intake = at === 0 ? comparison.a : comparison.b;
        codes.push(await readSide(run, input, intake, at === 0 ? settings.typeA : settings.typeB));
        if (codes[at] === EXIT.nothingFound) {
          await output.abort();
          return EXIT.nothingFound;
        }
      }
      const isTerminal = outputFile(settings) === undefined && process.stdout.isTTY === true;
      const { only, csvRaw } = settings;
      const written = new CompareOutput(output, { format, only, csvRaw, isTerminal });
      const examples = { a: [] as string[], b: [] as string[] };
      await written.start();
      for await (const pages of comparison.pages()) {
        run.signal.throwIfAborted();
        if (format === "text") collectExamples(pages, examples);
        else await written.pages(pages);
      }
      reporter.stopProgress();
      const summary = comparison.summary();
      const names = [sides[0].name, sides[1].name] as const;
      if (format === "text") {
        await output.write(drawComparison(summary, names, examples, drawOptions(run, "")));
      }
      await written.end({ ...summary, names });
      await endOutput(run, output);
      return conclude(run, sides, comparison, summary, codes);
    } catch (error) {
      if (error instanceof Interruption) sayInterrupted(run, sides, comparison);
      throw explain(error);
    } finally {
      await comparison.close();
    }
  });
};

/** After Ctrl-C, the result is incomplete: pages can be compared only when both inputs were read. */
function sayInterrupted({ reporter }: Run, sides: Sides, { a, b }: Comparison): void {
  const read = [a, b].map(({ facts }, at) => `${count(facts.urls, "URL")} of ${sides[at]!.name}`);
  const urls = { a: a.facts.urls, b: b.facts.urls };
  reporter.summary(`Interrupted after ${joined(read)}: the comparison is incomplete`, urls, true);
}

function readSides({ args, settings }: Run): Sides {
  const [first, second, third] = args;
  if (first === undefined || second === undefined || third !== undefined) {
    throw new UsageError(
      `siteatlas compare needs two inputs${third === undefined ? "" : ", not more"}`,
      "Examples: siteatlas compare -h",
    );
  }
  if (first === "-" && second === "-") throw new UsageError("stdin (-) can be read only once");
  return nameInputs(readInput(first, settings), readInput(second, settings));
}

function filterOf({ settings }: Run): ((url: string) => boolean) | undefined {
  const included = anyGlob(settings.include, "--include");
  const excluded = anyGlob(settings.exclude, "--exclude");
  if (included === undefined && excluded === undefined) return undefined;
  return (url) => included?.(url) !== false && excluded?.(url) !== true;
}

// ---------------------------------------------------------------- reading

async function readSide(
  run: Run,
  input: CompareInput,
  intake: PageIntake,
  type: ReadOptions["type"],
): Promise<ExitCode> {
  const { reporter, settings } = run;
  const { name } = input;
  const { facts } = intake;
  const code = input.kind === "site" ? await readSite(run, input, intake) : EXIT.done;
  if (code === EXIT.nothingFound) return code;
  if (input.kind !== "site") {
    const { column, origin, status: statuses, agent: userAgent } = settings;
    await readLocal(run, input, intake, { type, column, origin, statuses, userAgent });
  }
  if (facts.problem !== undefined) throw inputProblem(name, facts.problem);
  noteInput(reporter, name, facts.facts());
  if (facts.urls > 0) return code;
  reporter.error(
    `${name} has no URLs${(settings.include ?? settings.exclude) ? " that match" : ""}`,
    facts.type === "log" ? "-v shows which lines were dropped. Check --agent and --status." : undefined,
  );
  return EXIT.nothingFound;
}

async function readLocal(
  run: Run,
  input: CompareInput,
  intake: PageIntake,
  options: ReadOptions,
): Promise<void> {
  const { kind, text, name } = input;
  const { reporter, signal } = run;
  const { facts } = intake;
  const runCounts = new RunCounts();
  runCounts.current = name;
  reporter.startProgress(runCounts);
  const source =
    kind === "folder"
      ? readFolder(text, facts, options)
      : kind === "stdin"
        ? readText(process.stdin, facts, options)
        : readFile(kind === "snapshot" ? await snapshotPath(text) : text, facts, options);
  const close = (): void => void (kind === "stdin" && process.stdin.destroy());
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    await intake.addAll(counted(source, runCounts, input), signal);
    signal.throwIfAborted();
  } catch (error) {
    // After an abort, stdin ends with another error.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
    close();
    reporter.stopProgress();
  }
}

/** Counts the URLs for the progress, and turns errors of the input into readable messages. */
async function* counted(
  batches: AsyncIterable<readonly string[]>,
  runCounts: RunCounts,
  { text, name }: CompareInput,
): AsyncGenerator<readonly string[]> {
  try {
    for await (const urls of batches) {
      runCounts.pages += urls.length;
      yield urls;
    }
  } catch (error) {
    if (error instanceof SnapshotError) throw syncProblem(error, text);
    const { syscall } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : new UsageError(`cannot read ${name}: ${systemReason(error)}`);
  }
}

async function readSite(run: Run, { text }: CompareInput, intake: PageIntake): Promise<ExitCode> {
  const runCounts = new RunCounts();
  intake.facts.type = "site";
  const handlers = { page: ({ url }: { readonly url: string }) => intake.add(url) };
  await walkSites({ ...run, args: [text] }, { runCounts, handlers });
  run.reporter.stopProgress();
  run.signal.throwIfAborted();
  intake.facts.isPartial = runCounts.isPartial;
  if (runCounts.limits.size > 0) return EXIT.limit;
  return runCounts.sitemaps === 0 ? EXIT.nothingFound : EXIT.done;
}

function collectExamples(
  pages: readonly ComparedPage[],
  examples: { readonly a: string[]; readonly b: string[] },
): void {
  if (examples.a.length >= MAX_EXAMPLES && examples.b.length >= MAX_EXAMPLES) return;
  for (const { in: where, url } of pages) {
    if (where !== "both" && examples[where].length < MAX_EXAMPLES) examples[where].push(url);
  }
}

// ---------------------------------------------------------------- the end

/** Turns an error of the temporary files into a readable message. */
function explain(error: unknown): unknown {
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall === undefined || code === undefined || error instanceof OutputError) return error;
  return new OutputError(`cannot write temporary files: ${systemReason(error)}`, {
    cause: error,
    hint: "They need about as much space as the URLs of both inputs. Set TMPDIR to another folder.",
  });
}

function conclude(
  { settings, reporter }: Run,
  [a, b]: Sides,
  comparison: Comparison,
  summary: ComparisonSummary,
  codes: readonly ExitCode[],
): ExitCode {
  const { onlyA, onlyB, both } = summary;
  const isPartial = summary.a.partial === true || summary.b.partial === true;
  const hint = ignoreHint(summary, comparison.a.habits(), comparison.b.habits(), settings.ignoreParts ?? []);
  if (hint !== undefined) reporter.say(0, hint);
  const isDifferent = onlyA + onlyB > 0;
  const code = codes.includes(EXIT.limit)
    ? EXIT.limit
    : settings.failOnPartial && isPartial
      ? EXIT.partial
      : settings.exitCode && isDifferent
        ? EXIT.changed
        : EXIT.done;
  const line = `${number(onlyA)} only in ${a.name}, ${number(onlyB)} only in ${b.name}, ${number(both)} in both`;
  const { sections: _, otherSections: __, kind: ___, ...facts } = summary;
  reporter.summary(sentences(line), { ...facts, exitCode: code }, isPartial);
  return code;
}
