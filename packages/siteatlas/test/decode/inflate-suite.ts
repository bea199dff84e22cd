/**
 * The tests of `decompress`, run on each platform. `repairs`: the platform can make the repairs of G06 to
 * G09. Without them a document must not throw, and must be reported as cut.
 */
import { crc32, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decompress } from "../../src/decode/inflate.ts";
import { bytesOf, cutAt, everyCut, inPieces, join, latin1 } from "./byte-chunks.ts";

interface Result {
  readonly text: string;
  readonly codes: readonly string[];
  readonly cut: boolean;
}

interface Label {
  readonly url?: string;
  readonly contentType?: string;
  readonly maxLayers?: number;
}

const GZ: Label = { url: "https://www.example.com/sitemap.xml.gz", contentType: "application/gzip" };

/** A source that reuses its memory and yields Buffers, as files and sockets do. */
async function* sourceOf(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let memory = Buffer.alloc(0);
  for (const chunk of chunks) {
    if (memory.length < chunk.length) memory = Buffer.alloc(chunk.length);
    memory.set(chunk);
    yield memory.subarray(0, chunk.length);
    memory.fill(0xff);
  }
}

async function run(chunks: Iterable<Uint8Array>, label: Label = GZ): Promise<Result> {
  const codes: string[] = [];
  let cut = false;
  const parts: Uint8Array[] = [];
  const options = {
    url: "",
    ...label,
    report: (code: string) => codes.push(code),
    onCut: () => (cut = true),
  };
  for await (const bytes of decompress(sourceOf(chunks), options)) parts.push(new Uint8Array(bytes));
  return { text: Buffer.concat(parts).toString("latin1"), codes, cut };
}

/** Runs every split of the input and expects the same result. */
async function runAll(bytes: Uint8Array, label: Label = GZ): Promise<Result> {
  const whole = await run([bytes], label);
  for (const chunks of everyCut(bytes)) expect(await run(chunks, label)).toEqual(whole);
  return whole;
}

const DOCUMENT =
  '<?xml version="1.0" encoding="UTF-8"?>\n<urlset><url><loc>https://www.example.com/a</loc></url></urlset>';
const gzip = (text: string | Uint8Array): Uint8Array => new Uint8Array(gzipSync(text));

/** A member with the optional header fields of RFC 1952 section 2.3. */
function gzipWithHeader(flags: number, fields: Uint8Array): Uint8Array {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(DOCUMENT), 0);
  trailer.writeUInt32LE(DOCUMENT.length, 4);
  const header = join([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3], fields);
  const checksum = crc32(header);
  const headerCrc = flags & 0x02 ? [checksum & 0xff, (checksum >> 8) & 0xff] : [];
  return join(header, headerCrc, deflateRawSync(DOCUMENT), trailer);
}

/** Text that compresses badly, so that positions inside the deflate data differ. */
function longDocument(entries: number): string {
  let state = 1;
  let text = "<urlset>";
  for (let i = 0; i < entries; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += `<url><loc>https://www.example.com/${state.toString(36)}</loc></url>\n`;
  }
  return `${text}</urlset>`;
}

export function inflateSuite(repairs: boolean): void {
  describe("labels and magic bytes", () => {
    const member = gzip(DOCUMENT);
    const plain = bytesOf(DOCUMENT);
    it.each<[string, Uint8Array, Label, string[]]>([
      ["G01 .xml.gz, gzip", member, { ...GZ, contentType: "application/x-gzip" }, []],
      ["G02 .xml.gz, plain", plain, GZ, ["gzip.not-gzip"]],
      ["G02 gzip type, plain", plain, { contentType: "Application/X-GZIP; q=1" }, ["gzip.not-gzip"]],
      [
        "G03 .xml, text/xml, gzip",
        member,
        { url: "https://a/s.xml", contentType: "text/xml" },
        ["gzip.unlabelled"],
      ],
      ["G03 .xml, no type, gzip", member, { url: "https://a/s.xml" }, ["gzip.unlabelled"]],
      ["G04 octet-stream", member, { url: "https://a/s", contentType: "application/octet-stream" }, []],
      ["G10 .gz?x=1", member, { url: "https://a/s.xml.gz?x=1", contentType: "application/octet-stream" }, []],
      ["G10 .GZ#f", member, { url: "https://a/s.xml.GZ#f" }, []],
      ["nothing said", member, {}, []],
      ["plain, .xml?x=.gz", plain, { url: "https://a/s.xml?x=.gz" }, []],
      ["G11 zlib under .gz", new Uint8Array(deflateSync(DOCUMENT)), GZ, ["gzip.deflate"]],
      ["zlib without a label", new Uint8Array(deflateSync(DOCUMENT)), {}, ["gzip.deflate"]],
    ])("%s", async (_, bytes, label, codes) => {
      expect(await runAll(bytes, label)).toEqual({ text: DOCUMENT, codes, cut: false });
    });

    it.each<[string, Uint8Array, Label, string[]]>([
      ["x^2 under .gz", bytesOf("x^2 and more\n"), GZ, ["gzip.not-gzip"]],
      ["x^2", bytesOf("x^2 and more\n"), {}, []],
      ["xЪ in windows-1251", latin1("x\xda\xea\xf0\xe0\xed\n"), {}, []],
      ["gzip magic of another method", latin1("\x1f\x8b\x07abc"), {}, []],
      ["two bytes of gzip magic", latin1("\x1f\x8b"), {}, []],
      ["nothing at all", new Uint8Array(0), GZ, []],
    ])("does not decompress: %s", async (_, bytes, label, codes) => {
      expect(await runAll(bytes, label)).toEqual({
        text: Buffer.from(bytes).toString("latin1"),
        codes,
        cut: false,
      });
    });

    it("G14 yields nothing for a ZIP archive", async () => {
      const expected = { text: "", codes: ["content.zip"], cut: false };
      expect(await runAll(latin1("PK\x03\x04\x14\x00\x00\x00"), GZ)).toEqual(expected);
    });
  });

  describe("gzip headers (RFC 1952 section 2.3)", () => {
    it.each<[string, number, Uint8Array]>([
      ["FEXTRA", 0x04, join([3, 0], bytesOf("\0ab"))],
      ["FEXTRA of 300 bytes", 0x04, join([0x2c, 1], new Uint8Array(300))],
      ["FNAME", 0x08, bytesOf("sitemap.xml\0")],
      ["FCOMMENT", 0x10, bytesOf("\0")],
      ["FHCRC", 0x02, new Uint8Array(0)],
      ["all", 0x1f, join([1, 0, 9], bytesOf("name\0comment\0"))],
    ])("%s", async (_, flags, fields) => {
      const expected = { text: DOCUMENT, codes: [], cut: false };
      expect(await runAll(gzipWithHeader(flags, fields))).toEqual(expected);
    });
  });

  describe("layers", () => {
    const wrap = (text: string, times: number): Uint8Array => {
      let bytes = bytesOf(text);
      for (let i = 0; i < times; i++) bytes = gzip(bytes);
      return bytes;
    };
    it("G05 decompresses gzip in gzip", async () => {
      const expected = { text: DOCUMENT, codes: ["gzip.nested"], cut: false };
      expect(await runAll(wrap(DOCUMENT, 2))).toEqual(expected);
      expect(await run([wrap(DOCUMENT, 3)])).toEqual(expected);
    });
    it("stops at a fourth layer", async () => {
      const expected = { text: "", codes: ["gzip.nested", "gzip.too-deep"], cut: false };
      expect(await run([wrap(DOCUMENT, 4)])).toEqual(expected);
      expect(await run([wrap(DOCUMENT, 9)])).toEqual(expected);
    });
    it("accepts another limit", async () => {
      const expected = { text: "", codes: ["gzip.too-deep"], cut: false };
      expect(await run([wrap(DOCUMENT, 2)], { ...GZ, maxLayers: 1 })).toEqual(expected);
    });
    it("finds a zlib stream and a ZIP archive inside", async () => {
      expect((await run([gzip(deflateSync(DOCUMENT))])).codes).toEqual(["gzip.nested", "gzip.deflate"]);
      expect(await run([gzip(latin1("PK\x03\x04"))])).toEqual({
        text: "",
        codes: ["content.zip"],
        cut: false,
      });
    });
  });

  describe.runIf(repairs)("repairs", () => {
    it("G06 yields all data of a truncated stream", async () => {
      const whole = gzip(DOCUMENT);
      for (let length = 3; length < whole.length; length++) {
        const result = await run([whole.subarray(0, length)]);
        expect(result).toMatchObject({ codes: ["gzip.truncated"], cut: true });
        expect(DOCUMENT.startsWith(result.text)).toBe(true);
        if (length >= whole.length - 8) expect(result.text).toBe(DOCUMENT);
        expect(await run(inPieces(whole.subarray(0, length), 1))).toEqual(result);
      }
    });
    it("G06 yields as much of a long stream as zlib can", async () => {
      const text = longDocument(3000);
      const whole = gzip(text);
      const cut = whole.subarray(0, Math.floor(whole.length * 0.6));
      const result = await run([cut]);
      expect(result).toMatchObject({ codes: ["gzip.truncated"], cut: true });
      expect(text.startsWith(result.text)).toBe(true);
      // More bytes give more output: nothing was held back.
      const more = await run([whole.subarray(0, cut.length + 16)]);
      expect(more.text.length).toBeGreaterThan(result.text.length);
      expect(more.text.length - result.text.length).toBeLessThan(600);
      for (const size of [1, 7, 1000]) expect(await run(inPieces(cut, size))).toEqual(result);
    });
    it.each<[string, string]>([
      ["G07 a newline", "\n"],
      ["zeros", "\0\0\0\0"],
      ["a broken magic", "\x1f\x8b"],
      ["text", "<!-- generated -->"],
    ])("ignores %s after the end", async (_, junk) => {
      const expected = { text: DOCUMENT, codes: ["gzip.trailing-junk"], cut: false };
      expect(await runAll(join(gzip(DOCUMENT), latin1(junk)))).toEqual(expected);
    });
    it("ignores bytes after a zlib stream", async () => {
      const bytes = join(deflateSync(DOCUMENT), latin1("\n"));
      expect((await runAll(bytes)).codes).toEqual(["gzip.deflate", "gzip.trailing-junk"]);
    });
    it("G08 reads all members", async () => {
      const bytes = join(gzip(DOCUMENT.slice(0, 50)), gzip(""), gzip(DOCUMENT.slice(50)));
      expect(await runAll(bytes)).toEqual({ text: DOCUMENT, codes: [], cut: false });
      const third = gzip("more");
      const cut = join(bytes, third.subarray(0, third.length - 9));
      expect(await run([cut])).toMatchObject({ codes: ["gzip.truncated"], cut: true });
    });
    it("stops a flood of empty members", async () => {
      const empty = gzip("");
      const flood = Buffer.concat(Array.from({ length: 1000 }, () => empty));
      expect(await run([flood])).toMatchObject({ codes: [], cut: false });
      const more = join(flood, gzip("x"));
      expect(await run([more])).toEqual({ text: "", codes: ["gzip.corrupt"], cut: true });
    });
    it.each<[string, number]>([
      ["G09 wrong CRC", 8],
      ["wrong length", 1],
    ])("keeps the data: %s", async (_, fromEnd) => {
      const bytes = gzip(DOCUMENT);
      bytes[bytes.length - fromEnd]! ^= 1;
      expect(await runAll(bytes)).toEqual({ text: DOCUMENT, codes: ["gzip.crc"], cut: false });
    });
    it("keeps the data before damage, for any chunks", async () => {
      const text = longDocument(40);
      // A block of the reserved type 3 after a good one: damage at a known position.
      const good = deflateRawSync(text, { finishFlush: 2 });
      const bytes = join([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], good, [0xff, 0xff, 0xff], new Uint8Array(50));
      expect(await runAll(bytes)).toEqual({ text, codes: ["gzip.corrupt"], cut: true });
    });
    it("keeps the data before damage in a long stream", async () => {
      const text = longDocument(40_000);
      const good = deflateRawSync(text, { finishFlush: 2 });
      const bytes = join([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], good, [0xff, 0xff, 0xff], new Uint8Array(50));
      for (const size of [bytes.length, 70_000, 1000]) {
        const result = await run(inPieces(bytes, size));
        expect(result).toMatchObject({ codes: ["gzip.corrupt"], cut: true });
        expect(result.text === text).toBe(true);
      }
    });
    it("yields the same for any damage and any chunks", async () => {
      const text = longDocument(300);
      const whole = gzip(text);
      await fc.assert(
        fc.asyncProperty(
          fc.nat(whole.length - 11),
          fc.integer({ min: 1, max: 255 }),
          fc.nat(2000),
          async (at, flip, size) => {
            const bytes = whole.slice();
            bytes[at + 10]! ^= flip;
            expect(await run(inPieces(bytes, size + 1))).toEqual(await run([bytes]));
          },
        ),
        { numRuns: 150 },
      );
    });
  });

  describe.runIf(!repairs)("without repairs", () => {
    it.each<[string, (whole: Uint8Array) => Uint8Array]>([
      ["G06 truncated", (whole) => whole.subarray(0, whole.length - 20)],
      ["G09 wrong CRC", (whole) => whole.map((byte, i) => (i === whole.length - 8 ? byte ^ 1 : byte))],
      ["damaged", (whole) => whole.map((byte, i) => (i > 40 && i < 60 ? 0xff : byte))],
      ["cut in the header", (whole) => whole.subarray(0, 5)],
    ])("%s is reported and does not throw", async (_, damage) => {
      const result = await run([damage(gzip(longDocument(2000)))]);
      expect(result.cut).toBe(true);
      expect(["gzip.truncated", "gzip.corrupt"]).toContain(result.codes[0]);
      expect(result.codes).toHaveLength(1);
    });
    it("G06 loses no more than the last pieces", async () => {
      const text = longDocument(30_000);
      const whole = gzip(text);
      const result = await run([whole.subarray(0, whole.length - 20)]);
      expect(text.startsWith(result.text)).toBe(true);
      expect(result.text.length).toBeGreaterThan(text.length / 2);
    });
  });

  describe("sources", () => {
    /** An endless source that records whether it was closed. */
    function endless(first: Uint8Array): {
      source: AsyncGenerator<Uint8Array>;
      state: { freed: boolean; pulls: number };
    } {
      const state = { freed: false, pulls: 0 };
      async function* source(): AsyncGenerator<Uint8Array> {
        try {
          for (let chunk = first; ; ) {
            state.pulls++;
            yield chunk;
          }
        } finally {
          state.freed = true;
        }
      }
      return { source: source(), state };
    }
    const options = { ...GZ, url: "", report: () => undefined, onCut: () => undefined };

    it.each<[string, Uint8Array]>([
      ["plain", bytesOf(DOCUMENT)],
      ["gzip", gzip(longDocument(20_000))],
      ["gzip in gzip", gzip(gzip(longDocument(20_000)))],
    ])("closes the source when the consumer stops early: %s", async (_, first) => {
      const { source, state } = endless(first);
      for await (const bytes of decompress(source, options)) {
        expect(bytes.length).toBeGreaterThan(0);
        break;
      }
      expect(state.freed).toBe(true);
    });

    it("reads no further than the consumer does", async () => {
      const { source, state } = endless(gzip(longDocument(20_000)));
      const output = decompress(source, options);
      await output.next();
      const pulls = state.pulls;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(state.pulls - pulls).toBeLessThanOrEqual(1);
      await output.return(undefined);
    });

    it("does nothing before the first next", async () => {
      const { source, state } = endless(bytesOf(DOCUMENT));
      const output = decompress(source, options);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(state.pulls).toBe(0);
      await output.return(undefined);
      await source.return(undefined);
    });

    it("throws the failure of a source after its data", async () => {
      const whole = gzip(longDocument(2000));
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield whole.subarray(0, 20_000);
        throw new Error("connection lost");
      }
      let length = 0;
      const reading = (async () => {
        for await (const bytes of decompress(failing(), options)) length += bytes.length;
      })();
      await expect(reading).rejects.toThrow("connection lost");
      if (repairs) expect(length).toBeGreaterThan(10_000);
    });
  });

  describe("properties", () => {
    const numRuns = 100;
    it("one to three layers of gzip decompress to the original", async () => {
      const text = fc
        .uint8Array({ maxLength: 400 })
        .filter((bytes) => ![0x1f, 0x78, 0x50].includes(bytes[0] ?? 0));
      await fc.assert(
        fc.asyncProperty(
          text,
          fc.integer({ min: 1, max: 3 }),
          fc.array(fc.nat(), { maxLength: 5 }),
          async (bytes, layers, cuts) => {
            let packed: Uint8Array = bytes;
            for (let i = 0; i < layers; i++) packed = gzip(packed);
            const result = await run(cutAt(packed, cuts));
            expect(result.text).toBe(Buffer.from(bytes).toString("latin1"));
            expect(result.codes).toEqual(layers > 1 ? ["gzip.nested"] : []);
          },
        ),
        { numRuns },
      );
    });
    it("never throws for any bytes", async () => {
      const magic = fc.constantFrom(
        [],
        [0x1f, 0x8b, 8],
        [0x1f, 0x8b, 8, 0x1f],
        [0x78, 0x9c],
        [0x78, 0x5e],
        [0x50, 0x4b, 3, 4],
      );
      await fc.assert(
        fc.asyncProperty(
          magic,
          fc.uint8Array({ maxLength: 60 }),
          fc.array(fc.nat(), { maxLength: 5 }),
          async (start, rest, cuts) => {
            const bytes = join(start, rest);
            const whole = await run([bytes]);
            const again = await run(cutAt(bytes, cuts));
            if (repairs) expect(again).toEqual(whole);
          },
        ),
        { numRuns: numRuns * 3 },
      );
    });
  });
}
