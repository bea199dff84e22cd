/** Finds an installed browser that can draw reports: Chromium, or a browser that is built from it. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { terminalText } from "../../escape/terminal.ts";
import { UsageError } from "../process/usage-error.ts";

/** Names of the program on PATH, in the order in which they are tried. */
const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "msedge",
  "brave-browser",
];

/** Usual places on systems where browsers are not on PATH. */
const PLACES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["Google Chrome", "Chromium", "Microsoft Edge"].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"].flatMap((name) => {
    const folder = process.env[name];
    if (folder === undefined) return [];
    return ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"].map(
      (path) => join(folder, path),
    );
  }),
};

/**
 * Returns the path of the browser.
 *
 * @param wanted the value of `--browser`: a path, or a name on PATH
 * @throws {UsageError} if no browser is found
 */
export function findBrowser(wanted: string | undefined): string {
  if (wanted === undefined) {
    const found = [...NAMES.flatMap(onPath), ...(PLACES[process.platform] ?? [])].find(isProgram);
    if (found !== undefined) return found;
    throw new UsageError(
      "--png and --pdf need Chromium or Chrome, which was not found",
      "Install one of them, or name it with --browser or SITEATLAS_BROWSER.",
    );
  }
  const paths = /[/\\]/.test(wanted) ? [resolve(wanted)] : onPath(wanted);
  const found = paths.find(isProgram);
  if (found !== undefined) return found;
  throw new UsageError(`--browser ${terminalText(wanted)}: no such program`);
}

/** The paths of a program in the folders of PATH. Relative folders are ignored: anyone may have written them. */
function onPath(name: string): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const endings = process.platform === "win32" ? [".exe"] : [""];
  return folders.flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
