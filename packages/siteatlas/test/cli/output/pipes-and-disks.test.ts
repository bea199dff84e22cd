/** Outputs of a real process: closed and slow pipes, full disks, read-only folders. */
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
import { testFolder } from "../support/folder.ts";
import type { ChildOptions } from "../support/output-child.ts";
import { sqlite } from "../support/read-outputs.ts";

let bundles: string;
let child: string;

beforeAll(async () => {
  bundles = mkdtempSync(join(tmpdir(), "siteatlas-output-child-"));
  chmodSync(bundles, 0o755);
  child = join(bundles, "child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../support/output-child.ts", import.meta.url))],
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

/** Runs a shell script with `$RUN` as the command. */
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
  it("ends silently when the reader closes the pipe", async () => {
    const process_ = start({ format: "ndjson", count: 2_000_000 });
    const stderr = text(process_.stderr!);
    await once(process_.stdout!, "data");
    process_.stdout!.destroy();
    expect(await once(process_, "close")).toEqual([0, null]);
    expect(await stderr).toBe("closed\n");
  });

  it("gets the first page at once, and the next ones soon", async () => {
    const process_ = start({ format: "urls", count: 3, paced: true });
    for (let i = 0; i < 3; i++) {
      const [bytes] = await once(process_.stdout!, "data");
      expect(String(bytes)).toMatch(new RegExp(`/article-${i}-\\S+\\n$`));
      process_.stdin!.write("\n");
    }
    expect(await once(process_, "close")).toEqual([0, null]);
  });

  it("waits for a slow reader instead of filling memory", async () => {
    const process_ = start({ format: "urls", count: 100_000, reportsWaits: true });
    const [told] = await once(process_.stderr!, "data");
    const [, after] = /^waits after (\d+)/.exec(String(told)) ?? [];
    // Three chunks of 256 KB and a pipe of 64 KB, at 73 bytes per page.
    expect(Number(after)).toBeLessThan(15_000);
    const urls = (await text(process_.stdout!)).split("\n");
    expect(urls.length).toBe(100_001);
    expect(urls[99_999]).toContain("/article-99999-");
  });

  it("reports a full disk", async () => {
    expect(await shell("$RUN > /dev/full", { format: "csv", count: 10 })).toEqual({
      code: 1,
      stderr: "cannot write stdout: no space left on the device\n",
    });
  });

  it("reports a file size limit", async () => {
    const file = join(testFolder(), "pages.txt");
    expect(await shell(`ulimit -f 100; $RUN > ${file}`, { format: "urls", count: 10_000 })).toEqual({
      code: 1,
      stderr: "cannot write stdout: the file would be larger than allowed (ulimit -f)\n",
    });
    expect(statSync(file).size).toBeGreaterThan(50_000);
  });

  it("takes a complete Parquet file in a pipe", async () => {
    const process_ = start({ format: "parquet", count: 10 });
    const bytes = await text(process_.stdout!.setEncoding("latin1"));
    expect(bytes.slice(0, 4) + bytes.slice(-4)).toBe("PAR1PAR1");
  });

  it("can be named /dev/stdout", async () => {
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
  it("leaves no incomplete file when the disk is full", async () => {
    const folder = testFolder();
    const file = join(folder, name);
    const { code, stderr } = await shell("ulimit -f 200; $RUN", {
      format: formatOf(name),
      count: 60_000,
      file,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cannot write \S+: [^\n]+\n$/);
    expect(stderr).toContain(file);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves no incomplete file when the process exits", async () => {
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

  it("is written without messages of Node on stderr", async () => {
    const file = join(testFolder(), name);
    expect(await shell("$RUN", { format: formatOf(name), count: 10, file })).toEqual({
      code: 0,
      stderr: "done\n",
    });
    expect(existsSync(file)).toBe(true);
  });
});

it("reports a read-only folder", async () => {
  const folder = testFolder();
  chmodSync(folder, 0o555);
  const file = join(folder, "pages.csv");
  // For root, no folder would be read-only.
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined;
  const ended = await shell("$RUN", { format: "csv", count: 10, file }, nobody);
  expect(ended).toEqual({ code: 2, stderr: `cannot write ${file}: permission denied\n` });
});

it("reports an existing file, and what to do", async () => {
  const file = join(testFolder(), "pages.csv");
  writeFileSync(file, "");
  expect(await shell("$RUN", { format: "csv", count: 10, file })).toEqual({
    code: 2,
    stderr: `${file} already exists (Replace it with --force.)\n`,
  });
});
