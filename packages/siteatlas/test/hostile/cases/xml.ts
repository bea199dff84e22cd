/**
 * Hostile XML: sec-X01 to sec-X22. An error in a document costs at most its entry: all others are found.
 * Entities are neither expanded nor fetched, and no token above its limit is kept in memory. The parser
 * continues after errors: its time is linear, and limited by bytes and time.
 */
import { parseDate } from "../../../src/parse/values/parse-date.ts";
import { DEFAULT_LIMITS } from "../../../src/walk/options.ts";
import { type HostileCase, MIB, outcomeOf } from "../case.ts";
import {
  between,
  documentCase,
  each,
  entry,
  fill,
  type HostileDocument,
  join,
  parseAlone,
  piecesBetween,
  serveDocuments,
  URLSET,
} from "../documents.ts";
import { urlset } from "../raw-server.ts";

/** Size of one token: many times its limit. */
const LARGE = 100 * MIB;
const AB = ["/a", "/b"];

/** For documents of 100 MB: the limits that would cut them, raised. */
const LARGE_LIMITS = { wireBytes: 200 * MIB, decodedBytes: 200 * MIB, requestMs: 60_000, cpuMs: 60_000 };

/** ESC and BEL, which XML 1.0 forbids, raw and by reference. */
const CONTROLS = "\u001b[2J&#27;]8;;&#7;\u0007";

// ---------------------------------------------------------------- DOCTYPE and entities

/** `&l9;` would be 10⁹ times "lol". */
const LAUGHS = `<!DOCTYPE urlset [<!ENTITY l0 "lol">${Array.from(
  { length: 9 },
  (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`,
).join("")}]>\n`;

const x01 = documentCase({
  id: "sec-X01",
  server: "billion laughs, quadratic blowup, parameter entities",
  expected: "nothing expanded: the entries with entities are dropped, the others found",
  bounds: { cpuMs: 300, partMs: 10, rssMiB: 32 },
  documents: {
    laughs: {
      body: (at) => LAUGHS + between(at, entry(`${at}/&l9;`)),
      pages: AB,
      codes: ["xml.doctype", "xml.undefined-entity"],
    },
    quadratic: {
      body: (at) =>
        `<!DOCTYPE urlset [<!ENTITY q "${"q".repeat(50_000)}">]>${between(
          at,
          entry(`${at}/${"&q;".repeat(20_000)}`),
        )}`,
      pages: AB,
      codes: ["xml.doctype"],
    },
    parameters: {
      body: (at) =>
        `<!DOCTYPE urlset [<!ENTITY % p "<!ENTITY e '${at}/e'>">%p;]>${between(at, entry("&e;"))}`,
      pages: AB,
      codes: ["xml.doctype", "xml.undefined-entity"],
    },
  },
});

const SECRET = "the-secret-of-the-file";

const x02: HostileCase = {
  id: "sec-X02",
  server: "external entities and DTDs: a file, another server",
  expected: "neither is read; found, entries with entities dropped",
  async serve(stage) {
    const trap = await stage.tcp((socket) => socket.destroy());
    const { mkdtempSync, writeFileSync } = await import("node:fs");
    const { tmpdir } = await import("node:os");
    const file = `${mkdtempSync(`${tmpdir()}/planted-`)}/secret`;
    writeFileSync(file, `http://www.example.com/${SECRET}`);
    const doctype = (inside: string): HostileDocument => ({
      body: (at) => `<!DOCTYPE urlset ${inside}>${between(at, entry("&x;") + entry(`${at}/&x;`))}`,
    });
    const documents = {
      file: doctype(`[<!ENTITY x SYSTEM "file://${file}">]`),
      http: doctype(`[<!ENTITY x SYSTEM "http://${trap}/x">]`),
      external: doctype(`SYSTEM "http://${trap}/x.dtd"`),
      public: doctype(`PUBLIC "-//x//DTD x//EN" "http://${trap}/x.dtd"`),
      parameter: doctype(`[<!ENTITY % p SYSTEM "http://${trap}/x.dtd"> %p;]`),
    };
    return { url: await serveDocuments(stage, documents), trap };
  },
  async run(context) {
    const walked = await context.walk(context.url());
    for (const name of ["file", "http", "external", "public", "parameter"]) {
      context.expectSitemap(walked.sitemap(`/${name}.xml`), { outcome: "found", pageCount: 2 }, name);
    }
    context.expect(!JSON.stringify(walked).includes(SECRET), "the file was read");
    const { connectionsOf } = await context.facts();
    context.expectEqual(connectionsOf[String(context.site["trap"])], 0, "connections to the trap");
    return `${outcomeOf(walked.sitemap("/file.xml"))}, 0 connections`;
  },
};

const x03 = documentCase({
  id: "sec-X03",
  server: "a bare DOCTYPE, that of HTML5, one of more than 64 KiB",
  expected: "found with xml.doctype; failed content.html; failed xml.doctype",
  documents: {
    bare: { body: (at) => `<!DOCTYPE urlset>${between(at, "")}`, pages: AB, codes: ["xml.doctype"] },
    html: {
      body: () => "<!DOCTYPE html><html><head><title>No</title></head><body>No sitemap</body></html>",
      ends: { outcome: "failed", code: "content.html" },
    },
    long: {
      body: (at) => `<!DOCTYPE urlset [${" ".repeat(65 * 1024)}]>${between(at, "")}`,
      ends: { outcome: "failed", code: "xml.doctype" },
    },
  },
});

// ---------------------------------------------------------------- endless tokens

/** An endless or huge token between two entries. */
const token = (
  [head, tail]: readonly [string, string],
  codes: HostileDocument["codes"] = [],
): HostileDocument => ({
  body: (at) => piecesBetween(at, head, fill("x", LARGE), tail),
  pages: AB,
  codes,
});

const TOKENS: readonly (readonly [head: string, tail: string])[] = [
  ["<!--", "-->"],
  ["<?x ", "?>"],
  ["<url><loc><![CDATA[", "]]></loc></url>"],
  ['<x a="', '"/>'],
  ["<", "/>"],
  ["<url><loc>http://www.example.com/&", ";</loc></url>"],
  ["<url><loc>", "</loc></url>"],
];

const longTokens = documentCase({
  id: "sec-X04",
  server: "100 MB in one token: DOCTYPE, comment, processing instruction, CDATA, attribute, name, entity",
  expected: "not kept in memory; a DOCTYPE ends its document, the others cost at most their entry",
  bounds: { rssMiB: 48, partMiB: 8 },
  walk: { limits: LARGE_LIMITS },
  documents: {
    doctype: {
      body: (at) => join("<!DOCTYPE urlset [", fill("x", LARGE), `]>${between(at, "")}`),
      ends: { outcome: "failed", code: "xml.doctype" },
    },
    comment: token(["<!--", "-->"]),
    instruction: token(["<?x ", "?>"]),
    cdata: token(["<url><loc><![CDATA[", "]]></loc></url>"], ["xml.too-long"]),
    attribute: token(['<x a="', '"/>'], ["xml.too-long"]),
    name: token(["<", "/>"], ["xml.too-long"]),
    entity: token(["<url><loc>http://www.example.com/&", ";</loc></url>"], ["xml.too-long"]),
  },
  check(context, walked) {
    const { bytes = 0 } = walked.sitemap("/doctype.xml")?.http ?? {};
    context.expect(bytes < 2 * MIB, `${bytes} bytes of the DOCTYPE were read`);
  },
});

const x04: HostileCase = {
  ...longTokens,
  async run(context) {
    // Measures the parser alone, before sockets have allocated memory that it could reuse.
    for (const [head, tail] of TOKENS) {
      const pieces = [...fill("x", 32 * MIB)];
      const body = [Buffer.from(`${URLSET}${head}`), ...pieces, Buffer.from(`${tail}</urlset>`)];
      await context.measurePartMemory(() => parseAlone(body));
    }
    return longTokens.run(context);
  },
};

const x05 = documentCase({
  id: "sec-X05",
  server: "elements 20,000 and 1,000,000 deep",
  expected: "found with xml.too-deep, in linear time: the outermost elements are ignored",
  // 50 ms are enough for 20,000. A million tags are 3 MB, which take a new process 60 to 100 ms.
  bounds: { cpuMs: 2000, partMs: 150, rssMiB: 32 },
  documents: {
    closed: {
      body: (at) => between(at, "<a>".repeat(20_000) + "</a>".repeat(20_000)),
      pages: AB,
      codes: ["xml.too-deep"],
    },
    open: {
      body: (at) => piecesBetween(at, fill("<a>", 3_000_000)),
      pages: AB,
      codes: ["xml.too-deep"],
    },
  },
});

const x06 = documentCase({
  id: "sec-X06",
  server: "2,500 nested namespaces; 200,000 namespaces; 200,000 attributes",
  expected: "found, in linear time: tags beyond 256 KiB are dropped",
  bounds: { cpuMs: 2000, partMs: 50 },
  documents: {
    nested: {
      body: (at) =>
        piecesBetween(
          at,
          each(2500, (n) => `<p${n}:a xmlns:p${n}="urn:${n}">`),
          each(2500, (n) => `</p${2499 - n}:a>`),
        ),
      pages: AB,
      codes: ["xml.too-deep"],
    },
    namespaces: {
      body: (at) =>
        piecesBetween(
          at,
          "<x ",
          each(200_000, (n) => `xmlns:p${n}="u${n}" `),
          "/>",
        ),
      pages: AB,
      codes: ["xml.too-long"],
    },
    attributes: {
      body: (at) =>
        piecesBetween(
          at,
          "<x ",
          each(200_000, (n) => `a${n}="${n}" `),
          "/>",
        ),
      pages: AB,
      codes: ["xml.too-long"],
    },
    // Slightly below the limit of a tag, so it is read.
    below: {
      body: (at) =>
        piecesBetween(
          at,
          "<url ",
          each(10_000, (n) => `xmlns:p${n}="u${n}" `),
          `><loc>${at}/c</loc></url>`,
        ),
    },
  },
});

// ---------------------------------------------------------------- broken markup

const x07 = documentCase({
  id: "sec-X07",
  server: "repeated attributes, attributes without quotes, < inside of one",
  expected: "found completely, with issues",
  documents: {
    repeated: {
      body: (at) => between(at, `<url a="1" a="2"><loc>${at}/c</loc></url>`),
      pages: ["/a", "/c", "/b"],
      codes: ["xml.duplicate-attribute"],
    },
    bare: {
      body: (at) => between(at, `<url a=1><loc b=c>${at}/c</loc></url>`),
      pages: ["/a", "/c", "/b"],
      codes: ["xml.unquoted-attribute"],
    },
    less: { body: (at) => between(at, `<url a="<b"><loc>${at}/c</loc></url>`), pages: ["/a", "/c", "/b"] },
    open: {
      body: (at) => between(at, `<url a="1><loc>${at}/c</loc></url>`),
      codes: ["xml.unclosed-quote"],
    },
  },
});

const x08 = documentCase({
  id: "sec-X08",
  server: "10 million character references; references to surrogates, to NUL, beyond Unicode",
  expected: "found; pairs of surrogates joined, characters that do not exist dropped",
  bounds: { cpuMs: 4000 },
  walk: { limits: LARGE_LIMITS },
  documents: {
    many: {
      body: (at) => piecesBetween(at, "<url><x>", fill("&#97;", 50_000_000), "</x></url>"),
      pages: AB,
    },
    one: {
      body: (at) => between(at, entry(`${at}/${"&#97;".repeat(1_000_000)}`)),
      codes: ["xml.too-long"],
    },
    odd: {
      body: (at) =>
        between(at, entry(`${at}/c&#xD83C;&#xDF1E;`) + entry(`${at}/d&#0;&#x110000;&#xD800;&#99999999999;`)),
      pages: ["/a", "/c%F0%9F%8C%9E", "/d", "/b"],
      codes: ["xml.surrogate-ref", "xml.bad-char-ref"],
    },
  },
});

const MILLION = 1_000_000;

const x09 = documentCase({
  id: "sec-X09",
  server: "a million undefined entities, a million end tags without a start",
  expected: "found; all counted, 10 per code kept, the parser continues",
  bounds: { cpuMs: 15_000 },
  walk: { limits: LARGE_LIMITS },
  documents: {
    entities: {
      body: (at) => piecesBetween(at, fill("<url><loc>/&none;</loc></url>\n", 30 * MILLION)),
      pages: AB,
      codes: ["xml.undefined-entity"],
    },
    ends: {
      body: (at) => piecesBetween(at, fill("</x>", 4 * MILLION)),
      pages: AB,
      codes: ["xml.stray-end-tag"],
    },
  },
  check(context, walked) {
    for (const path of ["/entities.xml", "/ends.xml"]) {
      const { issueCount = 0, url } = walked.sitemap(path) ?? {};
      const kept = walked.issues.filter((issue) => issue.url === url).length;
      context.expect(issueCount >= MILLION, `${path}: ${issueCount} issues were counted`);
      context.expect(kept <= 100, `${path}: ${kept} issues were kept`);
    }
  },
});

// ---------------------------------------------------------------- cuts and splits

/** Three entries with every kind of token that a cut could hit. */
const fixture = (at: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${URLSET}<!-- ]]> -->${entry(
    `${at}/a?x=1&amp;y=2`,
    "<lastmod>2024-01-02</lastmod>",
  )}<url><loc><![CDATA[${at}/b]]></loc></url>\n${entry(`${at}/\u00e9`, '<x y="&lt;"/>')}</urlset>\n`;
const FIXTURE_PAGES = ["/a?x=1&y=2", "/b", "/%C3%A9"];

const x10: HostileCase = {
  id: "sec-X10",
  server: "cuts a document of three entries at every byte",
  expected: "exactly the closed entries, partial or failed",
  serve: async (stage) => {
    const cut = (path: string, host: string): Buffer =>
      Buffer.from(fixture(`http://${host}`)).subarray(0, Number(path.slice(2)));
    const url = await stage.raw(
      (socket, { path, headers: { host = "" } }) => {
        const size = Buffer.byteLength(fixture(`http://${host}`));
        // Short and long ones in turn: many in a row without pages would reach a limit.
        const sizes = Array.from({ length: size + 1 }, (_, n) => [n, size - n]).flat();
        const lines = [...new Set(sizes)].map((n) => `Sitemap: http://${host}/?${n}\n`);
        const body = path === "/robots.txt" ? Buffer.from(lines.join("")) : cut(path, host);
        // The end of the connection ends the body, so that only the document shows that it is truncated.
        socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), body]));
      },
      { robots: false },
    );
    return { url };
  },
  async run(context) {
    const origin = context.url("");
    const whole = Buffer.from(fixture(origin));
    const pages = new Map<string, string[]>();
    const walked = await context.walk(context.url(), {
      onEvent: (event) => {
        if (event.kind !== "page") return;
        const list = pages.get(event.sitemapUrl) ?? [];
        pages.set(event.sitemapUrl, [...list, event.page.url.slice(origin.length)]);
      },
    });
    for (let size = 0; size <= whole.length; size++) {
      const closed = whole.toString("latin1", 0, size).split("</url>").length - 1;
      const sitemap = walked.sitemap(`/?${size}`);
      context.expectEqual(
        pages.get(`${origin}/?${size}`) ?? [],
        FIXTURE_PAGES.slice(0, closed),
        `pages of ${size} bytes`,
      );
      const isWhole = whole.toString("latin1", 0, size).includes("</urlset>");
      const isMarked = sitemap?.outcome === "failed" || sitemap?.partial === true;
      context.expect(isMarked !== isWhole, `${size} bytes: ${outcomeOf(sitemap)}`);
    }
    return `${whole.length + 1} cuts as expected`;
  },
};

/** Sends pieces one turn of the event loop apart, so that each is a separate chunk. */
async function* slowly(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const x11 = documentCase({
  id: "sec-X11",
  server: "a document byte by byte, and in pieces of 2, 3, 5 and 7 bytes",
  expected: "the same pages as in one chunk",
  documents: Object.fromEntries(
    Object.entries({ one: 1, two: 2, three: 3, five: 5, seven: 7, whole: 10_000 }).map(([name, size]) => [
      name,
      {
        body: (at) => slowly(fixture(at), size),
        ends: { outcome: "found", issueCount: 0 },
        pages: FIXTURE_PAGES,
      } satisfies HostileDocument,
    ]),
  ),
});

// ---------------------------------------------------------------- unusual structure

const x12 = documentCase({
  id: "sec-X12",
  server: "namespaces that are wrong, missing or odd; prefixes; tags in upper case",
  expected: "found",
  documents: {
    wrong: {
      body: (at) => between(at, "").replace("http://www.sitemaps.org/schemas/sitemap/0.9", "urn:x"),
      pages: AB,
      codes: ["ns.wrong"],
    },
    missing: {
      body: (at) => between(at, "").replace(/ xmlns="[^"]*"/, ""),
      pages: AB,
      codes: ["ns.missing"],
    },
    odd: {
      body: (at) => between(at, "").replace("http://www.sitemaps", "https://sitemaps"),
      pages: AB,
      codes: ["ns.nonstandard"],
    },
    prefix: {
      body: (at) =>
        between(at, "")
          .replace("xmlns=", "xmlns:sm=")
          .replace(/<(\/?)(\w)/g, "<$1sm:$2"),
      pages: AB,
    },
    upper: {
      body: (at) => between(at, "").replace(/<\/?\w+/g, (tag) => tag.toUpperCase()),
      pages: AB,
      codes: ["xml.tag-case"],
    },
  },
});

const x13 = documentCase({
  id: "sec-X13",
  server: "two roots, text after the root, a declaration that is not first, BOM and blank lines",
  expected: "found completely, with issues",
  documents: {
    two: {
      body: (at) => `${URLSET}${entry(`${at}/a`)}</urlset>${URLSET}${entry(`${at}/b`)}</urlset>`,
      pages: AB,
      codes: ["xml.multiple-roots"],
    },
    text: { body: (at) => `${between(at, "")}and more`, pages: AB, codes: ["xml.trailing-junk"] },
    late: {
      body: (at) => `<!-- x --><?xml version="1.0"?>${between(at, "")}`,
      pages: AB,
      codes: ["xml.decl-not-first"],
    },
    blank: { body: (at) => `\ufeff\n\n \t<?xml version="1.0"?>${between(at, "")}`, pages: AB },
  },
});

const x14: HostileCase = {
  id: "sec-X14",
  server: "a urlset inside of an index, an index inside of a urlset, each listing itself and the other",
  expected: "read by their roots, both kinds of entries used, each requested once",
  bounds: { requests: 4 },
  serve: async (stage) => {
    const inside = (host: string | undefined): string =>
      ["mixed-index", "mixed-urlset", "leaf"]
        .map((name) => `<sitemap><loc>http://${host}/${name}.xml</loc></sitemap>`)
        .join("");
    const page = (host: string | undefined, name: string): string => entry(`http://${host}/${name}`);
    const url = await stage.http({
      "/robots.txt": ({ headers: { host } }, response) =>
        response.end(`Sitemap: http://${host}/mixed-index.xml\n`),
      "/mixed-index.xml": ({ headers: { host } }, response) =>
        response.end(
          `<sitemapindex>${inside(host)}${URLSET}${page(host, "a")}</urlset>${page(host, "b")}</sitemapindex>`,
        ),
      "/mixed-urlset.xml": ({ headers: { host } }, response) =>
        response.end(
          `${URLSET}${page(host, "c")}<sitemapindex>${inside(host)}</sitemapindex>${page(host, "d")}</urlset>`,
        ),
      "/leaf.xml": { body: urlset(1) },
    });
    return { url };
  },
  async run(context) {
    const { sitemap, pages, codes } = await context.walk(context.url());
    context.expectSitemap(sitemap("/mixed-index.xml"), { outcome: "found", kind: "index", pageCount: 2 });
    context.expectSitemap(sitemap("/mixed-urlset.xml"), { outcome: "found", kind: "pages", pageCount: 2 });
    context.expectEqual(pages.length, 5, "pages");
    context.expect(codes.has("index.contains-url"), "no index.contains-url");
    context.expect(codes.has("urlset.contains-sitemap"), "no urlset.contains-sitemap");
    return `${outcomeOf(sitemap("/mixed-index.xml"))}, ${outcomeOf(sitemap("/mixed-urlset.xml"))}`;
  },
};

const IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';

const x15 = documentCase({
  id: "sec-X15",
  server: "a <url> inside of a <url>, an <image:loc> before and after the <loc>",
  expected: "each page once; no image is a page",
  documents: {
    nested: {
      body: (at) => between(at, `<url><url><loc>${at}/c</loc></url></url>`),
      pages: ["/a", "/c", "/b"],
      codes: ["xml.nested-url"],
    },
    image: {
      body: (at) => {
        const image = (name: string): string =>
          `<image:image ${IMAGE}><image:loc>${at}/${name}.jpg</image:loc></image:image>`;
        return between(at, `<url>${image("1")}<loc>${at}/c</loc>${image("2")}</url>`);
      },
      pages: ["/a", "/c", "/b"],
    },
    alone: {
      body: (at) =>
        between(at, `<url><image:image ${IMAGE}><image:loc>${at}/1.jpg</image:loc></image:image></url>`),
      codes: ["entry.missing-loc"],
    },
  },
  check(context, { pages }) {
    context.expect(!pages.some(({ url }) => url.endsWith(".jpg")), "an image is a page");
    const [page] = pages.filter(({ url }) => url.endsWith("/image/c"));
    context.expectEqual(page?.images?.length, 2, "images");
  },
});

const x16 = documentCase({
  id: "sec-X16",
  server: "two <loc>, an empty one, CDATA, a comment, line ends and markup inside of one",
  expected: "two pages; none; joined and trimmed",
  documents: {
    two: {
      body: (at) => between(at, `<url><loc>${at}/c</loc><loc>${at}/d</loc></url>`),
      pages: ["/a", "/c", "/d", "/b"],
      codes: ["entry.multiple-loc"],
    },
    empty: {
      body: (at) => between(at, "<url><loc/></url><url><loc> \n </loc></url><url></url>"),
      pages: AB,
      codes: ["entry.missing-loc"],
    },
    joined: {
      body: (at) => between(at, entry(`\n ${at}/<!-- x -->c<![CDATA[?x=1&y]]>&amp;z\n`)),
      pages: ["/a", "/c?x=1&y&z", "/b"],
    },
    markup: {
      body: (at) => between(at, entry(`<a href="#">${at}/c</a>`)),
      pages: ["/a", "/c", "/b"],
      codes: ["entry.markup-in-loc"],
    },
  },
});

// ---------------------------------------------------------------- size and fields

const x17: HostileCase = {
  id: "sec-X17",
  server: "3,000,000 entries in one sitemap",
  expected: "a million pages, partial with limit.urls; constant memory",
  bounds: { rssMiB: 32 },
  serve: async (stage) => ({
    url: await serveDocuments(stage, {
      sitemap: {
        body: (at) =>
          join(
            URLSET,
            each(3_000_000, (n) => entry(`${at}/${n}`)),
            "</urlset>",
          ),
      },
    }),
  }),
  async run(context) {
    const { document, codes } = await context.walk(context.url(), { limits: DEFAULT_LIMITS });
    context.expectSitemap(document, { outcome: "found", partial: true, pageCount: 1_000_000 });
    context.expect(codes.has("limit.urls"), "no limit.urls");
    return outcomeOf(document);
  },
};

const DATES = [
  "9999999999999-99",
  "1".repeat(1_000_000),
  `2024-01-01T${"0".repeat(50_000)}`,
  "1 ".repeat(30_000),
  "Mon, ".repeat(20_000),
  `${" ".repeat(50_000)}x`,
  `${"0".repeat(60)}-01-01`,
  "2024-01-01T00:00:00.".padEnd(60_000, "9"),
  "+".repeat(50_000),
  "-0000-00-00T99:99:99Z",
];

const x18 = documentCase({
  id: "sec-X18",
  server: "dates of a megabyte, impossible dates, and dates that make backtracking parsers slow",
  expected: "not read as dates; found completely",
  bounds: { cpuMs: 1500 },
  documents: {
    dates: {
      body: (at) =>
        piecesBetween(
          at,
          each(DATES.length, (n) => entry(`${at}/${n}`, `<lastmod>${DATES[n]}</lastmod>`)),
        ),
      pages: ["/a", ...DATES.map((_, n) => `/${n}`), "/b"],
    },
    // All in one document, so that their cost adds up.
    many: {
      body: (at) =>
        piecesBetween(
          at,
          each(500, (n) => entry(`${at}/${n}`, `<lastmod>${DATES[2 + (n % 8)]!.slice(0, 2000)}</lastmod>`)),
        ),
    },
  },
  async check(context, { pages }) {
    for (const text of DATES) {
      const ms = await context.measurePart(() => void parseDate(text));
      context.expectInTime(ms < 1, `a date of ${text.length} characters took ${ms.toFixed(1)} ms`);
    }
    const invented = pages.filter(({ lastModified }) => lastModified?.value !== undefined);
    context.expectEqual(
      invented.filter(({ lastModified }) => Number.isNaN(lastModified?.value?.getTime())).length,
      0,
      "invalid dates",
    );
    context.note(`${invented.length} of ${pages.length} read as dates`);
  },
});

const PRIORITIES = [
  "1e999",
  "NaN",
  "-5",
  "0,5",
  "Infinity",
  "-0",
  "0x1",
  "1".repeat(100_000),
  "1e-400",
  "null",
];

const x19 = documentCase({
  id: "sec-X19",
  server: "priorities 1e999, NaN, -5, 0,5 and others",
  expected: "absent, or a number from 0 to 1",
  documents: {
    priorities: {
      body: (at) =>
        between(
          at,
          PRIORITIES.map((text, n) => entry(`${at}/${n}`, `<priority>${text}</priority>`)).join(""),
        ),
      pages: ["/a", ...PRIORITIES.map((_, n) => `/${n}`), "/b"],
      codes: ["priority.format", "priority.range"],
    },
  },
  check(context, { pages }) {
    for (const { url, priority } of pages) {
      if (priority === undefined) continue;
      const isSound = priority >= 0 && priority <= 1 && !Object.is(priority, -0);
      context.expect(isSound, `priority ${priority} of ${url}`);
    }
    context.expectEqual(pages.find(({ url }) => url.endsWith("/3"))?.priority, 0.5, "priority of 0,5");
  },
});

const x20: HostileCase = {
  id: "sec-X20",
  server: "a stylesheet, XInclude, a schema location, xml:base and an image on another server",
  expected: "found; only sitemaps are requested",
  bounds: { requests: 2 },
  async serve(stage) {
    const trap = await stage.tcp((socket) => socket.destroy());
    const documents: Record<string, HostileDocument> = {
      sitemap: {
        body: (at) =>
          `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="http://${trap}/x.xsl"?>` +
          between(
            at,
            `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="http://${trap}/i.xml" parse="xml"/>` +
              `<url xml:base="http://${trap}/"><loc>c</loc><image:image ${IMAGE}>` +
              `<image:loc>http://${trap}/i.jpg</image:loc></image:image></url>`,
          ).replace(
            "<urlset ",
            '<urlset xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
              `xsi:schemaLocation="http://${trap}/ns http://${trap}/x.xsd" `,
          ),
      },
    };
    return { url: await serveDocuments(stage, documents), trap };
  },
  async run(context) {
    const { document } = await context.walk(context.url());
    context.expectSitemap(document, { outcome: "found", pageCount: 3 });
    const { connectionsOf } = await context.facts();
    context.expectEqual(connectionsOf[String(context.site["trap"])], 0, "connections to the trap");
    return `${outcomeOf(document)}, 0 connections`;
  },
};

const HTML =
  "&lt;p class='x'&gt;Some words &amp;amp; a <![CDATA[<a href='https://evil.example/'>link</a>]]>&lt;/p&gt;\n";

const x21 = documentCase({
  id: "sec-X21",
  server: "RSS and Atom with bodies of 50 MB of HTML",
  expected: "found: links, titles and dates of all entries, constant memory",
  bounds: { rssMiB: 48 },
  walk: { limits: LARGE_LIMITS },
  documents: {
    rss: {
      body: (at) =>
        join(
          '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item>',
          `<link>${at}/a</link><description>`,
          fill(HTML, 25 * MIB),
          "</description><content:encoded>",
          fill(HTML, 25 * MIB),
          `</content:encoded></item><item><link>${at}/b</link></item></channel></rss>`,
        ),
      pages: AB,
    },
    atom: {
      body: (at) =>
        join(
          '<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="html">',
          fill(HTML, 50 * MIB),
          `</content><link href="${at}/a"/></entry><entry><link href="${at}/b"/></entry></feed>`,
        ),
      pages: AB,
    },
  },
  check(context, { pages }) {
    context.expect(!JSON.stringify(pages).includes("evil"), "a link from the HTML");
  },
});

const x22 = documentCase({
  id: "sec-X22",
  server: "XML 1.1 with control characters, raw and by reference",
  expected: "found; no control character in any field",
  documents: {
    urlset: {
      body: (at) =>
        `<?xml version="1.1"?>${between(
          at,
          entry(`${at}/c${CONTROLS}`, `<news:news><news:title>N${CONTROLS}</news:title></news:news>`),
        )}`,
      codes: ["xml.control-char", "xml.bad-char-ref"],
    },
    rss: {
      body: (at) =>
        `<?xml version="1.1"?><rss><channel><item><title>T${CONTROLS}</title><link>${at}/a</link></item></channel></rss>`,
      pages: ["/a"],
      codes: ["xml.control-char", "xml.bad-char-ref"],
    },
  },
  check(context, { pages }) {
    context.expectEqual(pages.length, 4, "pages");
    const held = pages.filter((page) =>
      /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(Object.values(page).map(String).join()),
    );
    context.expectEqual(held, [], "pages with control characters");
    const text = JSON.stringify(pages);
    context.expect(!/\\u00[01]|\\b|\\f/.test(text), "a control character in a field");
  },
});

export const cases: readonly HostileCase[] = [
  x01,
  x02,
  x03,
  x04,
  x05,
  x06,
  x07,
  x08,
  x09,
  x10,
  x11,
  x12,
  x13,
  x14,
  x15,
  x16,
  x17,
  x18,
  x19,
  x20,
  x21,
  x22,
];
