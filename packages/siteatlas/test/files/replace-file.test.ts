/** A replaced file keeps its mode, and the symbolic link that leads to it. */
import { once } from "node:events";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { replaceFile } from "../../src/files/replace-file.ts";
import { loadTree, parseSitemap, readSnapshot, saveTree, syncSite } from "../../src/index.ts";
import { openSite, robotsTxt, type TestSite, urlset } from "../support/test-site.ts";

let folder: string;
let file: string;
/** For `syncSite`: the same site for each sync of a test. */
let opened: Promise<TestSite> | undefined;
beforeEach(() => {
  opened = undefined;
  folder = mkdtempSync(join(tmpdir(), "siteatlas-replace-"));
  file = join(folder, "example.gz");
  return () => rmSync(folder, { recursive: true, force: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** The functions of the library that write a file. Each can write it again. */
const WRITERS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  replaceFile: (path) => replaceFile(path, (handle) => handle.writeFile("new")),
  saveTree: async (path) => saveTree(await parseSitemap("https://example.com/a"), path),
  syncSite: async (path) => {
    opened ??= openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/a`]),
    }));
    const site = await opened;
    for await (const _ of syncSite(site.url, { snapshot: path, useKnownPaths: false }));
  },
};

describe.each(Object.entries(WRITERS))("%s", (name, write) => {
  it.each([0o600, 0o640, 0o666, 0o400])("keeps the mode %o", async (mode) => {
    await write(file);
    chmodSync(file, mode);
    const { ino } = statSync(file);
    await write(file);
    expect(modeOf(file)).toBe(mode);
    expect(statSync(file).ino).not.toBe(ino);
    expect(readdirSync(folder)).toEqual(["example.gz"]);
  });

  it("follows the umask for a new file", async () => {
    const before = process.umask(0o027);
    try {
      await write(file);
    } finally {
      process.umask(before);
    }
    expect(modeOf(file)).toBe(0o640);
  });

  it("replaces the file that a symbolic link leads to", async () => {
    // `data/linked/..` is `other`, not `data`.
    mkdirSync(join(folder, "other", "real"), { recursive: true });
    mkdirSync(join(folder, "data"));
    symlinkSync("../other/real", join(folder, "data", "linked"));
    symlinkSync("data/linked/../second", file);
    symlinkSync("target.gz", join(folder, "other", "second"));
    const target = join(folder, "other", "target.gz");
    // The first time, the target does not exist.
    for (const mode of [undefined, 0o600]) {
      if (mode !== undefined) chmodSync(target, mode);
      await write(file);
      expect(lstatSync(file).isSymbolicLink()).toBe(true);
      expect(readlinkSync(file)).toBe("data/linked/../second");
      expect(lstatSync(target).isFile()).toBe(true);
      expect(readdirSync(join(folder, "other")).sort()).toEqual(["real", "second", "target.gz"]);
      expect(readdirSync(folder).sort()).toEqual(["data", "example.gz", "other"]);
    }
    expect(modeOf(target)).toBe(0o600);
  });

  it("does not follow links in a cycle", async () => {
    symlinkSync("example.gz", file);
    await expect(write(file)).rejects.toMatchObject({ code: "ELOOP" });
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it("writes a file whose name has 255 bytes, and deletes its temporary files", async () => {
    for (const long of ["x".repeat(252), "ü".repeat(126)]) {
      const path = join(folder, `${long}.gz`);
      await write(path);
      await write(path);
      expect(statSync(path).size).toBeGreaterThan(0);
      rmSync(path);
      expect(readdirSync(folder), name).toEqual([]);
    }
  });
});

it("does not replace what is not a regular file, such as a socket, a pipe or a device", async () => {
  const server = createServer().listen(file);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  symlinkSync("example.gz", join(folder, "link"));
  for (const path of [file, join(folder, "link")]) {
    await expect(replaceFile(path, async () => {})).rejects.toMatchObject({
      code: "EINVAL",
      message: `Cannot replace ${path}: it is not a regular file`,
    });
  }
  expect(statSync(file).isSocket()).toBe(true);
});

it("a file: URL names the same file as its path", async () => {
  const [tree, snapshot] = [pathToFileURL(`${file}.tree`), pathToFileURL(file)];
  await saveTree(await parseSitemap("https://example.com/a"), tree);
  expect((await loadTree(`${file}.tree`, { root: "any" })).pages.length).toBe(1);
  const site = await openSite(() => ({
    "/robots.txt": robotsTxt(["/a.xml"]),
    "/a.xml": "https://example.com/a",
  }));
  for await (const _ of syncSite(site.url, { snapshot, useKnownPaths: false }));
  const read = await readSnapshot(snapshot);
  expect(read.pageCount).toBe(1);
  await read.close();
  expect(readFileSync(file).length).toBeGreaterThan(0);
});
