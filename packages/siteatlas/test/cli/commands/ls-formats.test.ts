/** Every format of `ls` as a process: its content, and errors of the output. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openSite, robotsTxt, type TestSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli, runShell, steady } from "../support/cli.ts";
import {
  type Row,
  readDelimited,
  readNdjson,
  readParquet,
  readSqlite,
  sqlite,
} from "../support/read-outputs.ts";
import { openSmallSite, SMALL_SITE_PAGES } from "../support/small-site.ts";

buildCli();

/** Enough to fill a pipe in every format, even in compressed ones. */
function openLongSite(): Promise<TestSite> {
  const name = (number: number): string => createHash("md5").update(String(number)).digest("hex");
  return openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": urlset(Array.from({ length: 50_000 }, (_, number) => `${base}/${name(number)}`)),
  }));
}

const TEXT_FORMATS = ["urls", "ndjson", "json", "csv", "tsv", "tree"] as const;
const STREAM_FORMATS = [...TEXT_FORMATS, "parquet"] as const;
const FILES = ["a.txt", "a.ndjson", "a.json", "a.csv", "a.tsv", "a.tree", "a.parquet"];
const ALL_FILES = sqlite === undefined ? FILES : [...FILES, "a.sqlite"];

describe("output", () => {
  it.each(["json", "tsv", "urls"])("%s", async (format) => {
    const site = await openSmallSite();
    const { code, stdout } = await runCli(["ls", site.url, "--ordered", "-f", format]);
    expect(code).toBe(0);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot(`../golden/ls.${format}`);
  });

  it("is the same in all formats", async () => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    const read = async (file: string): Promise<Row[]> => {
      const raw = file.endsWith("sv") ? ["--csv-raw"] : [];
      const { code, stdout } = await runCli(["ls", site.url, "--ordered", ...raw, "-o", file], { cwd });
      expect([file, code, stdout]).toEqual([file, 0, ""]);
      const path = join(cwd, file);
      if (file.endsWith(".parquet")) return (await readParquet(path)).rows;
      if (file.endsWith(".sqlite")) return readSqlite(path);
      const text = readFileSync(path, "utf8");
      if (file.endsWith(".json")) return JSON.parse(text) as Row[];
      if (file.endsWith("sv")) return readDelimited(text, file.endsWith(".csv") ? "," : "\t");
      return readNdjson(text);
    };
    const expected = await read("a.ndjson");
    expect(expected.map(({ url }) => url)).toEqual(SMALL_SITE_PAGES.map((path) => site.url + path));
    for (const file of ALL_FILES.filter((name) => !/\.(?:txt|tree|ndjson)$/.test(name))) {
      expect(await read(file), file).toEqual(expected);
    }
  });

  it("has metadata of the run in Parquet", async () => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    await runCli(["ls", site.url, "-o", "a.parquet"], { cwd });
    const { meta } = await readParquet(join(cwd, "a.parquet"));
    expect(meta).toMatchObject({ tool: "siteatlas ls", sites: site.url, pages: "10", partial: "true" });
  });

  it.each(TEXT_FORMATS)("%s is compressed if the name ends in .gz", async (format) => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    const args = ["ls", site.url, "--ordered", "-f", format];
    const { stdout } = await runCli(args);
    expect((await runCli([...args, "-o", "pages.gz"], { cwd })).code).toBe(0);
    expect(readdirSync(cwd)).toEqual(["pages.gz"]);
    expect(gunzipSync(readFileSync(join(cwd, "pages.gz"))).toString()).toBe(stdout);
  });

  it.skipIf(sqlite !== undefined)("reports what SQLite needs (skipped: this Node has it)", async () => {
    const { code, stderr } = await runCli(["ls", "x.test", "-o", "a.sqlite"]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `error: cannot write a.sqlite: SQLite needs Node 22.13 or later\n  Update Node (you have ${process.versions.node}), or write .parquet, .csv or .ndjson.\n`,
    );
  });
});

describe("output that fails", () => {
  it.each(ALL_FILES)("%s that exists is kept, and no request is sent", async (file) => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    writeFileSync(join(cwd, file), "mine");
    const { code, stderr } = await runCli(["ls", site.url, "-o", file], { cwd });
    expect([code, stderr]).toEqual([2, `error: ${file} already exists\n  Replace it with --force.\n`]);
    expect(readFileSync(join(cwd, file), "utf8")).toBe("mine");
    expect(site.requests).toEqual([]);
    expect((await runCli(["ls", site.url, "-o", file, "--force"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, file), "latin1")).not.toBe("mine");
    expect(readdirSync(cwd)).toEqual([file]);
  });

  it.each(ALL_FILES)("%s in a folder that is read-only", async (file) => {
    const cwd = emptyFolder();
    chmodSync(cwd, 0o555);
    // For root, no folder would be read-only.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    const { code, stderr } = await runCli(["ls", "x.test", "-o", join(cwd, file)], { cwd: "/", uid });
    expect([code, stderr]).toEqual([2, `error: cannot write ${join(cwd, file)}: permission denied\n`]);
  });

  it.each(STREAM_FORMATS)("%s into a device that is full", async (format) => {
    const site = await openSmallSite();
    const message = (where: string): string => `error: cannot write ${where}: no space left on the device\n`;
    const piped = await runShell(`$SITEATLAS ls ${site.url} -f ${format} --progress none > /dev/full`);
    expect([piped.code, piped.stderr]).toEqual([1, message("stdout")]);
    const named = await runShell(`$SITEATLAS ls ${site.url} -f ${format} --progress none -o /dev/full`);
    expect([named.code, named.stderr]).toEqual([1, message("/dev/full")]);
  });

  it.each([...ALL_FILES, "a.ndjson.gz"])("%s beyond ulimit -f leaves nothing behind", async (file) => {
    const site = await openLongSite();
    const cwd = emptyFolder();
    const { code, stdout, stderr } = await runShell(
      `ulimit -f 20; $SITEATLAS ls ${site.url} -o ${file} --progress none`,
      cwd,
    );
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`^error: cannot write ${file}: [^\\n]+\\n$`));
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("a pipe that closes", () => {
  it.each(STREAM_FORMATS)("ends silently with success: %s", async (format) => {
    const site = await openLongSite();
    const { stdout, stderr } = await runShell(
      `$SITEATLAS ls ${site.url} -f ${format} --progress none | head -c 1 > /dev/null; echo "\${PIPESTATUS[0]}"`,
    );
    expect([stdout, stderr]).toEqual(["0\n", ""]);
  });
});

const hasShell = (name: string): boolean => spawnSync(name, ["-c", "exit 0"]).status === 0;

describe("completion", () => {
  it.skipIf(!hasShell("zsh"))("is zsh (skipped: no zsh)", async () => {
    const { code, stdout, stderr } = await runShell(`
      set -e
      $SITEATLAS completion zsh > _siteatlas
      zsh -n _siteatlas
      zsh -f -c 'autoload -Uz compinit && compinit -D -u && fpath=(. $fpath) && autoload -Uz _siteatlas && echo $+functions[_siteatlas]'
    `);
    expect([code, stdout, stderr]).toEqual([0, "1\n", ""]);
  });

  it.skipIf(!hasShell("fish"))("completes in fish (skipped: no fish)", async () => {
    const { code, stdout, stderr } = await runShell(`
      set -e
      export HOME=$PWD
      $SITEATLAS completion fish > siteatlas.fish
      fish --no-execute siteatlas.fish
      try() { fish --no-config -c "source siteatlas.fish; complete -C '$1'" | cut -f 1; }
      try 'siteatlas st'
      try 'siteatlas ls --max-d'
      try 'siteatlas ls --format nd'
      try 'siteatlas completion z'
    `);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual(["stats", "--max-decoded-bytes", "--max-depth", "ndjson", "zsh", ""]);
  });
});
