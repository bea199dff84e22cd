/** The sites of a watch: from the arguments, from stdin, and from the file of `--hosts`, which can be read again. */
import { join } from "node:path";
import { logUrl } from "../../../escape/log-line.ts";
import type { WatchedSite } from "../../../sync/watch/watch-sites.ts";
import type { WalkOptions } from "../../../walk/options.ts";
import { checkFolder, snapshotName } from "../../changes/snapshot-file.ts";
import type { Run } from "../../command.ts";
import { EMPTY_STDIN, readTargets, startOf, type Target, targetOptions } from "../../config/target.ts";
import { walkOptions } from "../../config/walk-options.ts";
import { RunCounts } from "../../messages/run-counts.ts";
import { noteStdin } from "../../messages/stdin-notice.ts";
import { UsageError } from "../../process/usage-error.ts";
import { NetworkNotes, notePauses } from "../../walk/network-notes.ts";

export interface NamedSite extends WatchedSite {
  /** The site's name in messages. */
  readonly name: string;
  readonly target: Target;
}

export class SiteList {
  readonly #run: Run;
  readonly #folder: string;
  readonly #options: WalkOptions;
  readonly #notes: NetworkNotes;

  constructor(run: Run) {
    const { args, settings, reporter } = run;
    if (args.length === 0 && settings.hosts === undefined) {
      throw new UsageError(
        "siteatlas watch needs a host or URL, such as example.com",
        "Examples: siteatlas watch -h",
      );
    }
    if (args.includes("-") && settings.hosts !== undefined) {
      throw new UsageError("siteatlas watch takes - or --hosts, not both");
    }
    this.#run = run;
    this.#folder = settings.snapshots ?? ".";
    const options = walkOptions(settings);
    this.#notes = new NetworkNotes(reporter, options);
    this.#options = {
      ...options,
      onPause: notePauses(reporter, new RunCounts()),
      onRequest: (url: string) => this.#notes.addRequest(url),
    };
  }

  /**
   * Reads all sites before the first request. For `-`, stdin is read to its end. A wrong line is reported and skipped.
   */
  async read(): Promise<NamedSite[]> {
    const { args, reporter } = this.#run;
    await checkFolder(join(this.#folder, "*.snapshot.gz"));
    noteStdin(reporter, args, "hosts or URLs, one per line,");
    return this.#sites((problem) => reporter.warn(problem.message, undefined, true));
  }

  /**
   * Reads the list again. A wrong line is an error: the watch keeps its old list until the file is repaired.
   *
   * @throws {UsageError}
   */
  async readAgain(): Promise<NamedSite[]> {
    return this.#sites((problem) => {
      throw problem;
    });
  }

  async #sites(onProblem: (problem: UsageError) => void): Promise<NamedSite[]> {
    const { args, settings, signal } = this.#run;
    const sites = new Map<string, NamedSite>();
    let isEmpty = true;
    for await (const line of readTargets(args, settings, signal)) {
      isEmpty = false;
      if ("problem" in line) onProblem(line.problem);
      else {
        this.#notes.add(line.target);
        const snapshot = join(this.#folder, snapshotName(line.target));
        const known = sites.get(snapshot)?.target;
        const target = known === undefined ? line.target : this.#choose(known, line.target);
        sites.set(snapshot, siteOf(target, snapshot, this.#options));
      }
    }
    if (sites.size === 0) {
      throw new UsageError(isEmpty && args.includes("-") ? EMPTY_STDIN : "no site to watch");
    }
    return [...sites.values()];
  }

  /** Two URLs of one site have the same snapshot, so only one is watched: the one with https, otherwise the first. */
  #choose(first: Target, second: Target): Target {
    if (first.url === second.url) return first;
    const isSecond = first.url.startsWith("http:") && second.url.startsWith("https:");
    const [watched, other] = isSecond ? [second, first] : [first, second];
    const [shown, skipped] = [logUrl(watched.url), logUrl(other.url)];
    this.#run.reporter.warn(
      `${shown} and ${skipped} are one site: only ${shown} is watched`,
      undefined,
      true,
    );
    return watched;
  }
}

function siteOf(target: Target, snapshot: string, options: WalkOptions): NamedSite {
  const { name, sitemapPath = "" } = target;
  const own = targetOptions(target, options);
  return { start: startOf(target), snapshot, target, name: name + sitemapPath, options: own };
}
