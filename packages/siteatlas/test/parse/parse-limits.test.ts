/**
 * Every limit of the parser, with a document at the limit and one above it: zero allows nothing, at the limit
 * all is kept, one above is cut or dropped, and reported. The rows are those of security.md 3.1. Chunks make
 * no difference.
 */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PARSE_LIMITS, type ParseLimits } from "../../src/model/generated/limits.ts";
import type { Page, Sitemap } from "../../src/model/model.ts";
import { parseEntries, parseSitemap } from "../../src/parse/parse-sitemap.ts";
import { parseRobotsTxt } from "../../src/parse/robots/robots.ts";
import { pieces, streamOf } from "../support/splits.ts";

const SITE = "https://www.example.com/";
const IMAGE = "http://www.google.com/schemas/sitemap-image/1.1";
const INFINITY = Number.POSITIVE_INFINITY;

interface Row {
  readonly code: string;
  /** A document with this amount. */
  readonly make: (amount: number) => string | Uint8Array;
  /** The amount that was kept. */
  readonly took: (sitemap: Sitemap) => number;
  readonly url?: string;
  /** An excess drops the whole value. @default false: drops the rest */
  readonly drops?: true;
  /** The smallest possible amount. @default 1 */
  readonly least?: number;
  /** @default 7 */
  readonly some?: number;
}

const list = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at + 1)).join("");
const pageWith = (content: string, attributes = ""): string =>
  `<urlset ${attributes}><url><loc>${SITE}a</loc>${content}</url></urlset>`;
const urlOf = (length: number): string => SITE.padEnd(length, "a");
const firstPage = ({ pages: [page] }: Sitemap): Partial<Page> => page ?? {};
const gzip = (layers: number): Uint8Array => {
  let bytes: Uint8Array = new TextEncoder().encode(`${SITE}a\n`);
  for (let layer = 0; layer < layers; layer++) bytes = gzipSync(bytes);
  return bytes;
};

const ROWS: Readonly<Record<string, Row>> = {
  // Row 21
  attributes: {
    code: "xml.too-many-attributes",
    make: (amount) => pageWith(`<xhtml:link ${list(amount - 1, (at) => `a${at}="" `)} href="${SITE}de"/>`),
    took: (sitemap) => Number(firstPage(sitemap).alternates !== undefined),
    drops: true,
  },
  namespaces: {
    code: "xml.too-many-attributes",
    make: (amount) =>
      pageWith(
        `<p:image><p:loc>${SITE}i</p:loc></p:image>`,
        `${list(amount - 1, (at) => `xmlns:a${at}="urn:a" `)} xmlns:p="${IMAGE}"`,
      ),
    took: (sitemap) => firstPage(sitemap).images?.length ?? 0,
    drops: true,
  },
  nameBytes: {
    code: "xml.too-long",
    make: (amount) => {
      const prefix = "p".repeat(amount - ":image".length);
      return pageWith(
        `<${prefix}:image><${prefix}:loc>${SITE}i</${prefix}:loc></${prefix}:image>`,
        `xmlns:${prefix}="${IMAGE}"`,
      );
    },
    took: (sitemap) => firstPage(sitemap).images?.length ?? 0,
    drops: true,
    least: 7,
    some: 10,
  },
  // No row of its own: applies to every value.
  tokenBytes: {
    code: "xml.too-long",
    make: (amount) => `<urlset><url><loc>${urlOf(30).padEnd(amount)}</loc></url></urlset>`,
    took: (sitemap) => sitemap.pages.length,
    drops: true,
    least: 30,
    some: 40,
  },
  // Row 25
  textLength: {
    code: "text.cut",
    make: (amount) =>
      pageWith(
        `<image:image><image:loc>${SITE}i</image:loc><image:title>${"t".repeat(amount)}</image:title>`,
      ),
    took: (sitemap) => firstPage(sitemap).images?.[0]?.title?.length ?? 0,
  },
  // Row 24
  urlLength: {
    code: "url.too-long",
    make: (amount) => `<urlset><url><loc>${urlOf(amount)}</loc></url></urlset>`,
    took: (sitemap) => sitemap.pages.length,
    drops: true,
    least: 30,
    some: 40,
  },
  // Row 26
  imagesPerUrl: {
    code: "entry.too-many-items",
    make: (amount) =>
      pageWith(list(amount, (at) => `<image:image><image:loc>${SITE}${at}</image:loc></image:image>`)),
    took: (sitemap) => firstPage(sitemap).images?.length ?? 0,
  },
  videosPerUrl: {
    code: "entry.too-many-items",
    make: (amount) =>
      pageWith(list(amount, (at) => `<video:video><video:title>${at}</video:title></video:video>`)),
    took: (sitemap) => firstPage(sitemap).videos?.length ?? 0,
  },
  alternatesPerUrl: {
    code: "entry.too-many-items",
    make: (amount) => pageWith(list(amount, (at) => `<xhtml:link hreflang="de" href="${SITE}${at}"/>`)),
    took: (sitemap) => firstPage(sitemap).alternates?.length ?? 0,
  },
  // Row 19
  gzipMembers: {
    code: "gzip.corrupt",
    make: (amount) => {
      const members = Array.from({ length: amount }, (_, at) => gzipSync(`${SITE}${at}\n`));
      return new Uint8Array(Buffer.concat(members));
    },
    took: (sitemap) => sitemap.pages.length,
  },
  // Row 18
  compressionLayers: {
    code: "gzip.too-deep",
    make: gzip,
    took: (sitemap) => sitemap.pages.length,
    drops: true,
  },
  // Row 14
  robotsLineBytes: {
    code: "robots.line-too-long",
    url: `${SITE}robots.txt`,
    make: (amount) => `Sitemap: ${SITE}s.xml # `.padEnd(amount, "x"),
    took: (sitemap) => sitemap.subSitemaps.length,
    drops: true,
    least: 40,
    some: 50,
  },
};

/** Already reported above 2,048 characters, as the protocol says. */
const TOLD_EARLIER = new Set(["urlLength"]);

async function parse(row: Row, amount: number, limits: ParseLimits | undefined): Promise<Sitemap> {
  const source = row.make(amount);
  const options = { url: row.url ?? `${SITE}sitemap.xml`, ...(limits && { limits }) };
  const whole = await parseSitemap(source, options);
  const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
  const size = Math.ceil(bytes.length / 2000);
  expect(await parseSitemap(streamOf(pieces(bytes, size)), options)).toEqual(
    await parseSitemap(bytes, options),
  );
  return whole;
}

const codesOf = ({ issues }: Sitemap): string[] => issues.map(({ code }) => code);

for (const [name, row] of Object.entries(ROWS)) {
  const { code, drops, took, least = 1, some = 7 } = row;
  const limit = name as keyof ParseLimits;
  /** The part of `amount` that is kept. */
  const expected = (amount: number, allowed: number): number =>
    drops ? Number(amount <= allowed) : Math.min(amount, allowed);
  const check = async (amount: number, allowed: number, limits?: ParseLimits): Promise<void> => {
    const sitemap = await parse(row, amount, limits);
    expect(took(sitemap)).toBe(expected(amount, allowed));
    if (amount > allowed) expect(codesOf(sitemap)).toContain(code);
    else if (limits !== undefined && allowed !== INFINITY) expect(codesOf(sitemap)).not.toContain(code);
  };

  describe(name, () => {
    it("zero allows nothing", () => check(least, 0, { [limit]: 0 }));
    it("one allows one", () => check(Math.max(2, least), 1, { [limit]: 1 }));
    it("at the limit, everything is kept", () => check(some, some, { [limit]: some }));
    it("one above the limit is dropped", () => check(some + 1, some, { [limit]: some }));
    it("undefined is the default", async () => {
      const allowed = PARSE_LIMITS[limit];
      await check(allowed, allowed);
      await check(allowed + 1, allowed, { [limit]: undefined } as ParseLimits);
      if (!TOLD_EARLIER.has(name)) {
        expect(codesOf(await parse(row, allowed, {}))).not.toContain(code);
      }
    });
    it("Infinity removes the limit", () => check(PARSE_LIMITS[limit] + 1, INFINITY, { [limit]: INFINITY }));
  });
}

/** Row 20. Beyond it the outer elements are forgotten, so the remaining ones cannot be counted. */
describe("elementDepth", () => {
  const nested = (depth: number): string => pageWith(`${"<x>".repeat(depth - 2)}${"</x>".repeat(depth - 2)}`);
  const parseNested = async (depth: number, elementDepth: number | undefined): Promise<Sitemap> =>
    parse({ ...ROWS["tokenBytes"]!, make: nested }, depth, { elementDepth } as ParseLimits);

  it("zero allows nothing", async () => {
    const sitemap = await parseNested(3, 0);
    expect(sitemap).toMatchObject({ kind: "invalid", code: "content.unknown-root" });
    expect(codesOf(sitemap)).toContain("xml.too-deep");
  });
  it("one is the root", async () => {
    const sitemap = await parseNested(3, 1);
    expect(sitemap).toMatchObject({ kind: "pages", pages: [] });
    expect(codesOf(sitemap)).toContain("xml.too-deep");
  });
  it.each([
    [3, 3, false],
    [4, 3, true],
    [10, 10, false],
    [11, 10, true],
    [64, undefined, false],
    [65, undefined, true],
    [70_000, INFINITY, false],
  ])("%i levels, %j allowed", async (depth, allowed, isTold) => {
    const sitemap = await parseNested(depth, allowed);
    expect(codesOf(sitemap).includes("xml.too-deep")).toBe(isTold);
    if (!isTold) expect(sitemap.pages).toHaveLength(1);
  });
  it("reads the entries after it", async () => {
    const unclosed = `<urlset>${list(100, (at) => `<url><loc>${SITE}${at}</loc>`)}</urlset>`;
    for (const elementDepth of [2, 3, 4, 64]) {
      const { pages } = await parseSitemap(unclosed, { limits: { elementDepth } });
      expect(pages.length).toBeGreaterThanOrEqual(99);
    }
  });
});

/** Row 35: a tenth per code. */
describe("issues", () => {
  /** `amount` issues of each of three codes. */
  const faulty = (amount: number): string => list(amount, (at) => `# ${at}\nno url ${at}\n${SITE}${at}#x\n`);

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [10, 3],
    [11, 6],
    [100, 30],
    [undefined, 30],
    [INFINITY, 600],
  ])("at most %j are kept", async (issues, kept) => {
    const sitemap = await parse({ ...ROWS["tokenBytes"]!, make: faulty, url: `${SITE}list.txt` }, 200, {
      issues,
    } as ParseLimits);
    expect(sitemap.issues).toHaveLength(kept);
    expect(sitemap.issueCount).toBe(600);
    expect(sitemap.pages).toHaveLength(200);
  });
});

/** Row 13. */
describe("robotsBytes", () => {
  const rules = (bytes: number): string => `User-agent: *\n${"Disallow: /".padEnd(bytes - 14, "a")}`;
  const readRules = (text: string, robotsBytes: number | undefined): [rules: number, codes: string[]] => {
    const limits = { robotsBytes, robotsLineBytes: INFINITY } as ParseLimits;
    const { groups, issues } = parseRobotsTxt(text, { limits });
    const [group] = groups;
    return [group?.rules.length ?? 0, issues.map(({ code }) => code)];
  };

  it.each([
    [100, 0, 0],
    [100, 1, 0],
    [100, 100, 1],
    [101, 100, 0],
    [512_000, undefined, 1],
    [512_001, undefined, 0],
    [6 * 1024 * 1024, INFINITY, 1],
  ])("%i bytes of rules, %j allowed", (bytes, allowed, count) => {
    expect(readRules(rules(bytes), allowed)).toEqual([count, count === 1 ? [] : ["robots.truncated"]]);
  });

  it("does not affect Sitemap lines", async () => {
    const text = `${rules(100)}\nSitemap: ${SITE}s.xml\n`;
    const options = { url: `${SITE}robots.txt`, limits: { robotsBytes: 0 } };
    expect((await parseSitemap(text, options)).subSitemaps).toHaveLength(1);
  });
});

/** A line is a value as well, with room for several URLs (T10). */
it("tokenBytes limits a line of text", async () => {
  const text = `${SITE}a\n${SITE}${"b".repeat(26)}\n`;
  const read = async (tokenBytes: number): Promise<[number, string[]]> => {
    const sitemap = await parseSitemap(text, { limits: { tokenBytes } });
    return [sitemap.pages.length, codesOf(sitemap)];
  };
  expect(await read(50)).toEqual([2, []]);
  expect(await read(49)).toEqual([1, ["text.line-too-long"]]);
  expect(await read(0)).toEqual([0, ["content.no-urls"]]);
});

it("a text is not cut inside a character", async () => {
  const text = pageWith("<image:image><image:loc>/i</image:loc><image:title>a🙂b</image:title>");
  const title = async (textLength: number): Promise<string | undefined> => {
    const sitemap = await parseSitemap(text, { url: SITE, limits: { textLength } });
    return firstPage(sitemap).images?.[0]?.title;
  };
  expect([await title(1), await title(2), await title(3), await title(4)]).toEqual(["a", "a", "a🙂", "a🙂b"]);
});

it("applies to titles of JSON feeds and types of media", async () => {
  const item = {
    url: `${SITE}a`,
    title: "title",
    attachments: [{ url: `${SITE}b`, mime_type: "audio/mpeg" }],
  };
  const json = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items: [item] });
  const rss = `<rss><channel><item><link>${SITE}a</link><title>title</title><enclosure url="${SITE}b" type="audio/mpeg"/></item></channel></rss>`;
  for (const text of [json, rss]) {
    const sitemap = await parseSitemap(text, { url: SITE, limits: { textLength: 3 } });
    expect(firstPage(sitemap)).toMatchObject({ title: "tit", media: [{ url: `${SITE}b`, type: "aud" }] });
    expect(codesOf(sitemap)).toEqual(["text.cut", "text.cut"]);
  }
});

describe("the option", () => {
  it("the defaults are those of security.md 3.1", () => {
    expect(PARSE_LIMITS).toEqual({
      elementDepth: 64,
      attributes: 256,
      namespaces: 64,
      nameBytes: 1024,
      tokenBytes: 65_536,
      textLength: 4096,
      urlLength: 8192,
      imagesPerUrl: 1000,
      videosPerUrl: 100,
      alternatesPerUrl: 1000,
      gzipMembers: 1000,
      compressionLayers: 3,
      issues: 100,
      robotsBytes: 512_000,
      robotsLineBytes: 16_664,
    });
  });

  it.each<[unknown, typeof TypeError | typeof RangeError]>([
    [{ depth: 1 }, TypeError],
    [{ toString: 1 }, TypeError],
    [{ urlLength: -1 }, RangeError],
    [{ urlLength: Number.NaN }, RangeError],
    [{ urlLength: "1" }, TypeError],
    [{ urlLength: null }, TypeError],
  ])("%j throws", async (given, error) => {
    const options = { limits: given as ParseLimits };
    await expect(parseSitemap(`${SITE}a`, options)).rejects.toThrow(error);
    expect(() => parseEntries(`${SITE}a`, options)).toThrow(error);
    expect(() => parseRobotsTxt("", options)).toThrow(error);
  });
});
