/**
 * Hostile HTML sitemaps and llms.txt (Markdown): sec-M01 to sec-M03. Both formats are read only if the caller asks for
 * them. A page of such a document is a link. Each document has a link before and after the attack.
 */
import { type Bounds, type CaseWalkOptions, type HostileCase, MIB } from "../case.ts";
import { documentCase, each, fill, type HostileDocument, join } from "../documents.ts";

type Part = string | Iterable<string | Uint8Array>;

const SIZE = MIB;
const LINKS = 100_000;
const bounds: Bounds = { ms: 30_000, cpuMs: 6000, wireBytes: 48 * MIB, decodedBytes: 48 * MIB };
const walk: CaseWalkOptions = {
  htmlSitemaps: true,
  useLlmsTxt: true,
  limits: {
    wireBytes: 50 * MIB,
    decodedBytes: 50 * MIB,
    urls: Number.POSITIVE_INFINITY,
    requestMs: 60_000,
    cpuMs: 60_000,
  },
};

const BOTH = ["/a", "/b"];
const FIRST = ["/a"];

// ---------------------------------------------------------------- HTML

const html = (pages: readonly string[], ...middle: readonly Part[]): HostileDocument => ({
  body: (at) =>
    join(
      `<!doctype html><title>Sitemap</title><a href="${at}/a">A</a>`,
      ...middle,
      `<a href="${at}/b">B</a>`,
    ),
  pages,
});

/** Ten levels of entities that would be 10^10 characters. HTML declares no entities: they are text. */
const ENTITIES = Array.from({ length: 10 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join(
  "",
);

const htmlDocuments: Readonly<Record<string, HostileDocument>> = {
  nesting: html(BOTH, fill("<div><ul><li><svg><math><table>", SIZE)),
  templates: html(FIRST, fill("<template>", SIZE)),
  "unclosed-tag": html(FIRST, fill("<a <b ", SIZE), '<c d="'),
  "unclosed-comment": html(FIRST, "<!--", fill("<!-- -- --!", SIZE)),
  "unclosed-script": html(FIRST, "<script>", fill("</scrip", SIZE)),
  "unclosed-links": html(BOTH, fill("<a href=/>", SIZE)),
  "less-than": html(BOTH, fill("<<<", SIZE), ">"),
  attributes: html(
    BOTH,
    "<a ",
    each(60_000, (n) => `a${n}=${n} `),
    ">",
  ),
  "long-attribute": html(BOTH, '<a href="/', fill("x", SIZE), '">X</a>'),
  "long-name": html(BOTH, "<", fill("x", SIZE), ">"),
  "giant-text": html(BOTH, '<a href="/">', fill("x y ", SIZE), "</a>"),
  "giant-title": html(BOTH, "<title>", fill("sitemap ", SIZE), "</title>"),
  entities: html(BOTH, `<!DOCTYPE html [${ENTITIES}]>`, '<a href="/&e10;">&e10;</a>'),
  references: html(
    BOTH,
    '<a href="/',
    fill("&amp;", SIZE),
    '">',
    fill("&amp;amp;&#38;&eacute;&", SIZE),
    "</a>",
  ),
};

// ---------------------------------------------------------------- llms.txt

const llms = (name: string, pages: readonly string[], ...middle: readonly Part[]): HostileDocument => ({
  body: (at) => join(`# T\n- [A](${at}/a)\n`, ...middle, `\n\n- [B](${at}/b)\n`),
  path: `/${name}/llms.txt`,
  pages,
});

/** Runs of backticks of ever new lengths: none closes another one. */
const backticks = (): Iterable<string> => each(4000, (n) => `${"`".repeat(n)} `);

const llmsDocuments: Readonly<Record<string, HostileDocument>> = {
  brackets: llms("brackets", BOTH, fill("[", SIZE)),
  nesting: llms("nesting", BOTH, fill("[[[[[\n> > > > - - - -\n", SIZE)),
  "unclosed-links": llms("unclosed-links", BOTH, fill("[a](", SIZE)),
  "unclosed-targets": llms("unclosed-targets", BOTH, fill('[a](<\n[a](( "\n', SIZE)),
  backticks: llms("backticks", BOTH, backticks()),
  fence: llms("fence", FIRST, "```\n", fill("[a](/a)\n", SIZE)),
  comment: llms("comment", FIRST, "<!--", fill("<!-- [a](/a)\n", SIZE)),
  emphasis: llms("emphasis", BOTH, fill("*_**~~`a", SIZE)),
  headings: llms("headings", BOTH, fill("## x\n===\n", SIZE)),
  "long-target": llms("long-target", BOTH, "[a](/", fill("x", SIZE), ")"),
  "giant-title": llms("giant-title", BOTH, "[", fill("x y ", SIZE), "](/)"),
  entities: llms("entities", BOTH, `<!DOCTYPE html [${ENTITIES}]>\n[&e10;](/x/&e10;)`, fill("&amp;", SIZE)),
};

// ---------------------------------------------------------------- the cases

const many: Readonly<Record<string, HostileDocument>> = {
  "many.html": {
    body: (at) =>
      join(
        "<!doctype html>",
        each(LINKS, (n) => `<a href="${at}/${n}">t</a>`),
      ),
    ends: { outcome: "found", pageCount: LINKS },
  },
  "many.md": {
    body: (at) =>
      join(
        "# T\n",
        each(LINKS, (n) => `- [t](${at}/${n})\n`),
      ),
    path: "/many/llms.txt",
    ends: { outcome: "found", pageCount: LINKS },
  },
};

export const cases: readonly HostileCase[] = [
  documentCase({
    id: "sec-M01",
    server:
      "HTML sitemaps of 1 MiB: open elements and templates, tags, comments and scripts without end, 60,000 attributes, values, names and texts of 1 MiB, entities, references",
    expected: "the links before the attack found, those after it if a browser finds them; no text expanded",
    bounds: { ...bounds, wireBytes: 24 * MIB, decodedBytes: 24 * MIB },
    documents: htmlDocuments,
    walk,
  }),
  documentCase({
    id: "sec-M02",
    server:
      "llms.txt of 1 MiB: brackets, links, targets, code and comments without end, emphasis, headings, targets and titles of 1 MiB, entities",
    expected:
      "the links before the attack found, those after it unless code or a comment goes on; no text expanded",
    bounds: { ...bounds, wireBytes: 24 * MIB, decodedBytes: 24 * MIB },
    documents: llmsDocuments,
    walk,
  }),
  documentCase({
    id: "sec-M03",
    server: "an HTML sitemap and an llms.txt with 100,000 links each",
    expected: "100,000 pages each, in constant memory",
    bounds: { ...bounds, cpuMs: 6000 },
    documents: many,
    apart: true,
    walk: { ...walk, keepPages: 0 },
  }),
];
