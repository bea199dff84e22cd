/**
 * Updates the screens, pictures and tables of docs/cli.md and README.md: `npm run docs:cli`. With `--check` it writes
 * nothing and fails if they are outdated. `--only README.md` does one page.
 *
 * A screen is a block that starts with `$ ` and a command, below a line `<!-- screen … -->`. The command runs in a
 * real terminal (cli-docs/terminal.mjs, needs tmux) against sites on loopback (cli-docs/sites.mjs, needs openssl).
 * Its screen replaces the rest of the block. The marks:
 *
 *     columns=100      width of the terminal
 *     lines=1-8,20-24  only these lines, with … for the others
 *     hold=/help.xml   the site pauses in the middle of this document, and the screen is taken then
 *     keys=C-c         types these keys, and waits for the end
 *     synced=monday    there is a snapshot of the day before (monday.snapshot.gz, and the default one)
 *     synced=tuesday   there is also a snapshot of today, tuesday.snapshot.gz
 *
 * A picture is a `<picture>` element below a line `<!-- picture: command -->`. The same command runs in a terminal of
 * 100 columns, and cli-docs/screen-picture.mjs draws its screen into the two files of the element, light and dark. The
 * alternative text starts with the first line of the screen.
 *
 * A table is between `<!-- table: flags -->` (or `fields`) and `<!-- /table -->`. It is generated from the tables of
 * the command line.
 *
 * Times and the list of the slowest sitemaps are not compared. One request at a time (SITEATLAS_CONCURRENCY=1) makes
 * the order of pages stable.
 */
import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { buildCli } from "./build-cli.mjs";
import { drawScreen, readScreen, stylesOf, withoutStyles } from "./cli-docs/screen-picture.mjs";
import { openSites } from "./cli-docs/sites.mjs";
import { makeTables } from "./cli-docs/tables.mjs";
import { Terminal } from "./cli-docs/terminal.mjs";

const execFileAsync = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const allPages = ["README.md", "docs/cli.md"];
const source = join(root, "packages/siteatlas");

const SCREEN =
  /<!-- screen(?<marks>[^>]*?) -->\n\n?```console\n\$ (?<command>[^\n]*)\n(?<shown>[\s\S]*?)```\n/g;
const PICTURE =
  /<!-- picture: (?<command>[^\n]*) -->\n<picture>\n.* srcset="(?<dark>[^"]+)".*\n.* alt="(?<alt>[^"]*)".* src="(?<light>[^"]+)".*\n<\/picture>\n/g;
const PICTURE_COLUMNS = 100;
const TABLE = /(<!-- table: ([\w-]+) -->\n)[\s\S]*?(<!-- \/table -->\n)/g;
const ROWS = 40;

// ---------------------------------------------------------------- commands

/**
 * Builds the command line from the sources.
 *
 * @param {string} folder
 */
async function installCli(folder) {
  mkdirSync(join(folder, "app"));
  mkdirSync(join(folder, "bin"));
  copyFileSync(join(source, "package.json"), join(folder, "app/package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "app/node_modules"), "dir");
  await buildCli(join(folder, "app/dist/cli"));
  const program = join(folder, "bin/siteatlas");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${folder}/app/dist/cli/main.js" "$@"\n`);
  chmodSync(program, 0o755);
  // `npx siteatlas` must not download anything.
  writeFileSync(join(folder, "bin/npx"), '#!/bin/sh\nexec "$@"\n');
  chmodSync(join(folder, "bin/npx"), 0o755);
}

/** The files that the commands read. @param {string} folder */
function writeInputs(folder) {
  const urlset = (/** @type {string} */ entries) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries}`;
  const entries = [
    "<url><loc>https://example.com/shop?a=1&b=2</loc><lastmod>2024-05</lastmod></url>",
    "<url><loc>/about</loc><lastmod>yesterday</lastmod></url>",
    "<url><loc>https://example.com/cut",
  ];
  writeFileSync(join(folder, "sitemap.xml"), urlset(entries.join("\n")));
  const hosts = ["# one host or URL on each line", "www.example.com", "https://empty.example.com/"];
  writeFileSync(join(folder, "hosts.txt"), `${hosts.join("\n")}\n`);
}

/**
 * @param {string} command
 * @param {ReadonlyMap<string, string>} marks
 * @param {Readonly<Record<string, string>>} environment
 * @param {import("./cli-docs/sites.mjs").Sites} sites
 * @returns {Promise<Pick<import("./cli-docs/terminal.mjs").Screen, "text" | "styledText">>}
 */
async function takeScreen(command, marks, environment, sites) {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-docs-run-"));
  writeInputs(folder);
  const held = marks.get("hold");
  await sites.renew();
  if (marks.has("synced")) await sync(folder, marks.get("synced") === "tuesday", environment, sites);
  sites.hold(held);
  const columns = Number(marks.get("columns") ?? 100);
  const terminal = new Terminal(command, { columns, rows: ROWS, folder, environment });
  try {
    if (held === undefined) return await terminal.end();
    const text = await steadyText(terminal, held);
    const keys = marks.get("keys");
    if (keys === undefined) return { text, styledText: text };
    terminal.type(keys);
    return await terminal.end();
  } finally {
    terminal.close();
    sites.hold(undefined);
    sites.turn(false);
    rmSync(folder, { recursive: true });
  }
}

/**
 * Syncs on one day, switches to the next day, and syncs again with `isTwice`.
 *
 * @param {string} folder
 * @param {boolean} isTwice
 * @param {Readonly<Record<string, string>>} environment
 * @param {import("./cli-docs/sites.mjs").Sites} sites
 */
async function sync(folder, isTwice, environment, sites) {
  const [monday, tuesday] = [join(folder, "monday.snapshot.gz"), join(folder, "tuesday.snapshot.gz")];
  const run = (/** @type {string} */ snapshot) =>
    execFileAsync("siteatlas", ["sync", "www.example.com", "--quiet", "--snapshot", snapshot], {
      env: environment,
      maxBuffer: 64 * 1024 * 1024,
    });
  await run(monday);
  copyFileSync(monday, join(folder, "www.example.com.snapshot.gz"));
  sites.turn(true);
  if (!isTwice) return;
  copyFileSync(monday, tuesday);
  await run(tuesday);
}

/**
 * Waits until the site pauses at this document and the terminal shows it.
 *
 * @param {Terminal} terminal
 * @param {string} path
 */
function steadyText(terminal, path) {
  let before = "";
  let since = Date.now();
  return terminal.until((text) => {
    const now = withoutTimes(text);
    if (now !== before) since = Date.now();
    before = now;
    return text.includes(path) && Date.now() - since > 1000;
  });
}

// ---------------------------------------------------------------- pages

/**
 * @param {string} text
 * @param {string} [ranges] `1-8,20-24`
 */
function chooseLines(text, ranges) {
  if (ranges === undefined) return text;
  const lines = text.trimEnd().split("\n");
  let last = 0;
  const chosen = ranges.split(",").flatMap((range) => {
    const [from = 1, to = from] = range.split("-").map(Number);
    const gap = from > last + 1 ? ["…"] : [];
    last = Math.min(to, lines.length);
    return [...gap, ...lines.slice(from - 1, to)];
  });
  return `${[...chosen, ...(last < lines.length ? ["…"] : [])].join("\n")}\n`;
}

/** The stable part of a screen. @param {string} text */
function withoutTimes(text) {
  /** The column after the list of the slowest sitemaps. */
  let column = -1;
  return text
    .split("\n")
    .map((line) => {
      if (/^ {2}slowest/.test(line)) column = Math.max(0, line.indexOf("largest"));
      if (line === "") column = -1;
      const rest = column >= 0 ? line.slice(column) : line;
      return rest
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "# UTC")
        .replace(/\d[\d,]*\/s/g, "#/s")
        .replace(/ *\d+(?:\.\d+)? (?:ms|s|min)\b/g, " #")
        .replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, "⠿");
    })
    .join("\n");
}

/** @param {string} text */
function readMarks(text) {
  return new Map(
    text
      .trim()
      .split(/\s+/)
      .filter((mark) => mark !== "")
      .map((mark) => /** @type {[string, string]} */ (mark.split("=", 2))),
  );
}

/**
 * @param {string} page
 * @param {(command: string, marks: ReadonlyMap<string, string>) => ReturnType<typeof takeScreen>} take
 * @param {Readonly<Record<string, string>>} tables
 * @returns {Promise<string>}
 */
async function renewPage(page, take, tables) {
  let made = "";
  let at = 0;
  for (const match of page.matchAll(SCREEN)) {
    const { marks: marksText = "", command = "", shown = "" } = match.groups ?? {};
    const marks = readMarks(marksText);
    const text = chooseLines((await take(command, marks)).text, marks.get("lines"));
    // If only times differ, keep the old screen.
    const kept = withoutTimes(text) === withoutTimes(shown) ? shown : text;
    made += page.slice(at, match.index) + match[0].slice(0, -"```\n".length - shown.length);
    made += `${kept}\`\`\`\n`;
    at = match.index + match[0].length;
  }
  made += page.slice(at);
  return made.replace(TABLE, (_, start, name, end) => {
    if (tables[name] === undefined) throw new Error(`Unknown table ${name}`);
    return `${start}\n${tables[name]}\n${end}`;
  });
}

// ---------------------------------------------------------------- pictures

/**
 * @param {string} page
 * @param {(command: string, marks: ReadonlyMap<string, string>) => ReturnType<typeof takeScreen>} take
 * @returns {Promise<Map<string, string>>} path → SVG; the page itself has the key ""
 */
async function renewPictures(page, take) {
  const files = new Map([["", page]]);
  for (const { groups = {}, 0: element } of page.matchAll(PICTURE)) {
    const { command = "", dark = "", light = "", alt = "" } = groups;
    const { styledText } = await take(command, new Map([["columns", String(PICTURE_COLUMNS)]]));
    const taken = `$ ${command}\n${styledText}`;
    const shown = readScreen(contentOf(light));
    const isSame =
      withoutTimes(withoutStyles(taken)) === withoutTimes(withoutStyles(shown)) &&
      stylesOf(taken) === stylesOf(shown);
    // If only times differ, keep the old screen.
    const screen = isSame ? shown : taken;
    const title = describe(screen, alt);
    for (const [path, theme] of /** @type {const} */ ([
      [light, "light"],
      [dark, "dark"],
    ]))
      files.set(path, drawScreen(screen, { columns: PICTURE_COLUMNS, theme, title }));
    const text = files.get("") ?? "";
    files.set("", text.replace(element, element.replace(`alt="${alt}"`, `alt="${title}"`)));
  }
  return files;
}

/**
 * The numbers of the first line, without the time, before the rest of the text that the page has.
 *
 * @param {string} screen
 * @param {string} alt
 */
function describe(screen, alt) {
  const [site = "", facts = ""] = (withoutStyles(screen).split("\n")[1] ?? "").split(/ {2,}/);
  const [, rest = ""] = alt.split(" with ");
  return `Overview of ${site}: ${facts.split(" · ").slice(0, -1).join(", ")}, with ${rest}`;
}

/** @param {string} name */
function contentOf(name) {
  try {
    return readFileSync(join(root, name), "utf8");
  } catch {
    return "";
  }
}

// ---------------------------------------------------------------- main

const { check: isCheck, only } = parseArgs({
  options: { check: { type: "boolean", default: false }, only: { type: "string", multiple: true } },
}).values;
const pages = only ?? allPages;
const folder = mkdtempSync(join(tmpdir(), "siteatlas-docs-"));
try {
  await installCli(folder);
  const sites = await openSites(folder);
  const environment = {
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    LANG: "C.UTF-8",
    SITEATLAS_CONCURRENCY: "1",
    NODE_OPTIONS: `--import ${root}node_modules/undici/index.js`,
    ...sites.environment,
  };
  const tables = await makeTables(folder);
  const take = (/** @type {string} */ command, /** @type {ReadonlyMap<string, string>} */ marks) => {
    if (!isCheck) console.log(command);
    return takeScreen(command, marks, environment, sites);
  };
  /** @type {string[]} */
  const stale = [];
  try {
    for (const name of pages) {
      const pictures = await renewPictures(contentOf(name), take);
      pictures.set(name, await renewPage(pictures.get("") ?? "", take, tables));
      pictures.delete("");
      for (const [file, after] of pictures) {
        const before = contentOf(file);
        if (after === before) continue;
        stale.push(file);
        if (!isCheck) writeFileSync(join(root, file), after);
        else tellDifference(file, before, after);
      }
    }
  } finally {
    sites.close();
  }
  if (!isCheck) console.log(stale.length === 0 ? "Nothing is new" : `Written: ${stale.join(", ")}`);
  else if (stale.length === 0) console.log(`${pages.join(" and ")} show what the command line shows`);
  else {
    console.error(`Stale: ${stale.join(", ")}. Run \`npm run docs:cli\``);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {string} name
 * @param {string} before
 * @param {string} after
 */
function tellDifference(name, before, after) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const at = now.findIndex((line, i) => line !== old[i]);
  console.error(`${name}:${at + 1}\n- ${old[at]}\n+ ${now[at]}`);
}
