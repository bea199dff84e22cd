/** Snapshot files from strangers: whatever they contain, reading them works or throws a SnapshotError. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diffSnapshots } from "../../../src/sync/diff-snapshots.ts";
import { pageLine } from "../../../src/sync/snapshot/page-line.ts";
import { type ListedPage, readSnapshot } from "../../../src/sync/snapshot/read-snapshot.ts";
import { SnapshotError } from "../../../src/sync/snapshot/snapshot-error.ts";
import { resolveParents, type WrittenSitemap } from "../../../src/sync/snapshot/snapshot-format.ts";
import {
  bomb,
  type Forged,
  forgePages,
  forgeSnapshot,
  HEADER,
  LENGTH_AT,
  SITEMAP_URL,
} from "../../support/forged-snapshot.ts";

let folder: string;
let path: string;
let good: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "siteatlas-test-"));
  path = join(folder, "s.gz");
  good = join(folder, "good.gz");
  writeFileSync(good, forgeSnapshot());
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Reads everything, alone and compared with another snapshot. Returns the pages or the error. */
async function outcomeOf(bytes: Buffer): Promise<readonly ListedPage[] | SnapshotError> {
  writeFileSync(path, bytes);
  const pages: ListedPage[] = [];
  try {
    const snapshot = await readSnapshot(path);
    try {
      for await (const page of snapshot.pages()) pages.push(page);
      for await (const _ of diffSnapshots(good, snapshot));
    } finally {
      await snapshot.close();
    }
    return pages;
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return error;
  }
}

async function codeOf(bytes: Buffer): Promise<string> {
  const outcome = await outcomeOf(bytes);
  return outcome instanceof SnapshotError ? outcome.code : `${outcome.length} pages`;
}

describe("the header", () => {
  it("with correct values is read", async () => {
    expect(await codeOf(forgeSnapshot())).toBe("1 pages");
    expect(await codeOf(forgeSnapshot({ pending: {} }))).toBe("2 pages");
  });

  type Place = readonly (string | number)[];

  function* placesIn(value: unknown, place: Place = []): Generator<Place> {
    if (place.length > 0) yield place;
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      yield* placesIn(part, [...place, Array.isArray(value) ? Number(key) : key]);
    }
  }

  function withValue(root: unknown, [first, ...rest]: Place, value: unknown): unknown {
    if (first === undefined) return value;
    const copy: unknown = structuredClone(root);
    const holder = copy as Record<string | number, unknown>;
    holder[first] = withValue(holder[first], rest, value);
    return copy;
  }

  const WRONG: readonly unknown[] = [
    ...[null, -1, 0.5, 1e300, 2 ** 53, false, {}, [], [[]], [null], "", "x", "\u001b[31m", "a\nb: c"],
    "https://user:password@www.example.com/",
    "https://[/",
    "javascript:alert(1)",
  ];
  /** Texts that the format does not restrict. They are never printed raw. */
  const FREE = new Set(["declared", "children.0.1"]);

  function isPossible(place: Place, value: unknown, old: unknown): boolean {
    if (FREE.has(place.join("."))) return typeof value === "string";
    if (typeof old === "number") return value === 0.5 && place.includes("lastmod");
    if (Array.isArray(old)) return Array.isArray(value) && value.length === 0;
    if (place.join(".") === "evidence") return JSON.stringify(value) === "{}";
    return (
      ["etag", "lastModified", "contentHash"].includes(String(place[0])) &&
      typeof value === "string" &&
      /^[ -~]+$/.test(value) &&
      (place[0] !== "contentHash" || value === "x")
    );
  }

  const parts = (["facts", "sitemap", "pending"] as const).flatMap((part) =>
    [...placesIn(HEADER[part])].map((place) => [part, place.join("."), place] as const),
  );

  it.each(parts)("%s.%s must have its type and range", async (part, _, place) => {
    const old = place.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], HEADER[part]);
    for (const value of WRONG) {
      if (isPossible(place, value, old)) continue;
      const forged: Forged = { [part]: withValue(HEADER[part], place, value) };
      const code = await codeOf(forgeSnapshot(forged));
      const isVersion = part === "facts" && /^(?:format|version)$/.test(place.join("."));
      expect([code, value]).toEqual([isVersion ? "unsupported-version" : "invalid", value]);
    }
  });

  it("of an old version has counts, which are dropped, and no time of a complete read", async () => {
    const declarations = { held: 900, followed: 9, restless: 0, broken: 0 };
    const evidence = { declarations, unread: 3, unasked: 2 };
    writeFileSync(path, forgeSnapshot({ sitemap: { readAt: undefined, newestDate: undefined, evidence } }));
    const snapshot = await readSnapshot(path);
    expect(snapshot.sitemaps[0]).not.toHaveProperty("readAt");
    expect(snapshot.sitemaps[0]!.evidence).toEqual({ declarations });
    await snapshot.close();
  });

  it("of an old version has a score of its dates without sameDay", async () => {
    const lastmod = { score: 0.2, absent: 0, bulk: 1, generated: 0, future: 0, restamped: 0 };
    writeFileSync(path, forgeSnapshot({ sitemap: { lastmod } }));
    const snapshot = await readSnapshot(path);
    expect(snapshot.sitemaps[0]!.lastmod).toEqual({ ...lastmod, sameDay: 0 });
    await snapshot.close();
  });

  it("must describe its pending pages correctly", async () => {
    const invalid: readonly Forged[] = [
      { pending: { pageCount: 2 } },
      { pending: {}, pendingSection: "# pending:1\nhttps://www.example.com/a\n" },
      { pending: {}, pendingSection: "# pending:0\nhttps://user:password@www.example.com/a\n" },
      { pending: {}, pendingSection: "# pending:0\nhttps://www.example.com/\u001b\n" },
    ];
    for (const forged of invalid) expect(await codeOf(forgeSnapshot(forged))).toBe("invalid");
    const large = { pending: { section: { bytes: 2 ** 40, hash: "0".repeat(16), crc: 0 } } };
    expect(await codeOf(forgeSnapshot(large))).toBe("too-large");
  });

  it("must not have unknown properties, and must have all required ones", async () => {
    for (const part of ["facts", "sitemap", "pending"] as const) {
      expect(await codeOf(forgeSnapshot({ [part]: { more: 1 } }))).toBe("invalid");
      expect(await codeOf(forgeSnapshot({ [part]: JSON.parse('{"__proto__":{"x":1}}') as object }))).toBe(
        "invalid",
      );
    }
    const required = [
      "url",
      "source",
      "parents",
      "kind",
      "format",
      "children",
      "pageCount",
      "seenAt",
      "evidence",
    ];
    for (const name of required) {
      expect(await codeOf(forgeSnapshot({ sitemap: { [name]: undefined } }))).toBe("invalid");
    }
    for (const name of Object.keys(HEADER.facts).slice(2)) {
      expect(await codeOf(forgeSnapshot({ facts: { [name]: undefined } }))).toBe("invalid");
    }
  });

  /** The line of a sitemap with a URL of 1 MB, and those of others with these parents. */
  function withParents(others: readonly (readonly number[])[]): Forged {
    const facts = { ...HEADER.facts, pageCount: 0 };
    const entry = { ...HEADER.sitemap, pageCount: 0 };
    const sitemaps = [
      { ...entry, url: SITEMAP_URL + "a".repeat(1_000_000) },
      ...others.map((parents, i) => ({ ...entry, url: SITEMAP_URL + i, parents })),
    ];
    return { lines: [facts, ...sitemaps].map((line) => JSON.stringify(line)) };
  }

  it("counts a repeated parent once", async () => {
    writeFileSync(path, forgeSnapshot(withParents([Array.from({ length: 600 }, () => 0), [0, 7]])));
    const snapshot = await readSnapshot(path);
    expect(snapshot.sitemaps.map(({ parents }) => parents.length)).toEqual([1, 1, 1]);
    await snapshot.close();
  });

  it("must not have parents that are too long in all", async () => {
    const one = Array.from({ length: 4300 }, () => [0]);
    expect(await codeOf(forgeSnapshot(withParents(one)))).toBe("too-large");
    // 101 parents of 1 MB: too much for one sitemap, too slow for a file.
    const entry = { ...HEADER.sitemap, parents: [] } as unknown as WrittenSitemap;
    const long = Array.from({ length: 101 }, (_, i) => ({ ...entry, url: i + "a".repeat(1_000_000) }));
    const positions = long.map((_, i) => i);
    expect(resolveParents([...long, { ...entry, parents: positions.slice(1) }])).toHaveLength(102);
    expect(resolveParents([...long, { ...entry, parents: positions }])).toBeUndefined();
  });

  it.each<[string, Forged, string]>([
    ["no line", { lines: [] }, "invalid"],
    ["an empty line", { lines: ["", "", ""] }, "invalid"],
    ["text", { lines: ["something"] }, "invalid"],
    ["another value", { lines: ["[]"] }, "invalid"],
    ["a line without an end", { headerRest: bomb(" ", 1) }, "invalid"],
    ["deep JSON", { lines: ["[".repeat(1_000_000)] }, "invalid"],
    ["deep JSON in a property", { lines: [`{"format":${'{"a":'.repeat(100_000)}`] }, "invalid"],
    ["a long string", { lines: [`{"format":"${"x".repeat(2_000_000)}"}`] }, "too-large"],
    ["many values", { headerRest: bomb("[],".repeat(1_000_000), 10) }, "too-large"],
    ["other numbers of pages", { facts: { pageCount: 2 } }, "invalid"],
    ["a section beyond the file", { sectionFacts: { bytes: 1000 } }, "truncated"],
    ["a huge section", { sectionFacts: { bytes: Number.MAX_SAFE_INTEGER } }, "too-large"],
    ["a wrong checksum", { sectionFacts: { crc: 1 } }, "damaged"],
    ["a checksum beyond 32 bits", { sectionFacts: { crc: 2 ** 32 } }, "invalid"],
    [
      "a duplicate key",
      { lines: [`${JSON.stringify(HEADER.facts).slice(0, -1)},"version":2}`] },
      "unsupported-version",
    ],
  ])("with %s", async (_, forged, code) => {
    expect(await codeOf(forgeSnapshot(forged))).toBe(code);
  });

  it("may say any length", async () => {
    for (const length of [0n, 1n, 24n, 25n, 2n ** 31n, 2n ** 63n, 2n ** 64n - 1n]) {
      const bytes = forgeSnapshot();
      bytes.writeBigUInt64LE(length, LENGTH_AT);
      expect(await codeOf(bytes)).toMatch(/^(?:not-a-snapshot|damaged|invalid)$/);
    }
  });

  it("may be longer than the memory, in a sparse file", async () => {
    const bytes = forgeSnapshot();
    bytes.writeBigUInt64LE(2n ** 36n, LENGTH_AT);
    writeFileSync(path, bytes);
    truncateSync(path, 2 ** 36);
    await expect(readSnapshot(path)).rejects.toBeInstanceOf(SnapshotError);
  });
});

describe("a section", () => {
  const U = "https://www.example.com/a";

  it("with every field that pageLine writes is read", async () => {
    const date = { text: "2026-05-01T10:00:00+00:00", value: new Date(0), precision: "time" as const };
    const line = pageLine({
      url: `${U}?b=%20c`,
      lastModified: date,
      changeFrequency: "daily",
      priority: 0.5,
      published: { text: "\u202e next week\u001b[31m".repeat(10) },
      title: "t",
      images: [],
      mobile: true,
    });
    expect(await outcomeOf(forgePages([line]))).toMatchObject([
      { url: `${U}?b=%20c`, priority: 0.5, changeFrequency: "daily", hashes: { title: expect.any(String) } },
    ]);
    for (const priority of [0, 1, 0.1, 1e-7, 1 / 3, Number.MIN_VALUE]) {
      expect(await codeOf(forgePages([pageLine({ url: U, priority })]))).toBe("1 pages");
    }
  });

  it.each([
    ["an escape character", `${U}\u001b[31m`],
    ["an escape character in a value", `${U}\tlastModified=\u001b[31m`],
    ["a C1 character", `${U}\u009b31m`],
    ["a character beyond ASCII", `${U}\u00e9`],
    ["a space", `${U} b`],
    ["a carriage return", `${U}\r`],
    ["a fragment", `${U}#b`],
    ["credentials", "https://user:password@www.example.com/"],
    ["another scheme", "file:///etc/passwd"],
    ["no URL", "x"],
    ["no line", ""],
    ["a host that is none", "https://[/"],
    ["a port that is none", "https://www.example.com:99999/"],
    ["an unknown field", `${U}\tother=1`],
    ["a field without value", `${U}\ttitle`],
    ["__proto__", `${U}\t__proto__=x`],
    ["fields in another order", `${U}\tpriority=1\tlastModified=2026`],
    ["a field twice", `${U}\tpriority=1\tpriority=1`],
    ["a priority out of range", `${U}\tpriority=2`],
    ["a priority that is no number", `${U}\tpriority=NaN`],
    ["an unknown frequency", `${U}\tchangeFrequency=often`],
    ["a hash that is none", `${U}\ttitle=<script>`],
    ["a date of 1,000 characters", `${U}\tlastModified=${"9".repeat(1000)}`],
  ])("with %s is invalid", async (_, line) => {
    expect(await codeOf(forgePages([line]))).toBe("invalid");
    expect(await codeOf(forgePages([U, line, `${U}b`]))).toBe("invalid");
  });

  it.each<[string, string | Buffer, string]>([
    ["another title", `# https://other.example.com/\n${U}\n`, "invalid"],
    ["no title", `${U}\n`, "invalid"],
    ["nothing", "", "invalid"],
    ["too many pages", `# ${SITEMAP_URL}\n${U}\n${U}b\n`, "invalid"],
    ["too few pages", `# ${SITEMAP_URL}\n`, "invalid"],
    ["no end", `# ${SITEMAP_URL}\n${U}`, "invalid"],
    ["bytes that are not gzip", Buffer.from("something"), "damaged"],
    ["bytes that are not gzip, and many", Buffer.alloc(100_000, "something"), "damaged"],
    ["1 GB in one line", bomb(Buffer.alloc(10_000_000, "x"), 100), "too-large"],
    ["1 GB of a URL", bomb(`# ${SITEMAP_URL}\n${U}${"x".repeat(10_000_000)}`, 100), "too-large"],
  ])("with %s", async (_, section, code) => {
    expect(await codeOf(forgeSnapshot({ section }))).toBe(code);
  });
});

it("a named pipe is not a snapshot", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  await expect(readSnapshot(pipe)).rejects.toMatchObject({ code: "not-a-snapshot" });
});

describe("damage", () => {
  /** The same numbers in every run. */
  function random(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  }

  it("of any bytes is a SnapshotError", async () => {
    const next = random(1);
    for (let run = 0; run < 1000; run++) {
      const bytes = forgeSnapshot();
      for (let times = next(4); times >= 0; times--) bytes[next(bytes.length)] = next(256);
      const cut = next(4) === 0 ? bytes.subarray(0, next(bytes.length)) : bytes;
      const outcome = await outcomeOf(cut);
      if (outcome instanceof SnapshotError) expect(outcome.message).toMatch(/^[ -~]+$/);
    }
  });

  it("of the texts, with correct checksums, is a SnapshotError or changes nothing else", async () => {
    const next = random(2);
    const pieces = [
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "-",
      "1e9",
      "\u001b",
      "\n",
      "\t",
      "null",
      "é",
      "@",
    ];
    const mutate = (text: string): string => {
      const at = next(text.length + 1);
      return text.slice(0, at) + pieces[next(pieces.length)]! + text.slice(at + next(4));
    };
    for (let run = 0; run < 1000; run++) {
      const lines = [HEADER.facts, HEADER.sitemap].map((value) => JSON.stringify(value));
      const section = `# ${SITEMAP_URL}\nhttps://www.example.com/a\tlastModified=2026-05-01\tpriority=0.5\n`;
      const forged = run % 2 === 0 ? { lines: lines.map(mutate) } : { section: mutate(section) };
      const outcome = await outcomeOf(forgeSnapshot(forged));
      if (outcome instanceof SnapshotError) expect(outcome.message).toMatch(/^[ -~\u00a1-\u{10ffff}]+$/u);
      else for (const { url } of outcome) expect(url).toMatch(/^https?:\/\/[!-.0-?A-~]+\/[!-~]*$/);
    }
  });
});
