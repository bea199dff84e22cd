/** Outputs of a real process: pipes that close or wait, disks that are full, folders that are read-only. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "./support/folder.ts";
import type { ChildOptions } from "./support/output-child.ts";
import { sqlite } from "./support/read-outputs.ts";

let bundles: string;
let child: string;

beforeAll(async () => {
  bundles = mkdtempSync(join(tmpdir(), "siteatlas-output-child-"));
  chmodSync(bundles, 0o755);
  child = join(bundles, "child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("support/output-child.ts", import.meta.url))],
    outfile: child,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
});

afterAll(() => rmSync(bundles, { recursive: true, force: true }));

function start(options: ChildOptions): ChildProcess {
  return spawn(process.execPath, [child, JSON.stringify(options)], { stdio: "pipe" });
}

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** In a shell, for what only a shell can do to a process; `$RUN` is the command. */
async function shell(script: string, options: ChildOptions, uid?: number): Promise<Ended> {
  const command = script.replace("$RUN", '"$0" "$1" "$2"');
  const args = ["-c", command, process.execPath, child, JSON.stringify(options)];
  const process_ = spawn("sh", args, {
    stdio: ["ignore", "ignore", "pipe"],
    ...(uid !== undefined && { uid }),
  });
  const [stderr, [code]] = await Promise.all([text(process_.stderr), once(process_, "close")]);
  return { code: code as number | null, stderr };
}

describe("stdout", () => {
  it("ends quietly when the reader has enough", async () => {
    const process_ = start({ format: "ndjson", count: 2_000_000 });
    const stderr = text(process_.stderr!);
    await once(process_.stdout!, "data");
    process_.stdout!.destroy();
    expect(await once(process_, "close")).toEqual([0, null]);
    expect(await stderr).toBe("closed\n");
  });

  it("shows the first page at once, and the next ones within moments", async () => {
    const process_ = start({ format: "urls", count: 3, paced: true });
    for (let i = 0; i < 3; i++) {
      const [bytes] = await once(process_.stdout!, "data");
      expect(String(bytes)).toMatch(new RegExp(`/article-${i}-\\S+\\n$`));
      process_.stdin!.write("\n");
    }
    expect(await once(process_, "close")).toEqual([0, null]);
  });

  it("waits for a slow reader instead of filling memory", async () => {
    const process_ = start({ format: "urls", count: 100_000 });
    const [told] = await once(process_.stderr!, "data");
    const [, after] = /^waits after (\d+)/.exec(String(told)) ?? [];
    // Three pieces of 256 KB and a pipe of 64 KB, at 73 bytes a page.
    expect(Number(after)).toBeLessThan(15_000);
    const urls = (await text(process_.stdout!)).split("\n");
    expect(urls.length).toBe(100_001);
    expect(urls[99_999]).toContain("/article-99999-");
  });

  it("tells of a full disk", async () => {
    expect(await shell("$RUN > /dev/full", { format: "csv", count: 10 })).toEqual({
      code: 1,
      stderr: "Cannot write stdout: no space left on the device\n",
    });
  });

  it("tells of a file that may not grow", async () => {
    const file = join(testFolder(), "pages.txt");
    expect(await shell(`ulimit -f 100; $RUN > ${file}`, { format: "urls", count: 10_000 })).toEqual({
      code: 1,
      stderr: "Cannot write stdout: the file would be larger than allowed (ulimit -f)\n",
    });
    expect(statSync(file).size).toBeGreaterThan(50_000);
  });

  it("holds a whole Parquet file in a pipe", async () => {
    const process_ = start({ format: "parquet", count: 10 });
    const bytes = await text(process_.stdout!.setEncoding("latin1"));
    expect(bytes.slice(0, 4) + bytes.slice(-4)).toBe("PAR1PAR1");
  });

  it("takes /dev/stdout for what it is", async () => {
    const file = join(testFolder(), "pages.txt");
    const script = `${"$RUN"} | cat > ${file}`;
    expect(await shell(script, { format: "urls", count: 2, file: "/dev/stdout" })).toEqual({
      code: 0,
      stderr: "done\n",
    });
    expect(readFileSync(file, "utf8").split("\n").length).toBe(3);
  });
});

const files = [
  "pages.csv",
  "pages.ndjson.gz",
  "pages.parquet",
  ...(sqlite === undefined ? [] : ["pages.sqlite"]),
];

const formatOf = (name: string) => name.split(".")[1] as ChildOptions["format"];

describe.each(files)("%s", (name) => {
  it("leaves no half file when the disk is full", async () => {
    const folder = testFolder();
    const file = join(folder, name);
    const { code, stderr } = await shell("ulimit -f 200; $RUN", {
      format: formatOf(name),
      count: 60_000,
      file,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot write \S+: [^\n]+\n$/);
    expect(stderr).toContain(file);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves no half file when the process is left", async () => {
    const folder = testFolder();
    const { code } = await shell("$RUN", {
      format: formatOf(name),
      count: 60_000,
      exitAfter: 55_000,
      file: join(folder, name),
    });
    expect(code).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is written without a word on stderr but its own", async () => {
    const file = join(testFolder(), name);
    expect(await shell("$RUN", { format: formatOf(name), count: 10, file })).toEqual({
      code: 0,
      stderr: "done\n",
    });
    expect(existsSync(file)).toBe(true);
  });
});

it("tells of a read-only folder", async () => {
  const folder = testFolder();
  chmodSync(folder, 0o555);
  const file = join(folder, "pages.csv");
  // To root no folder is read-only.
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined;
  const ended = await shell("$RUN", { format: "csv", count: 10, file }, nobody);
  expect(ended).toEqual({ code: 2, stderr: `Cannot write ${file}: permission denied\n` });
});

it("tells of a file that is there, and what to do", async () => {
  const file = join(testFolder(), "pages.csv");
  writeFileSync(file, "");
  expect(await shell("$RUN", { format: "csv", count: 10, file })).toEqual({
    code: 2,
    stderr: `Cannot write ${file}: it exists already (--force overwrites it)\n`,
  });
});
