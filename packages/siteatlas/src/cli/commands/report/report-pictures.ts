/**
 * The files of `--png` and `--pdf`. They are opened before the walk, so that a missing browser or a file that already
 * exists ends the run before the first request.
 */
import { terminalText } from "../../../escape/terminal.ts";
import { type Drawing, drawPage } from "../../browser/draw-page.ts";
import { findBrowser } from "../../browser/find-browser.ts";
import type { Run } from "../../command.ts";
import type { Settings } from "../../config/flags.ts";
import { TargetFile } from "../../output/target-file.ts";
import { UsageError } from "../../process/usage-error.ts";

type PictureFormat = keyof Drawing;

const FORMATS: readonly PictureFormat[] = ["png", "pdf"];

export class ReportPictures {
  readonly #files: ReadonlyMap<PictureFormat, TargetFile>;
  readonly #browser: string;

  private constructor(files: ReadonlyMap<PictureFormat, TargetFile>, browser: string) {
    this.#files = files;
    this.#browser = browser;
  }

  /** Whether the settings ask for a picture. */
  static areWanted(settings: Settings): boolean {
    return FORMATS.some((format) => settings[format] !== undefined);
  }

  /** @throws {UsageError} if no browser is found, or if a file cannot be written */
  static async open({ settings, given }: Run): Promise<ReportPictures | undefined> {
    if (!ReportPictures.areWanted(settings)) {
      if (given.includes("browser")) throw new UsageError("--browser can only be used with --png and --pdf");
      return undefined;
    }
    const files = new Map<PictureFormat, TargetFile>();
    const browser = findBrowser(settings.browser);
    try {
      for (const format of FORMATS) {
        const path = settings[format];
        if (path === undefined) continue;
        if (path === "-") throw new UsageError(`--${format} needs the name of a file`);
        files.set(format, await TargetFile.open(path, { force: settings.force }));
      }
    } catch (error) {
      for (const file of files.values()) await file.discard();
      throw error;
    }
    return new ReportPictures(files, browser);
  }

  /** Draws the page and completes the files. An interrupted run has no pictures. */
  async write(html: string, { signal, reporter }: Run): Promise<void> {
    if (signal.aborted) {
      const names = [...this.#files.values()].map(({ path }) => terminalText(path));
      reporter.warn(`${names.join(" and ")} ${names.length === 1 ? "was" : "were"} not written`);
      return this.discard();
    }
    const wanted = { png: this.#files.has("png"), pdf: this.#files.has("pdf") };
    const drawing = await drawPage(html, { browser: this.#browser, ...wanted, signal });
    for (const [format, file] of this.#files) {
      await file.write(drawing[format]!);
      await file.commit();
    }
  }

  /** Deletes files that are not complete. */
  async discard(): Promise<void> {
    for (const file of this.#files.values()) await file.discard();
  }
}
