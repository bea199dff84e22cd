/** A store in a folder: files from the same file system and from another one, and a full disk. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { DirectoryStore } from "../../src/store/directory-store.ts";
import type { ObjectStore } from "../../src/store/object-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { describeStore } from "./conformance.ts";

const parent = mkdtempSync(join(tmpdir(), "siteatlas-directory-store-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

let count = 0;
const newFolder = (): string => join(parent, `store-${count++}`, "of parts");

describeStore("a folder, and local files on its file system", { newUrl: newFolder, scratchParent: parent });

const elsewhere = otherFileSystem();
if (elsewhere === undefined) {
  it.skip("a folder, and local files on another file system (skipped: /dev/shm is none, or closed)");
} else {
  describeStore("a folder, and local files on another file system", {
    newUrl: newFolder,
    scratchParent: elsewhere,
  });
}

function otherFileSystem(): string | undefined {
  const path = "/dev/shm";
  if (!existsSync(path) || statSync(path).dev === statSync(parent).dev) return undefined;
  try {
    accessSync(path, constants.W_OK);
    return path;
  } catch {
    return undefined;
  }
}

function localFile(content: string | Uint8Array, folder = parent): string {
  const path = join(folder, `in-${randomBytes(6).toString("hex")}`);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list("")) keys.push(key);
  return keys.sort();
}

/** All files, including those that listings hide. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();

it("is at its path or URL, and its addresses are paths", async () => {
  const folder = newFolder();
  const store = await openStore(pathToFileURL(folder).href);
  await store.put("a/b", localFile("content"));
  expect(store.address("a/b")).toBe(join(folder, "a", "b"));
  expect(statSync(store.address("a/b")).size).toBe(7);
});

it("gives objects the mode of the umask, whatever the mode of the local file", async () => {
  const folder = newFolder();
  const store = await DirectoryStore.open(folder);
  for (const place of [parent, ...(elsewhere === undefined ? [] : [elsewhere])]) {
    await store.put("object", localFile("content", place));
    expect(statSync(join(folder, "object")).mode & 0o777).toBe(0o666 & ~process.umask());
  }
});

it("does not list hidden files, links and folders", async () => {
  const folder = newFolder();
  const store = await DirectoryStore.open(folder);
  await store.put("a/object", localFile("content"));
  writeFileSync(join(folder, ".DS_Store"), "");
  writeFileSync(join(folder, "a", "back\\slash"), "");
  mkdirSync(join(folder, "empty"));
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".git", "config"), "");
  symlinkSync("/etc/passwd", join(folder, "link"));
  symlinkSync("/etc", join(folder, "linked"));
  expect(await keysOf(store)).toEqual(["a/object"]);
});

it("removes folders that become empty, but never the store itself", async () => {
  const folder = newFolder();
  const store = await DirectoryStore.open(folder);
  for (const key of ["a/b/c/1", "a/b/c/2", "a/3"]) await store.put(key, localFile(key));
  await store.delete(["a/b/c/1"]);
  expect(readdirSync(join(folder, "a/b/c"))).toEqual(["2"]);
  await store.delete(["a/b/c/2"]);
  expect(readdirSync(join(folder, "a"))).toEqual(["3"]);
  await store.delete(["a/3"]);
  expect(readdirSync(folder)).toEqual([]);
});

it("puts into folders that are removed at the same time", async () => {
  const store = await DirectoryStore.open(newFolder());
  let isDone = false;
  const removing = (async () => {
    while (!isDone) await store.delete(["a/b/other"]);
  })();
  for (let i = 0; i < 200; i++) {
    await store.put("a/b/object", localFile("content"));
    await store.delete(["a/b/object"]);
  }
  isDone = true;
  await removing;
  await store.put("a/b/object", localFile("content"));
  expect(await keysOf(store)).toEqual(["a/b/object"]);
});

it("keeps the local file if the put fails", async () => {
  const folder = newFolder();
  const store = await DirectoryStore.open(folder);
  await store.put("a/b", localFile("content"));
  // A key that is a folder of another key fails here. S3 would accept it, so neither may be relied on.
  for (const place of [parent, ...(elsewhere === undefined ? [] : [elsewhere])]) {
    const file = localFile("other", place);
    onTestFinished(() => rmSync(file));
    await expect(store.put("a", file)).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
    await expect(store.put("a/b/c", file)).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
    expect(existsSync(file)).toBe(true);
    expect(filesIn(folder)).toEqual(["b"]);
  }
  expect(await keysOf(store)).toEqual(["a/b"]);
});

it("sweeps old temporary files of unfinished puts, and nothing else", async () => {
  const folder = newFolder();
  const store = await DirectoryStore.open(folder);
  await store.put("a/object", localFile("content"));
  for (const [name, hours] of [
    [".put-0123456789abcdef", 2],
    [".put-fedcba9876543210", 0],
    [".put-by-somebody-else", 2],
    ["put-0123456789abcdef", 2],
  ] as const) {
    const path = join(folder, "a", name);
    writeFileSync(path, "half");
    const time = Date.now() / 1000 - hours * 3600;
    utimesSync(path, time, time);
  }
  expect(await store.sweepTemporary(3_600_000)).toBe(1);
  expect(filesIn(folder)).toEqual([
    ".put-by-somebody-else",
    ".put-fedcba9876543210",
    "object",
    "put-0123456789abcdef",
  ]);
  expect(await store.sweepTemporary(0)).toBe(1);
});

describe("a full disk", () => {
  const isRoot = process.platform === "linux" && process.getuid?.() === 0;

  /** A file system of one megabyte, or undefined if mounting is not allowed. */
  function smallDisk(): string | undefined {
    const path = mkdtempSync(join(parent, "disk-"));
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", path], { stdio: "pipe" });
    } catch {
      return undefined;
    }
    onTestFinished(() => void execFileSync("umount", [path]));
    return path;
  }

  it.skipIf(!isRoot)(
    "is told, and leaves nothing behind (skipped: only root may mount one)",
    async (context) => {
      const disk = smallDisk();
      if (disk === undefined) return context.skip("this machine lets nobody mount a file system");
      const store = await DirectoryStore.open(join(disk, "store"));
      await store.put("small", localFile("content"));
      await store.put("replaced", localFile(randomBytes(300_000)));
      for (const key of ["large", "replaced", "in/a/folder"]) {
        const file = localFile(randomBytes(2_000_000));
        await expect(store.put(key, file)).rejects.toMatchObject({ code: "ENOSPC" });
        expect(statSync(file).size).toBe(2_000_000);
      }
      expect(filesIn(disk)).toEqual(["replaced", "small"]);
      expect(statSync(store.address("replaced")).size).toBe(300_000);
      // Deleting makes room.
      await store.delete(["replaced"]);
      await store.put("fits", localFile(randomBytes(600_000)));
      expect(await keysOf(store)).toEqual(["fits", "small"]);
    },
  );

  it.skipIf(!isRoot)(
    "on the local side leaves no half file (skipped: only root may mount one)",
    async (context) => {
      const disk = smallDisk();
      if (disk === undefined) return context.skip("this machine lets nobody mount a file system");
      const store = await DirectoryStore.open(newFolder());
      await store.put("large", localFile(randomBytes(2_000_000)));
      await expect(store.get("large", join(disk, "out"))).rejects.toMatchObject({ code: "ENOSPC" });
      expect(filesIn(disk)).toEqual([]);
    },
  );
});
