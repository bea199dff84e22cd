import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Transcoder } from "../../src/decode/encoding.ts";
import { isUtf8 } from "../../src/decode/platform-node.ts";
import { bytesOf, cutAt, everyCut, inPieces, join, latin1 } from "./byte-chunks.ts";

interface Result {
  readonly text: string;
  readonly issues: readonly string[];
  readonly encoding: string;
}

/** Reads each output before the next push and overwrites each input after it, as the contract allows. */
function run(chunks: Iterable<Uint8Array>, contentType?: string): Result {
  const issues: string[] = [];
  const report = (code: string, value?: string): unknown =>
    issues.push(value === undefined ? code : `${code} ${value}`);
  const transcoder = new Transcoder({ report, contentType });
  const parts: Buffer[] = [];
  for (const chunk of chunks) {
    const own = chunk.slice();
    parts.push(Buffer.from(transcoder.push(own) ?? []));
    own.fill(0x2a);
  }
  parts.push(Buffer.from(transcoder.end() ?? []));
  expect(parts.every((part) => isUtf8(part))).toBe(true);
  return { text: Buffer.concat(parts).toString("utf8"), issues, encoding: transcoder.encoding };
}

/** Runs every split of the input and expects the same result. */
function runAll(bytes: Uint8Array, contentType?: string): Result {
  const whole = run([bytes], contentType);
  for (const chunks of everyCut(bytes)) expect(run(chunks, contentType)).toEqual(whole);
  return whole;
}

const utf16 = (text: string, order: "le" | "be"): Uint8Array => {
  const bytes = Buffer.from(text, "utf16le");
  return new Uint8Array(order === "le" ? bytes : bytes.swap16());
};
const declare = (label: string): string => `<?xml version="1.0" encoding="${label}"?>\n`;
const body = (name: string): string =>
  `<urlset><url><loc>https://www.example.com/${name}</loc></url></urlset>`;

describe("group E", () => {
  const utf8 = (text: string): Uint8Array => bytesOf(declare("UTF-8") + body(text));
  const expected = declare("UTF-8") + body("é");
  it.each<[string, Uint8Array, string, string[], string?]>([
    ["E01 UTF-8 BOM", join([0xef, 0xbb, 0xbf], utf8("é")), expected, []],
    [
      "E02 ISO-8859-1",
      latin1(declare("ISO-8859-1") + body("\xe9")),
      declare("ISO-8859-1") + body("é"),
      ["encoding.not-utf8 windows-1252"],
    ],
    [
      "E03 windows-1251",
      latin1(declare("windows-1251") + body("\xf2\xe5\xf1\xf2")),
      declare("windows-1251") + body("тест"),
      ["encoding.not-utf8 windows-1251"],
    ],
    [
      "E04 UTF-16LE with BOM",
      join([0xff, 0xfe], utf16(declare("UTF-16") + body("é"), "le")),
      declare("UTF-16") + body("é"),
      ["encoding.not-utf8 utf-16le"],
    ],
    [
      "E04 UTF-16BE with BOM",
      join([0xfe, 0xff], utf16(declare("UTF-16") + body("é"), "be")),
      declare("UTF-16") + body("é"),
      ["encoding.not-utf8 utf-16be"],
    ],
    [
      "E05 UTF-16BE without BOM",
      utf16(declare("UTF-16") + body("é"), "be"),
      declare("UTF-16") + body("é"),
      ["encoding.not-utf8 utf-16be"],
    ],
    [
      "E05 UTF-16LE without BOM",
      utf16(declare("UTF-16") + body("é"), "le"),
      declare("UTF-16") + body("é"),
      ["encoding.not-utf8 utf-16le"],
    ],
    [
      "E05 UTF-16LE text without BOM",
      utf16("https://a/\u20ac\ud83d\ude00\n", "le"),
      "https://a/\u20ac\ud83d\ude00\n",
      ["encoding.not-utf8 utf-16le"],
    ],
    [
      "E06 declared UTF-16, is UTF-8",
      bytesOf(declare("utf-16") + body("é")),
      declare("utf-16") + body("é"),
      ["encoding.wrong-declaration utf-16"],
    ],
    [
      "E07 declared UTF-8, Latin-1",
      latin1(declare("UTF-8") + body("\xe9")),
      expected,
      ["encoding.invalid-utf8 é"],
    ],
    [
      "E08 Shift_JIS",
      latin1(declare("Shift_JIS") + body("\x93\xfa\x96\x7b")),
      declare("Shift_JIS") + body("日本"),
      ["encoding.not-utf8 shift_jis"],
    ],
    [
      "E09 GBK",
      latin1(declare("GBK") + body("\xd6\xd0\xce\xc4")),
      declare("GBK") + body("中文"),
      ["encoding.not-utf8 gbk"],
    ],
    ["E10 double BOM", join([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], utf8("é")), expected, []],
    [
      "E10 double BOM in UTF-16",
      join([0xff, 0xfe, 0xff, 0xfe, 0xff, 0xfe], utf16("a\ufeffb", "le")),
      "a\ufeffb",
      ["encoding.not-utf8 utf-16le"],
    ],
    ["E11 utf8", bytesOf(declare("utf8") + body("é")), declare("utf8") + body("é"), []],
    [
      "E12 HTTP charset",
      utf8("é"),
      expected,
      ["encoding.http-mismatch iso-8859-1"],
      "text/xml; charset=iso-8859-1",
    ],
    [
      "E13 text in UTF-16LE",
      join([0xff, 0xfe], utf16("https://a/\r\nhttps://b/\r\n", "le")),
      "https://a/\r\nhttps://b/\r\n",
      ["encoding.not-utf8 utf-16le"],
    ],
    ["E14 nothing declared, Latin-1", latin1(body("\xe9")), body("é"), ["encoding.invalid-utf8 é"]],
    [
      "X17 one invalid byte",
      latin1(body("caf\xe9") + body("\xc3\xa9")),
      body("café") + body("é"),
      ["encoding.invalid-utf8 é"],
    ],
    [
      "R34 Latin-1 in robots.txt",
      latin1("Sitemap: https://a/caf\xe9.xml\n"),
      "Sitemap: https://a/café.xml\n",
      ["encoding.invalid-utf8 é"],
    ],
    [
      "R23 robots.txt in UTF-16LE",
      join([0xff, 0xfe], utf16("Sitemap: https://a/\n", "le")),
      "Sitemap: https://a/\n",
      ["encoding.not-utf8 utf-16le"],
    ],
    ["R39 a NUL in ASCII", latin1("User-agent: *\0\n"), "User-agent: *\0\n", []],
  ])("%s", (_, bytes, text, issues, contentType) => {
    expect(runAll(bytes, contentType)).toMatchObject({ text, issues });
  });
});

describe("labels", () => {
  it.each<[string, Uint8Array, string[], string?]>([
    [
      "a wrong label does not matter in ASCII",
      bytesOf(declare("iso-8859-1") + body("a")),
      [],
      "text/xml; charset=koi8-r",
    ],
    [
      "declared Latin-1, is UTF-8",
      bytesOf(declare("iso-8859-1") + body("é")),
      ["encoding.wrong-declaration iso-8859-1"],
    ],
    [
      "BOM against the declaration",
      join([0xef, 0xbb, 0xbf], bytesOf(declare("latin1") + body("é"))),
      ["encoding.wrong-declaration latin1"],
    ],
    [
      "both labels wrong",
      bytesOf(declare("iso-8859-1") + body("é")),
      ["encoding.wrong-declaration iso-8859-1", "encoding.http-mismatch koi8-r"],
      "a/b;charset=koi8-r",
    ],
    ["HTTP alone wrong", bytesOf(body("é")), ["encoding.http-mismatch koi8-r"], 'a/b; charset="koi8-r"'],
    [
      "HTTP and declaration say the same",
      latin1(declare("iso-8859-1") + body("\xe9")),
      ["encoding.not-utf8 windows-1252"],
      "text/xml; charset=cp1252",
    ],
    [
      "HTTP says UTF-8, declaration is right",
      latin1(declare("windows-1251") + body("\xe9\xe9")),
      ["encoding.not-utf8 windows-1251", "encoding.http-mismatch utf-8"],
      "text/xml; charset=utf-8",
    ],
    [
      "HTTP says UTF-8, is UTF-16",
      join([0xfe, 0xff], utf16("é", "be")),
      ["encoding.not-utf8 utf-16be", "encoding.http-mismatch utf-8"],
      "text/xml; charset=utf-8",
    ],
    [
      "HTTP says UTF-16",
      join([0xfe, 0xff], utf16("é", "be")),
      ["encoding.not-utf8 utf-16be"],
      "text/xml; charset=utf-16",
    ],
    [
      "HTTP says UTF-16, is UTF-8",
      bytesOf(body("é")),
      ["encoding.http-mismatch utf-16"],
      "text/xml; charset=utf-16",
    ],
    [
      "declared UTF-16, is ASCII",
      bytesOf(declare("UTF-16") + body("a")),
      ["encoding.wrong-declaration UTF-16"],
    ],
    [
      "declared UTF-16, is Latin-1",
      latin1(declare("UTF-16") + body("\xe9")),
      ["encoding.wrong-declaration UTF-16", "encoding.invalid-utf8 é"],
    ],
    ["unknown labels", bytesOf(declare("klingon") + body("é")), [], "text/xml; charset=utf-7"],
    [
      "UTF-8 declared beats an HTTP charset that fits",
      latin1(declare("utf-8") + body("\xe9")),
      ["encoding.invalid-utf8 é"],
      "a/b; charset=latin1",
    ],
  ])("%s", (_, bytes, issues, contentType) => {
    expect(runAll(bytes, contentType).issues).toEqual(issues);
  });

  it("uses the HTTP charset if nothing is declared", () => {
    const result = runAll(latin1(body("\xf2\xe5\xf1\xf2")), "text/xml; charset=windows-1251");
    expect(result).toEqual({
      text: body("тест"),
      issues: ["encoding.not-utf8 windows-1251"],
      encoding: "windows-1251",
    });
  });

  it("reads ISO-2022-JP, whose bytes are all ASCII", () => {
    const result = runAll(latin1(`${declare("ISO-2022-JP")}\x1b$B$"\x1b(B.`));
    expect(result.text).toBe(`${declare("ISO-2022-JP")}あ.`);
    expect(result.issues).toEqual(["encoding.not-utf8 iso-2022-jp"]);
  });

  it("finds the declaration after white space, in any spelling, and only there", () => {
    const encodingOf = (head: string): string => runAll(latin1(`${head}\xe9\xe9`)).encoding;
    expect(encodingOf(`\r\n\t ${declare("koi8-r")}`)).toBe("koi8-r");
    expect(encodingOf(`${" ".repeat(500)}${declare("koi8-r")}`)).toBe("koi8-r");
    expect(encodingOf("<?XML version='1.0'\nENCODING = 'koi8-r' ?>")).toBe("koi8-r");
    expect(encodingOf("<?xml encoding=koi8-r?>")).toBe("koi8-r");
    expect(encodingOf('<?xml-stylesheet encoding="koi8-r"?>')).toBe("utf-8");
    expect(encodingOf('<?xml version="1.0"?><a encoding="koi8-r">')).toBe("utf-8");
    expect(encodingOf(`<?xml version="1.0"${" ".repeat(300)}encoding="koi8-r"?>`)).toBe("utf-8");
    expect(encodingOf('<?xml version="1.0" encoding="koi8-r"')).toBe("koi8-r");
  });
});

describe("evidence of 1,024 bytes", () => {
  const head = declare("windows-1251");
  it("depends on the window alone", () => {
    const late = latin1(`${head}\xc3\xa9${" ".repeat(1022)}\xf2\xe5`);
    expect(run([late]).issues).toEqual([
      "encoding.wrong-declaration windows-1251",
      "encoding.invalid-utf8 òå",
    ]);
    const soon = latin1(`${head}\xc3\xa9${" ".repeat(1020)}\xf2\xe5`);
    expect(run([soon]).issues).toEqual(["encoding.not-utf8 windows-1251"]);
    for (const bytes of [late, soon]) {
      for (const size of [1, 2, 3, 500, 1023, 1024, 1025])
        expect(run(inPieces(bytes, size))).toEqual(run([bytes]));
    }
  });
  it("keeps control characters before it, for any chunks", () => {
    const { text } = runAll(latin1(`${declare("shift_jis")}\x7f\x80`));
    expect(text.slice(0, -1)).toBe(`${declare("shift_jis")}\x7f`);
  });

  it("allows an incomplete sequence at the end of the window", () => {
    const bytes = latin1(`${head}\xc3\xa9${" ".repeat(1020)}\xe2\x82\xac`);
    expect(run([bytes]).issues).toEqual(["encoding.wrong-declaration windows-1251"]);
  });
  it("does not allow an incomplete sequence at the end of the document", () => {
    expect(runAll(latin1(`${head}\xf2`))).toMatchObject({ text: `${head}т`, encoding: "windows-1251" });
  });
  it("returns ASCII before the first other byte at once", () => {
    const transcoder = new Transcoder({ report: () => undefined });
    expect(transcoder.push(bytesOf(head + body("a")))).toHaveLength(head.length + body("a").length);
  });
});

describe("invalid runs", () => {
  it.each<[string, string, string[]]>([
    ["\xe9t\xe9", "été", ["é", "é"]],
    ["\x80\x85\x91", "€…‘", ["€…‘"]],
    ["\x81\x8d\x9d", "\x81\x8d\x9d", ["\x81\x8d\x9d"]],
    ["\xe9\xe2\x82\xac\xe9", "é€é", ["é", "é"]],
    ["\xe2\x82", "â‚", ["â‚"]],
    ["\xe2\x82a", "â‚a", ["â‚"]],
    ["\xf0\x9f\x98\xc3\xa9", "ðŸ˜é", ["ðŸ˜"]],
    ["\xc0\xaf", "À¯", ["À¯"]],
    ["\xed\xa0\x80", "í\u00a0€", ["í\u00a0€"]],
    ["\xf4\x90\x80\x80", "ô\x90€€", ["ô\x90€€"]],
    ["\xff\xff\xff", "ÿÿÿ", ["ÿÿÿ"]],
  ])("%j", (bytes, text, runs) => {
    expect(runAll(latin1(`...${bytes}`))).toMatchObject({
      text: `...${text}`,
      issues: runs.map((value) => `encoding.invalid-utf8 ${value}`),
    });
  });
  it("is repaired in a document that was held back to its end", () => {
    expect(runAll(latin1("<?xml \xe9\xe9\xe9\xe2\x82")).text).toBe("<?xml éééâ‚");
  });
  it("is quoted only in part if it is long", () => {
    expect(run([latin1(`....${"\xe9".repeat(5000)}`)]).issues).toEqual([
      `encoding.invalid-utf8 ${"é".repeat(20)}`,
    ]);
  });
});

describe("cost", () => {
  it("returns valid UTF-8 without a copy", () => {
    const transcoder = new Transcoder({ report: () => undefined });
    const first = bytesOf(declare("UTF-8") + body("é"));
    expect(transcoder.push(first)?.buffer).toBe(first.buffer);
    const second = bytesOf(body("日本"));
    expect(transcoder.push(second)).toBe(second);
  });
});

describe("properties", () => {
  const head = fc.constantFrom(
    "",
    "\xef\xbb\xbf",
    "\xff\xfe",
    "\xfe\xff",
    "\0<\0?",
    "<\0?\0",
    declare("utf-8"),
    declare("latin1"),
    declare("utf-16"),
    declare("gb18030"),
    declare("euc-jp"),
    declare("iso-2022-jp"),
    declare("big5"),
    declare("shift_jis"),
    declare("koi8-r"),
  );
  const piece = fc.constantFrom(
    "a",
    "<",
    "é",
    "\xc3\xa9",
    "\xe9",
    "\xe2\x82",
    "\xac",
    "\xf0\x9f",
    "\x98\x80",
    "\xed\xa0",
    "\x1b$B",
    "\x1b",
    "\x82\x37",
    "\x8f\xe0",
    "\0",
    "\xff",
    "\xfe",
    "\xef\xbb\xbf",
    "\ud83d\xde",
    " ".repeat(1000),
    "x".repeat(4000),
  );
  const text = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: piece },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
    ),
    { maxLength: 24 },
  );
  const document = fc.tuple(head, text).map(([start, parts]) => latin1(start + parts.join("")));
  const contentType = fc.constantFrom(
    undefined,
    "a/b; charset=utf-8",
    "a/b; charset=koi8-r",
    "a/b; charset=utf-16",
  );

  it("any bytes give valid UTF-8, the same for any chunks", () => {
    fc.assert(
      fc.property(
        document,
        contentType,
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        (bytes, type, cuts, size) => {
          const whole = run([bytes], type);
          expect(run(cutAt(bytes, cuts), type)).toEqual(whole);
          expect(run(inPieces(bytes, size), type)).toEqual(whole);
        },
      ),
      { numRuns: 600 },
    );
  });

  it("valid UTF-8 is unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat(), { maxLength: 8 }), (value, cuts) => {
        const expected = `.....${value}`;
        expect(run(cutAt(bytesOf(expected), cuts))).toEqual({
          text: expected,
          issues: [],
          encoding: "utf-8",
        });
      }),
    );
  });

  it("survives broken sequences in a multi-byte encoding, also at the end of a decoder's block", () => {
    const start = declare("gb18030");
    expect(runAll(latin1(`${start}\xd6\xd0\x82\x37c`)).text).toBe(`${start}中\ufffd7c`);
    const rest = `\x82\x37${"a".repeat(4096 - start.length - 4)}\x82\x37c`;
    expect(run([latin1(start + rest)]).text.endsWith("c")).toBe(true);
  });
});
