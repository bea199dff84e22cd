/** What `checkPages` reads of the responses of real servers: encodings, incomplete bodies, and unusual HTML. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CheckOptions, checkPages, type Finding } from "../../src/index.ts";
import { openSite, type SiteAnswer, type SiteHandler, type TestSite } from "../support/test-site.ts";

const NOINDEX = '<meta name="robots" content="noindex">';
const TYPE = { "content-type": "text/html; charset=utf-8" };

function html(name: string, head = "", body = `Some words about ${name}.`): string {
  return `<!doctype html><html lang="en"><head><title>${name}</title>${head}</head><body>${body}</body></html>`;
}

const served = (body: string | Uint8Array, headers: SiteAnswer["headers"] = {}): SiteAnswer => ({
  headers: { ...TYPE, ...headers },
  body,
});

type Routes = Readonly<Record<string, SiteAnswer | SiteHandler>>;

/** The findings by path, each as a rule, or as a rule with its detail. */
type Found = Record<string, string[]>;

async function checkAll(
  routes: Routes,
  options: CheckOptions = {},
  show: (finding: Finding) => string = ({ rule }) => rule,
): Promise<{ site: TestSite; found: Found }> {
  const site = await openSite(() => ({ "/robots.txt": "User-agent: *\nDisallow: /private\n", ...routes }));
  const pages = Object.keys(routes)
    .filter((path) => path !== "/robots.txt")
    .map((path) => site.url + path);
  const found: Found = {};
  for await (const finding of checkPages({ pages }, { allowPrivateNetworks: true, ...options })) {
    const { pathname } = new URL(finding.url);
    found[pathname] = [...(found[pathname] ?? []), show(finding)];
  }
  return { site, found };
}

const detail = ({ rule, places }: Finding): string => `${rule}: ${places[0]?.detail}`;

/** Writes a response byte by byte as given. */
const raw =
  (text: string): SiteHandler =>
  ({ socket }) => {
    socket.end(text);
    return new Promise(() => {});
  };

describe("compressed pages", () => {
  const text = html("a rose", NOINDEX);
  const big = html("a tulip", NOINDEX, "Words. ".repeat(40_000));
  it.each([
    ["gzip", "gzip", gzipSync],
    ["zlib", "deflate", deflateSync],
    ["raw deflate", "deflate", deflateRawSync],
    ["brotli", "br", brotliCompressSync],
    ["gzip twice", "gzip, gzip", (body: string) => gzipSync(gzipSync(body))],
    ["gzip in brotli", "gzip, br", (body: string) => brotliCompressSync(gzipSync(body))],
    ["no compression in spite of the header", "gzip", (body: string) => body],
  ] as const)("reads %s", async (_, encoding, compress) => {
    const headers = { "content-encoding": encoding };
    const { found } = await checkAll({
      "/small": served(compress(text), headers),
      "/big": served(compress(big), headers),
    });
    expect(found).toEqual({ "/small": ["page.noindex"], "/big": ["page.noindex"] });
  });

  it("leaves archives alone that are listed as pages", async () => {
    const zip = Buffer.from("504b0304140000000000", "hex");
    const { found } = await checkAll({
      "/a.zip": { headers: { "content-type": "application/zip" }, body: zip },
      "/b.gz": { headers: { "content-type": "application/gzip" }, body: gzipSync("") },
    });
    expect(found).toEqual({});
  });

  it("reads only the start of a decompression bomb", async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(200_000_000, 32), { level: 9 }), { level: 9 });
    const { found } = await checkAll({ "/a": served(bomb, { "content-encoding": "gzip, gzip" }) });
    expect(found).toEqual({});
  });

  it.each(["gzip", "deflate", "br"] as const)("obeys a robots.txt in %s", async (encoding) => {
    const compress = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding];
    const rules = compress("User-agent: *\nDisallow: /private\n");
    const { site, found } = await checkAll({
      "/robots.txt": { headers: { "content-encoding": encoding }, body: rules },
      "/private/a": served(text),
    });
    expect(found).toEqual({ "/private/a": ["page.robots-disallowed"] });
    expect(site.count("/private/a")).toBe(0);
  });
});

it("fetches robots.txt once, even if many pages wait for it", async () => {
  const paths = Array.from({ length: 12 }, (_, i) => `/${i}`);
  const routes = Object.fromEntries(paths.map((path) => [path, served(html(path))]));
  const robots: SiteAnswer = { body: "User-agent: *\nDisallow:\n", delayMs: 100 };
  const { site, found } = await checkAll({ ...routes, "/robots.txt": robots });
  expect(found).toEqual({});
  expect(site.count("/robots.txt")).toBe(1);
});

describe("encodings", () => {
  const text = html("café", NOINDEX);
  const utf16be = Buffer.from(`\ufeff${text}`, "utf16le").swap16();
  it.each([
    ["UTF-16LE with a byte order mark", "text/html", Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16BE with a byte order mark", "text/html", utf16be],
    ["a byte order mark against the header", "text/html; charset=iso-8859-1", utf16be],
    ["latin1", "text/html; charset=iso-8859-1", Buffer.from(text, "latin1")],
    ["a <meta> that declares UTF-16", "text/html", `<meta charset="utf-16">${text}`],
  ])("reads %s", async (_, type, body) => {
    const { found } = await checkAll({ "/a": served(body, { "content-type": type }) });
    expect(found).toEqual({ "/a": ["page.noindex"] });
  });

  it("recognizes HTML in UTF-16 without a Content-Type", async () => {
    const { found } = await checkAll({ "/a": { body: utf16be } });
    expect(found).toEqual({ "/a": ["page.no-content-type", "page.noindex"] });
  });
});

describe("pages without optional tags", () => {
  it.each([
    "<!doctype html><html lang=en><meta charset=utf-8><title>One</title><p>Some text<p>More text",
    "<!doctype html><title>Two</title><link rel=icon href=/i><p>Some text</p>",
    "<title>Three</title>Some text",
    "<title>Four</title><style>p { color: red }</style><script>var a = 1;</script>Some text",
  ])("finds the text of %j", async (body) => {
    expect((await checkAll({ "/a": served(body) })).found).toEqual({});
  });

  it.each([
    "<!doctype html><html lang=en><title>One</title>\n<style>p {}</style>\n<noscript>Some text</noscript>",
    "<title>Two</title><title>Three</title><div></div>",
  ])("reports %j as empty", async (body) => {
    expect((await checkAll({ "/a": served(body) })).found).toEqual({ "/a": ["page.empty"] });
  });
});

describe("pages that were not read completely", () => {
  it("claims nothing about what may follow after the first 128 KiB", async () => {
    const style = `<style>${".a{color:red}".repeat(12_000)}</style>`;
    const start = `<!doctype html><html lang="en"><head>${style}`;
    const de = '<link rel="alternate" hreflang="de" href="/de">';
    const { found } = await checkAll({
      "/a": served(html("a", style)),
      "/b": served(`${start}<title>b</title></head><body>Some text</body></html>`),
      "/c": served(html("c", de + style)),
      "/d": served(
        html("Page not found", `<script>${"a();".repeat(40_000)}</script>`, "Words. ".repeat(500)),
      ),
    });
    expect(found).toEqual({});
  });

  it("reports a body that does not arrive in time as a timeout", async () => {
    const drip: SiteHandler = ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<html>xx");
      return new Promise(() => {});
    };
    const { found } = await checkAll({ "/a": drip }, { limits: { idleMs: 200, retries: 0 } }, detail);
    expect(found).toEqual({ "/a": ["page.timeout: the response was not complete in time"] });
  });

  it("reports a body that ends early, and damaged compression", async () => {
    const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    const gzip = gzipSync(html("b"));
    const { found } = await checkAll(
      {
        "/a": raw(`${head}Content-Length: 9999\r\n\r\n${html("a")}`),
        "/b": served(gzip.subarray(0, gzip.length - 20), { "content-encoding": "gzip" }),
      },
      {},
      detail,
    );
    expect(found).toEqual({
      "/a": ["page.incomplete: the response ends early"],
      "/b": ["page.incomplete: the compressed data ends early or is damaged"],
    });
  });

  it("reports a page whose Content-Length is above all limits", async () => {
    const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99000000000\r\n\r\n";
    const { found } = await checkAll({ "/a": raw(head + html("a", "", "Words. ".repeat(40_000))) });
    expect(found).toEqual({ "/a": ["page.too-large"] });
  });
});

describe("responses", () => {
  it.each([600, 999])("reports the status %i", async (status) => {
    const line = `HTTP/1.1 ${status} Denied\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    const options = { limits: { backoffMs: 1 } };
    const { found } = await checkAll({ "/a": raw(line) }, options, detail);
    expect(found).toEqual({ "/a": [`page.status-unusual: status ${status}`] });
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "http://[bad"])(
    "reports a redirect to %s once",
    async (location) => {
      const { found } = await checkAll({ "/a": { status: 301, headers: { location } } });
      expect(found).toEqual({ "/a": ["page.redirect-broken"] });
    },
  );

  it("does not count a pause that the server asked for as slowness", async () => {
    const handler: SiteHandler = (_request, _response, times) =>
      times === 1 ? { status: 429, headers: { "retry-after": "6" } } : served(html("a"));
    const { found } = await checkAll({ "/a": handler });
    expect(found).toEqual({});
  }, 20_000);

  it("reads language links in the header Link", async () => {
    const links = '</a>; rel="alternate"; hreflang="en", </b>; rel=alternate; hreflang=de';
    const own =
      '<link rel="alternate" hreflang="en" href="/a"><link rel="alternate" hreflang="de" href="/b">';
    const { found } = await checkAll({
      "/a": served(html("a"), { link: links }),
      "/b": served(html("b", own).replace('lang="en"', 'lang="de"')),
    });
    expect(found).toEqual({});
  });
});

it("keeps only links of the web in its state file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-check-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const long = `</${"\u00e4".repeat(4000)}>; rel=alternate; hreflang=fr`;
  const link = `<android-app://com.example/a>; rel=alternate; hreflang=de, ${long}`;
  const site = await openSite(() => ({ "/a": served(html("a"), { link }) }));
  const options = { allowPrivateNetworks: true, state: join(folder, "a.check") };
  const pages = [{ url: `${site.url}/a`, lastModified: "2026-01-01" }];
  for (const _ of [1, 2])
    for await (const finding of checkPages({ pages }, options)) expect(finding).toBe("");
  expect(site.count("/a")).toBe(1);
});

it("reports a server that cannot be reached, not its robots.txt", async () => {
  const site = await openSite(() => ({}));
  await site.close();
  const found: string[] = [];
  const options = { allowPrivateNetworks: true, limits: { retries: 0 } };
  for await (const { rule } of checkPages({ pages: [`${site.url}/a`] }, options)) found.push(rule);
  expect(found).toEqual(["page.unreachable"]);
});

describe("noindex", () => {
  it.each([
    ["googlebot: noindex", true],
    ["otherbot: nofollow, googlebot: noindex", true],
    ["googlebot: nofollow, none", true],
    ["max-snippet: -1, noindex", true],
    ["bingbot: noindex", false],
    ["googlebot: nofollow, otherbot: noindex, none", false],
  ])("reads the header %j", async (tag, isNoindex) => {
    const { found } = await checkAll({ "/a": served(html("a"), { "x-robots-tag": tag }) });
    expect(found).toEqual(isNoindex ? { "/a": ["page.noindex-header"] } : {});
  });

  it.each([
    ['<meta name="robots" content="all"><meta name="robots" content="noindex">', "robots: all, noindex"],
    ['<meta name="robots" content="all"><meta name="googlebot" content="noindex">', "googlebot: noindex"],
  ])("shows what forbids indexing in %j", async (head, text) => {
    const { found } = await checkAll({ "/a": served(html("a", head)) }, {}, detail);
    expect(found).toEqual({ "/a": [`page.noindex: ${text}`] });
  });

  it("ignores the content of <noscript>", async () => {
    const refresh = '<meta http-equiv="refresh" content="0; url=/no-script">';
    const { found } = await checkAll({
      "/a": served(html("a", `<noscript>${NOINDEX}${refresh}</noscript>`)),
    });
    expect(found).toEqual({});
  });
});

it("does not take the title of an image for the title of the page", async () => {
  const body = "<html lang=en><body><svg><title>Icon</title></svg><p>Some text</p></body></html>";
  const { found } = await checkAll({
    "/a": served(body),
    "/b": served(body.replace("<p>", "<title>Late</title><p>")),
  });
  expect(found).toEqual({ "/a": ["page.no-title"] });
});
