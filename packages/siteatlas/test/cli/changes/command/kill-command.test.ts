/**
 * Kills `siteatlas watch` with an `--on-change` command at random moments, and half of the times at moments around the
 * commit. The command fails at random after it has applied the changes, and the site takes changes back between the
 * syncs. A copy that applies each run once has exactly the pages of the site. `COMMAND_KILLS=300` for as many.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LivingSite } from "../../../sync/living-site.ts";
import { buildCli, emptyFolder, endOf, startCli } from "../../support/cli.ts";
import { filesIn, isSame, pause, Random } from "../webhook/deliveries.ts";

buildCli();

const KILLS = Number(process.env["COMMAND_KILLS"] ?? 6);
const random = new Random(19);

interface Line {
  readonly kind: string;
  readonly url: string;
  readonly run: string;
  readonly at: string;
}

/** Saves the changes of a run in one step, then fails in a third of the cases. */
const COMMAND = 'f=$(mktemp part.XXXXXX) && cat > "$f" && mv "$f" "told.$f" && test $(($$ % 3)) -ne 0';

/** The pages of a copy that applies every run, in order. Fails if a run was delivered with two contents. */
function copyOf(folder: string): Set<string> {
  const runs = new Map<string, string>();
  for (const name of filesIn(folder).filter((one) => one.startsWith("told."))) {
    const text = readFileSync(join(folder, name), "utf8");
    const { at, run } = JSON.parse(text.slice(0, text.indexOf("\n"))) as Line;
    const known = runs.get(`${at} ${run}`);
    if (known !== undefined) expect(known).toBe(text);
    runs.set(`${at} ${run}`, text);
  }
  const pages = new Set<string>();
  for (const [, text] of [...runs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const line of text.trimEnd().split("\n")) {
      const { kind, url } = JSON.parse(line) as Line;
      if (kind === "added") pages.add(url);
      if (kind === "removed") pages.delete(url);
    }
  }
  return pages;
}

test(
  `${KILLS} kills of a watch with a command leave no wrong page in the copy`,
  async () => {
    const site = await LivingSite.start();
    onTestFinished(() => site.close());
    const { pages } = site.add(
      "a",
      Array.from({ length: 100 }, (_, number) => `/page-${number}`),
    );
    const cwd = emptyFolder();
    const snapshot = join(cwd, `${new URL(site.url).host.replace(":", "_")}.snapshot.gz`);
    const times = ["--every", "20ms", "--max-every", "20ms"];
    const args = ["watch", site.url, "--no-known", ...times, "-q", "--on-change", COMMAND];
    const names = (folder: string, pattern: RegExp): string =>
      filesIn(folder)
        .filter((name) => pattern.test(name))
        .join();
    /** Each returns a value that changes at the moment of the kill. */
    const aims: readonly (() => string)[] = [
      () => names(`${snapshot}.command`, /^prepared-/),
      () => (existsSync(snapshot) ? String(statSync(snapshot, { bigint: true }).mtimeNs) : ""),
      () => names(`${snapshot}.command`, /^\d/),
      () => names(cwd, /^told/),
    ];
    let aimed = 0;
    for (let round = 0; round < KILLS; round++) {
      pages.set(`/new-${round}`, {});
      // Some pages exist only for one sync, and some are missing only for one.
      pages.delete(`/new-${round - 1}`);
      pages.set(`/page-${(round + 99) % 100}`, {});
      pages.delete(`/page-${round % 100}`);
      const child = startCli(args, { cwd });
      const ended = endOf(child);
      const requests = site.requests.length;
      const aim = aims[(round / 2) % aims.length];
      const before = aim?.();
      while (site.requests.length === requests && aim?.() === before) await pause(1);
      const until = performance.now() + (aim === undefined ? 500 * random.next() : 4000);
      let isAimed = false;
      while (performance.now() < until && !isAimed) {
        await new Promise((resolve) => setImmediate(resolve));
        isAimed = aim?.() !== before;
      }
      if (isAimed) aimed++;
      child.kill("SIGKILL");
      await ended;
    }
    const child = startCli(args, { cwd });
    const ended = endOf(child);
    const truth = new Set(site.truth().keys());
    while (!isSame(copyOf(cwd), truth) || names(`${snapshot}.command`, /ndjson$/) !== "") await pause(100);
    child.kill("SIGTERM");
    await ended;
    if (process.env["COMMAND_KILLS"] !== undefined) {
      console.log(`${aimed} aimed and ${KILLS - aimed} random kills, ${filesIn(cwd).length} files`);
    }
  },
  60_000 + KILLS * 20_000,
);
