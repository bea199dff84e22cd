/**
 * Files of strangers on the user's disk: sec-L01 to sec-L08. `serve` writes the files, so that only reading them is
 * measured. Settings files and lists are read by the command line, as a process in the folder of the files.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { diffSnapshots } from "../../../src/sync/diff-snapshots.ts";
import { readSnapshot } from "../../../src/sync/snapshot/read-snapshot.ts";
import { SnapshotError } from "../../../src/sync/snapshot/snapshot-error.ts";
import { loadTree } from "../../../src/tree/saved/load-tree.ts";
import { TreeError } from "../../../src/tree/saved/tree-error.ts";
import {
  bomb,
  type Forged,
  forgePages,
  forgeSnapshot,
  HEADER,
  SITEMAP_URL,
} from "../../support/forged-snapshot.ts";
import type { Context, HostileCase, Site } from "../case.ts";

function emptyFolder(): string {
  return mkdtempSync(join(process.env["HOSTILE_TMPDIR"]!, "files-"));
}

/** Writes files and returns their paths by name. */
function writeFiles(files: Readonly<Record<string, Buffer>>): Site {
  const folder = emptyFolder();
  return Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => {
      const path = join(folder, name.replaceAll(" ", "-"));
      writeFileSync(path, bytes);
      return [name, path];
    }),
  );
}

async function readAll(path: string): Promise<void> {
  const snapshot = await readSnapshot(path);
  try {
    for await (const _ of snapshot.pages());
    for await (const _ of diffSnapshots(snapshot, snapshot));
  } finally {
    await snapshot.close();
  }
}

/** Reads every file of the site. Each must end with an error of this kind. */
async function expectRefused(
  context: Context,
  read: (path: string) => Promise<unknown>,
  kind: typeof SnapshotError | typeof TreeError,
): Promise<string> {
  const names = Object.keys(context.site).filter((name) => context.part === "" || name === context.part);
  const codes = new Set<string>();
  for (const name of names) {
    const error = await read(String(context.site[name])).then(
      () => new Error("it was read"),
      (reason: unknown) => reason,
    );
    if (!context.expect(error instanceof kind, `${name}: ${String(error)}`)) continue;
    const { code, message } = error as SnapshotError | TreeError;
    codes.add(code);
    context.tell(message, name);
  }
  return `${names.length} refused: ${[...codes].join(", ")}`;
}

const gigabyteOf = (piece: string): Buffer => bomb(piece, Math.ceil(1e9 / piece.length));
const FACTS = JSON.stringify(HEADER.facts);

// ---------------------------------------------------------------- snapshots

const l01: HostileCase = {
  id: "sec-L01",
  server: "a snapshot whose header decompresses to 1 GB: spaces, line feeds, a string, objects, deep JSON",
  expected: "a SnapshotError, in constant memory",
  parts: ["spaces", "line feeds", "a string", "objects", "deep JSON"],
  serve: async () =>
    writeFiles({
      spaces: forgeSnapshot({ headerRest: gigabyteOf(" ".repeat(1e7)) }),
      "line feeds": forgeSnapshot({ headerRest: gigabyteOf("\n".repeat(1e7)) }),
      "a string": forgeSnapshot({ headerRest: bomb(`"${"x".repeat(1e7)}`, 100) }),
      objects: forgeSnapshot({ headerRest: gigabyteOf("{},".repeat(1e6)) }),
      "deep JSON": forgeSnapshot({ lines: [FACTS, "[".repeat(1e7)] }),
    }),
  run: (context) => expectRefused(context, readAll, SnapshotError),
};

const l02: HostileCase = {
  id: "sec-L02",
  server:
    "a snapshot with a section that decompresses to 1 GB: one line, line feeds, more pages than it says",
  expected: "a SnapshotError, in constant memory",
  parts: ["one line", "line feeds", "pages"],
  serve: async () => {
    const title = gzipSync(`# ${SITEMAP_URL}\n`);
    const pages = "https://www.example.com/a\n".repeat(100_000);
    return writeFiles({
      "one line": forgeSnapshot({ section: gigabyteOf("x".repeat(1e7)) }),
      "line feeds": forgeSnapshot({ section: Buffer.concat([title, gigabyteOf("\n".repeat(1e7))]) }),
      pages: forgeSnapshot({ section: Buffer.concat([title, gigabyteOf(pages)]) }),
    });
  },
  run: (context) => expectRefused(context, readAll, SnapshotError),
};

const WRONG: readonly unknown[] = [null, -1, 1.5, 1e300, 2 ** 53, "x", "\u001b[31m", false, { a: 1 }, [null]];
/** A text that the format does not restrict. */
const FREE = ["declared", "etag", "lastModified", "contentHash"];

const l03: HostileCase = {
  id: "sec-L03",
  server: "snapshots with a wrong type, a negative, fractional or huge number in every field",
  expected: "a SnapshotError for each",
  serve: async () => {
    const files: Record<string, Buffer> = {};
    for (const part of ["facts", "sitemap"] as const) {
      for (const name of Object.keys(HEADER[part]).filter((key) => !FREE.includes(key))) {
        for (const [at, value] of WRONG.entries()) {
          files[`${part}.${name}.${at}`] = forgeSnapshot({ [part]: { [name]: value } } as Forged);
        }
      }
    }
    files["bytes"] = forgeSnapshot({ sectionFacts: { bytes: Number.MAX_SAFE_INTEGER } });
    files["negative bytes"] = forgeSnapshot({ sectionFacts: { bytes: -1 } });
    files["crc"] = forgeSnapshot({ sectionFacts: { crc: 0 } });
    return writeFiles(files);
  },
  run: (context) => expectRefused(context, readAll, SnapshotError),
};

const l04: HostileCase = {
  id: "sec-L04",
  server: "snapshots with escape characters, credentials and other schemes in URLs, pages and validators",
  expected: "a SnapshotError whose message has neither",
  serve: async () =>
    writeFiles({
      "escape in a page": forgePages(["https://www.example.com/\u001b]0;x\u0007"]),
      "C1 in a page": forgePages(["https://www.example.com/\u009b31m"]),
      "credentials in a page": forgePages(["https://user:hunter2@www.example.com/"]),
      "file in a page": forgePages(["file:///etc/passwd"]),
      "escape in a date": forgePages(["https://www.example.com/\tlastModified=\u001b[31m"]),
      "credentials of a sitemap": forgeSnapshot({
        sitemap: { url: "https://user:hunter2@www.example.com/" },
      }),
      "credentials of the homepage": forgeSnapshot({
        facts: { homepage: "https://user:hunter2@a.example/" },
      }),
      "a header in an ETag": forgeSnapshot({ sitemap: { etag: '"a"\r\nx-evil: 1' } }),
      "escape in a name": forgeSnapshot({ sitemap: { "\u001b[31m": 1 } }),
      "escape in a version": forgeSnapshot({ facts: { version: "\u001b[31m" } }),
    }),
  run: (context) => expectRefused(context, readAll, SnapshotError),
};

// ---------------------------------------------------------------- saved trees

const treeOf = (...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([gzipSync('{"format":"siteatlas-tree","version":1}\n'), ...parts]);
const NODE = {
  sitemap: { kind: "pages", format: "xml", url: SITEMAP_URL, issues: [], issueCount: 0, duplicateCount: 0 },
  subSitemaps: 0,
  pages: 1e6,
};
const node = (more: object): Buffer => gzipSync(`${JSON.stringify({ ...NODE, ...more })}\n`);

const l05: HostileCase = {
  id: "sec-L05",
  server: "saved trees: a line of 100 MB, 1 GB of line feeds, deep JSON, empty objects, impossible numbers",
  expected: "a TreeError, in constant memory",
  parts: ["a long line", "line feeds", "deep JSON", "objects", "numbers"],
  serve: async () =>
    writeFiles({
      "a long line": treeOf(bomb("x".repeat(1e7), 10)),
      "line feeds": treeOf(gigabyteOf("\n".repeat(1e7))),
      "deep JSON": treeOf(gzipSync("[".repeat(8e6))),
      objects: treeOf(gzipSync(`[${"{},".repeat(2e6)}0]\n`)),
      numbers: treeOf(node({ pages: -1 })),
    }),
  run: (context) => expectRefused(context, (path) => loadTree(path, { root: "any" }), TreeError),
};

// ---------------------------------------------------------------- the command line

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in a folder. */
async function runIn(folder: string, args: readonly string[], input: Iterable<string> = []): Promise<Ended> {
  const child = spawn(process.execPath, [process.env["HOSTILE_COMMAND"]!, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], XDG_CONFIG_HOME: join(folder, "none") },
    stdio: "pipe",
    timeout: 20_000,
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  for (const piece of input) {
    if (!child.stdin.write(piece)) await new Promise((resolve) => child.stdin.once("drain", resolve));
  }
  child.stdin.end();
  const [stdout, stderr] = await outputs;
  return { code: await ended, stdout, stderr };
}

const l06: HostileCase = {
  id: "sec-L06",
  server: "a list on stdin: a line of 100 MB, private addresses in several spellings, escape characters",
  expected: "each is reported and skipped; no request to a private address",
  serve: async (stage) => ({ url: await stage.http({}), folder: emptyFolder() }),
  async run(context) {
    const { port } = new URL(context.url());
    function* lines(): Generator<string> {
      for (let sent = 0; sent < 100; sent++) yield "x".repeat(1e6);
      yield "\n";
      for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"]) {
        yield `http://${host}:${port}/\n`;
      }
      yield "\u001b[31m\n";
    }
    const { code, stdout, stderr } = await runIn(String(context.site["folder"]), ["ls", "-"], lines());
    context.expectEqual(code, 3, "exit code");
    context.expectEqual(stdout, "", "stdout");
    context.expectEqual(stderr.match(/is a private address/g)?.length, 6, "refused private addresses");
    context.expect(stderr.includes("line 1: the line has more than 8192 characters"), "the long line");
    for (const line of stderr.trimEnd().split("\n")) context.tell(line, "a line of stderr");
    context.expectEqual((await context.facts()).requestCount, 0, "requests");
    return "8 lines refused, no request";
  },
};

const REFUSED = [
  "onChange",
  "webhook",
  "proxy",
  "allow",
  "allowPrivate",
  "auth",
  "authFile",
  "header",
  "output",
];
const ALSO_REFUSED = [
  "webhookSecretFile",
  "force",
  "logFile",
  "cacert",
  "insecure",
  "snapshot",
  "snapshots",
  "csvRaw",
  "quiet",
];

const l07: HostileCase = {
  id: "sec-L07",
  server:
    "a folder with siteatlas.config.js and .mjs, and a siteatlas.config.json that runs, sends and writes",
  expected: "no program is executed; the JSON file is refused, by file and setting",
  serve: async () => {
    const folder = emptyFolder();
    const program = 'import { writeFileSync } from "node:fs"; writeFileSync("ran", ""); export default {};';
    for (const name of ["siteatlas.config.js", "siteatlas.config.mjs"]) {
      writeFileSync(join(folder, name), program);
    }
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const site: Record<string, string> = { programs: folder };
    for (const name of [...REFUSED, ...ALSO_REFUSED]) {
      site[name] = emptyFolder();
      writeFileSync(join(site[name], "siteatlas.config.json"), JSON.stringify({ [name]: "touch ran" }));
    }
    return site;
  },
  async run(context) {
    const { programs, ...folders } = context.site;
    const parsed = await runIn(String(programs), ["parse", "-"], ["https://www.example.com/\n"]);
    context.expectEqual(parsed.code, 0, "exit code beside a program");
    context.expect(parsed.stderr.includes("was not read, because it is a program"), "the note");
    context.expect(!existsSync(join(String(programs), "ran")), "a program was executed");
    for (const [name, folder] of Object.entries(folders)) {
      const { code, stderr } = await runIn(String(folder), ["parse", "-"]);
      context.expectEqual(code, 2, `exit code with ${name}`);
      const wanted = `siteatlas.config.json in the current directory may not set ${name}:`;
      context.expect(stderr.includes(wanted), `${name}: ${stderr}`);
    }
    return `2 programs not executed, ${Object.keys(folders).length} settings refused`;
  },
};

const l08: HostileCase = {
  id: "sec-L08",
  server: "a siteatlas.config.json that is a named pipe, a link to /dev/zero, a folder, 2 MB, deep JSON",
  expected: "an error at once; nothing is read without end",
  serve: async () => {
    const create: Readonly<Record<string, (path: string) => void>> = {
      pipe: (path) => execFileSync("mkfifo", [path]),
      device: (path) => symlinkSync("/dev/zero", path),
      folder: (path) => mkdirSync(path),
      large: (path) => writeFileSync(path, " ".repeat(2e6)),
      deep: (path) => writeFileSync(path, '{"fields":'.repeat(1e5)),
      list: (path) => writeFileSync(path, `{"include":${"[".repeat(2e5)}${"]".repeat(2e5)}}`),
    };
    const site: Record<string, string> = {};
    for (const [name, make] of Object.entries(create)) {
      site[name] = emptyFolder();
      make(join(site[name], "siteatlas.config.json"));
    }
    return site;
  },
  async run(context) {
    for (const [name, folder] of Object.entries(context.site)) {
      const { code, stdout, stderr } = await runIn(String(folder), ["parse", "-"]);
      context.expectEqual([code, stdout], [2, ""], `exit code and stdout with ${name}`);
      context.expect(stderr.includes("siteatlas.config.json"), `${name}: ${stderr}`);
      context.tell(stderr.trimEnd(), name);
    }
    return `${Object.keys(context.site).length} refused`;
  },
};

export const cases: readonly HostileCase[] = [l01, l02, l03, l04, l05, l06, l07, l08];
