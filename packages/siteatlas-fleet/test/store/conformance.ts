/**
 * The conformance suite for stores: an object is complete or absent, even if a process dies during a `put`, and keys
 * mean the same in every store.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MissingObjectError } from "../../src/store/object-key.ts";
import type { ObjectStore, StoredObject } from "../../src/store/object-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { isWhole, selfProving } from "./self-proving.ts";

export interface StoreUnderTest {
  /** Returns the URL of a new, empty store at each call. */
  readonly newUrl: () => string | Promise<string>;
  /** Folder for local files. */
  readonly scratchParent: string;
}

const ODD_KEYS: readonly string[] = [
  "pages/date=2026-11-15/shard=0007/www.example.com.e12-0.parquet",
  "pages/date=2026-11-15/shard=0007/127.0.0.1!8080.e12-0.parquet",
  "with spaces and  two of them",
  "plus+plus/percent%20/100%",
  "ümläute/日本語/\u{1F600}",
  "e\u0301 is not \u00e9",
  "quotes'\"`/angle<>/amp&amp;/semi;comma,at@",
  "question?mark#hash/star*brackets[]{}()",
  "tilde~caret^pipe|dollar$colon:equals=",
  "trailing.dot./a..b/x...",
  "CASE/Case/case",
  `${"long".repeat(60)}/${"name".repeat(60)}`,
];

const REFUSED_KEYS: readonly string[] = [
  "",
  "/absolute",
  "a//b",
  "a/",
  ".",
  "..",
  "../a",
  "a/../b",
  "a/./b",
  ".hidden",
  "a/.put-0123456789abcdef",
  "a\\..\\b",
  "line\nbreak",
  "nul\0",
  "\u007f",
  "\u0085",
  "half\ud83d",
  "x".repeat(241),
  `${"x/".repeat(450)}x`,
];

export function describeStore(name: string, { newUrl, scratchParent }: StoreUnderTest): void {
  describe(name, () => {
    let url: string;
    let store: ObjectStore;
    let scratch: string;

    beforeEach(async () => {
      scratch = mkdtempSync(join(scratchParent, "siteatlas-store-"));
      url = await newUrl();
      store = await openStore(url);
    });
    afterEach(async () => {
      await store.close();
      rmSync(scratch, { recursive: true, force: true });
    });

    function localFile(content: string | Uint8Array): string {
      const path = join(scratch, `in-${randomBytes(6).toString("hex")}`);
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    }
    const put = (key: string, content: string | Uint8Array, to = store) => to.put(key, localFile(content));
    async function get(key: string, from = store): Promise<Buffer> {
      const path = join(scratch, `out-${randomBytes(6).toString("hex")}`);
      await from.get(key, path);
      return readFileSync(path);
    }
    async function list(prefix = "", from = store): Promise<StoredObject[]> {
      const objects: StoredObject[] = [];
      for await (const object of from.list(prefix)) objects.push(object);
      return objects.sort((a, b) => (a.key < b.key ? -1 : 1));
    }
    const keys = async (prefix?: string) => (await list(prefix)).map(({ key }) => key);

    it("returns what was put, and removes the local file", async () => {
      const file = localFile("content");
      const before = Date.now();
      await store.put("a/b.txt", file);
      expect(existsSync(file)).toBe(false);
      expect((await get("a/b.txt")).toString()).toBe("content");
      const objects = await list();
      expect(objects).toEqual([{ key: "a/b.txt", bytes: 7, modifiedAt: expect.any(Date) }]);
      // S3 and some file systems have a resolution of one second.
      expect(objects[0]!.modifiedAt.getTime()).toBeGreaterThan(before - 2000);
      expect(objects[0]!.modifiedAt.getTime()).toBeLessThan(Date.now() + 2000);
    });

    it("replaces an object by a longer or shorter one", async () => {
      for (const content of ["first", "the second, which is longer", "3"]) {
        await put("a", content);
        expect((await get("a")).toString()).toBe(content);
        expect(await list()).toMatchObject([{ key: "a", bytes: content.length }]);
      }
    });

    it.each([0, 1, 1024 * 1024, 1024 * 1024 + 1, 10_000_000])("keeps an object of %i bytes", async (size) => {
      const content = randomBytes(size);
      await put("object", content);
      expect((await get("object")).equals(content)).toBe(true);
      expect(await list()).toMatchObject([{ key: "object", bytes: size }]);
    });

    it("reports a missing object, and leaves no local file", async () => {
      await put("a/b", "content");
      for (const key of ["nothing", "a", "a/b/c", "a/bc"]) {
        const error = await store.get(key, join(scratch, "out")).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(MissingObjectError);
        expect(error).toMatchObject({ key, message: `Cannot find the object ${JSON.stringify(key)}` });
      }
      expect(readdirSync(scratch)).toEqual([]);
    });

    it("replaces an existing local file", async () => {
      await put("a", "short");
      const path = join(scratch, "out");
      writeFileSync(path, "something that is longer");
      await store.get("a", path);
      expect(readFileSync(path, "utf8")).toBe("short");
    });

    it("rejects a missing local file, and keeps the object", async () => {
      await put("a", "content");
      await expect(store.put("a", join(scratch, "nothing"))).rejects.toMatchObject({ code: "ENOENT" });
      expect((await get("a")).toString()).toBe("content");
    });

    it("deletes objects, and ignores absent ones", async () => {
      for (const key of ["a/1", "a/2", "b/c/d", "e"]) await put(key, key);
      await store.delete([]);
      await store.delete(["a/1", "a/3", "b/c/d", "z/y/x", "a/1"]);
      expect(await keys()).toEqual(["a/2", "e"]);
      await store.delete(["a/1"]);
      await expect(get("a/1")).rejects.toBeInstanceOf(MissingObjectError);
      await put("b/c/d", "again");
      expect(await keys()).toEqual(["a/2", "b/c/d", "e"]);
    });

    it("lists the keys with a prefix", async () => {
      const all = ["day=1/a", "day=1/b/c", "day=10/a", "day=2/a", "x"];
      for (const key of all) await put(key, key);
      expect(await keys("")).toEqual(all);
      expect(await keys("day=1")).toEqual(["day=1/a", "day=1/b/c", "day=10/a"]);
      expect(await keys("day=1/")).toEqual(["day=1/a", "day=1/b/c"]);
      expect(await keys("day=1/b/c")).toEqual(["day=1/b/c"]);
      expect(await keys("day=1/b/c/")).toEqual([]);
      expect(await keys("nothing/of/that")).toEqual([]);
      for (const prefix of ["../", "/", "a//", ".", "a/../", "a\n"]) {
        await expect(keys(prefix)).rejects.toThrow(TypeError);
      }
    });

    it("lists and deletes 1,500 objects", { timeout: 120_000 }, async () => {
      const all = Array.from(
        { length: 1500 },
        (_, i) => `many/${i % 7}/object-${String(i).padStart(4, "0")}`,
      ).sort();
      await eachOf(all, 16, (key) => put(key, key));
      await put("other", "stays");
      expect(await keys("many/")).toEqual(all);
      await store.delete(all);
      expect(await keys()).toEqual(["other"]);
    });

    it("deletes while it lists", async () => {
      const all = Array.from({ length: 200 }, (_, i) => `many/${i % 7}/object-${String(i).padStart(4, "0")}`);
      await eachOf(all, 16, (key) => put(key, key));
      for await (const { key } of store.list("many/")) await store.delete([key]);
      expect(await keys()).toEqual([]);
    });

    it.each(ODD_KEYS)("takes the key %s", async (key) => {
      await put("neighbour", "other");
      await put(key, `content of ${key}`);
      expect((await get(key)).toString()).toBe(`content of ${key}`);
      expect(await keys()).toEqual([key, "neighbour"].sort());
      const folder = key.slice(0, key.lastIndexOf("/") + 1);
      expect(await keys(folder === "" ? key : folder)).toEqual([key]);
      await store.delete([key, "absent"]);
      expect(await keys()).toEqual(["neighbour"]);
    });

    it.each(REFUSED_KEYS)("refuses the key %j, and writes nothing", async (key) => {
      const file = localFile("content");
      await expect(store.put(key, file)).rejects.toThrow(TypeError);
      await expect(store.get(key, join(scratch, "out"))).rejects.toThrow(TypeError);
      await expect(store.delete(["fine", key])).rejects.toThrow(TypeError);
      expect(() => store.address(key)).toThrow(TypeError);
      expect(existsSync(file)).toBe(true);
      expect(await keys()).toEqual([]);
    });

    it("gives readers a complete object during many puts of one key", {
      timeout: 60_000,
    }, async () => {
      const contents = Array.from({ length: 12 }, (_, i) => selfProving(1_500_000 + i * 100_000));
      await put("contested", contents[0]!);
      let isDone = false;
      const reading = (async () => {
        let count = 0;
        for (; !isDone; count++) expect(isWhole(await get("contested"))).toBe(true);
        return count;
      })();
      await Promise.all(contents.map((content) => put("contested", content)));
      isDone = true;
      expect(await reading).toBeGreaterThan(0);
      const winner = await get("contested");
      expect(contents.some((content) => content.equals(winner))).toBe(true);
      expect(await list()).toMatchObject([{ key: "contested", bytes: winner.length }]);
    });

    it("is the same store each time it is opened", async () => {
      const other = await openStore(url);
      await put("a", "from one", other);
      expect((await get("a")).toString()).toBe("from one");
      await other.close();
      expect((await get("a")).toString()).toBe("from one");
    });

    describe("a process that is killed in the middle of a put", () => {
      let child: string;

      beforeAll(async () => {
        const folder = fileURLToPath(
          new URL(`../../../../.cache/fleet-store-${process.pid}/`, import.meta.url),
        );
        mkdirSync(folder, { recursive: true });
        child = join(folder, "put-child.mjs");
        const entry = fileURLToPath(new URL("put-child.ts", import.meta.url));
        await build({
          entryPoints: [entry],
          outfile: child,
          bundle: true,
          platform: "node",
          format: "esm",
          packages: "external",
        });
      });
      afterAll(() => rmSync(join(child, ".."), { recursive: true, force: true }));

      it("leaves every object complete", { timeout: 120_000 }, async () => {
        let interrupted = 0;
        for (let round = 0; round < 20; round++) {
          if (await killWhilePutting(child, [url, scratch])) interrupted++;
          for (const { key, bytes } of await list()) {
            const content = await get(key);
            expect([key, content.length, isWhole(content)]).toEqual([key, bytes, true]);
          }
        }
        expect(interrupted).toBeGreaterThan(0);
        // The store still works.
        await put("after", "all");
        expect((await get("after")).toString()).toBe("all");
      });
    });
  });
}

/** @returns whether a put was in progress */
async function killWhilePutting(script: string, args: readonly string[]): Promise<boolean> {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  let last = "";
  const lines = createInterface(child.stdout!);
  lines.on("line", (line) => {
    last = line;
  });
  await Promise.race([once(lines, "line"), closed]);
  await sleep(20 + Math.random() * 150);
  child.kill("SIGKILL");
  const [, signal] = await closed;
  expect(signal).toBe("SIGKILL");
  return last.startsWith("begin");
}

async function eachOf<T>(
  items: readonly T[],
  parallel: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
