/**
 * Misuse of every public function: a TypeError that names the function, the option, the value and what is allowed. The
 * cases come from the option tables of the functions, so a new option is tested without a new line here.
 */
import { describe, expect, it } from "vitest";
import type { OptionRules } from "../../src/check/check-options.ts";
import * as escaping from "../../src/escape/index.ts";
import * as siteatlas from "../../src/index.ts";
import * as output from "../../src/output/index.ts";
import { SYNC_OPTIONS } from "../../src/sync/options.ts";
import { WALK_OPTIONS } from "../../src/walk/option-rules.ts";
import { serve } from "../support/http-server.ts";

/** Nothing listens there, and nothing may be requested. */
const HOMEPAGE = "http://127.0.0.1:9/";

/** Its folder does not exist. */
const NO_FILE = "missing/example.tree.gz";

type Call = (options: unknown) => unknown;

/** A generator is never iterated: it must throw at the call. A promise must reject. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const result = call();
    if (result instanceof Promise) await result;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The functions that have options, and the names of those. */
const FUNCTIONS: Readonly<Record<string, readonly [call: Call, names: readonly string[]]>> = {
  walkSitemaps: [(o) => siteatlas.walkSitemaps(HOMEPAGE, o as object), Object.keys(WALK_OPTIONS)],
  streamPages: [(o) => siteatlas.streamPages(HOMEPAGE, o as object), Object.keys(WALK_OPTIONS)],
  streamPageBatches: [(o) => siteatlas.streamPageBatches(HOMEPAGE, o as object), Object.keys(WALK_OPTIONS)],
  sitemapTreeForHomepage: [
    (o) => siteatlas.sitemapTreeForHomepage(HOMEPAGE, o as object),
    Object.keys(WALK_OPTIONS),
  ],
  syncSite: [
    (o) => siteatlas.syncSite(HOMEPAGE, addTo(o, { snapshot: "a.gz" }) as { snapshot: string }),
    Object.keys(SYNC_OPTIONS),
  ],
  createNodeClient: [
    (o) => siteatlas.createNodeClient(o as object),
    ["proxy", "allow", "homepage", "lookup", "connectTimeoutMs", "connections", "keepAliveMs", "connect"],
  ],
  parseSitemap: [(o) => siteatlas.parseSitemap("", o as object), ["url", "contentType", "strict", "limits"]],
  parseEntries: [(o) => siteatlas.parseEntries("", o as object), ["url", "contentType", "strict", "limits"]],
  parseRobotsTxt: [(o) => siteatlas.parseRobotsTxt("", o as object), ["url", "strict", "limits"]],
  parseDate: [(o) => siteatlas.parseDate("2024", o as object), ["context", "now"]],
  saveTree: [(o) => siteatlas.saveTree(TREE, NO_FILE, o as object), ["signal"]],
  loadTree: [
    (o) => siteatlas.loadTree(NO_FILE, o as object),
    ["root", "maxBytes", "maxSitemaps", "maxPages", "signal"],
  ],
  treeFromJson: [(o) => siteatlas.treeFromJson("", o as object), ["root", "maxSitemaps", "maxPages"]],
  allPages: [(o) => siteatlas.allPages(TREE, o as object), ["unique"]],
  ParquetTable: [
    (o) =>
      new output.ParquetTable(
        { write() {} },
        output.pageColumns((row: never) => row),
        o as object,
      ),
    ["name", "metadata"],
  ],
};

const TREE = { kind: "index", format: "website", subSitemaps: [], pages: [] } as unknown as siteatlas.Sitemap;

function addTo(options: unknown, more: object): unknown {
  return Object.getPrototypeOf(options ?? 0) === Object.prototype
    ? { ...more, ...(options as object) }
    : options;
}

describe.each(Object.entries(FUNCTIONS))("%s", (name, [call, options]) => {
  it.each(options)("%s rejects a symbol, with the option and what is allowed", async (option) => {
    const error = await errorOf(() => call({ [option]: Symbol("wrong") }));
    expect(error).toBeInstanceOf(TypeError);
    const { message } = error as TypeError;
    expect(message).toMatch(new RegExp(`^${name}: option ${option}\\b`));
    expect(message).toMatch(/ must be \S.*, not (Symbol\(wrong\)|this symbol)/);
  });

  it.each(options)("%s rejects null", async (option) => {
    expect(await errorOf(() => call({ [option]: null }))).toBeInstanceOf(TypeError);
  });

  it.each(options)("%s may be undefined", async (option) => {
    if (name === "syncSite" && option === "snapshot") return;
    const error = await errorOf(() => (isLazy(name) ? call({ [option]: undefined }) : undefined));
    expect(error).toBeUndefined();
  });

  it("reports an unknown option with the nearest known one", async () => {
    const [known] = options as [string];
    const typo = `${known.slice(0, -1)}_`;
    const error = await errorOf(() => call({ [typo]: true }));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as TypeError).message).toBe(`${name}: unknown option ${typo}. Did you mean ${known}?`);
  });

  const notObjects = [null, "strict", 3, [], true, Promise.resolve({}), new Map(), new Date(0)];
  it.each(notObjects.map((value) => [value]))("rejects options that are %j", async (options) => {
    const error = await errorOf(() => call(options));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as TypeError).message).toMatch(new RegExp(`^${name}: options must be an object`));
  });
});

/** Whether a call without faults requests nothing and reads no file. */
function isLazy(name: string): boolean {
  return !["sitemapTreeForHomepage", "saveTree", "loadTree", "treeFromJson"].includes(name);
}

/** A client that wraps this value, or itself. */
function wrapping(wraps: unknown): siteatlas.Client {
  const client = async (): Promise<never> => expect.fail("no request may be sent");
  return Object.assign(client, { wraps: wraps === "itself" ? client : wraps }) as siteatlas.Client;
}

const CLIENT_OPTIONS = { insecure: false, allowPrivateNetworks: false };
const CLIENT_VALUES = {
  proxy: "http://127.0.0.1:9/",
  ca: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
  allow: ["127.0.0.1"],
  insecure: true,
  allowPrivateNetworks: true,
};

/** Typical mistakes of new users, and the messages about them. */
const FIRST_HOUR: readonly (readonly [options: unknown, message: string])[] = [
  [{ crossHost: "no" }, 'option crossHost must be "follow", "same-site" or "none", not "no"'],
  [{ knownPaths: "all" }, 'option knownPaths must be "usual" or "thorough", not "all"'],
  [
    { useKnownPaths: "whenEmpty" },
    'option useKnownPaths must be true, false or "when-empty", not "whenEmpty". Did you mean "when-empty"?',
  ],
  [{ useRobots: "false" }, 'option useRobots must be true or false, not "false"'],
  [
    { extraKnownPaths: "/a.xml" },
    'option extraKnownPaths must be an array of paths, not "/a.xml". Put it into an array.',
  ],
  [
    { extraKnownPaths: ["/ok", "https://me:pw@example.com/a.xml"] },
    'option extraKnownPaths[1] must be a path such as /my-sitemap.xml, not "https://***@example.com/a.xml". ' +
      "To read one sitemap, start at its URL: { sitemaps: [url] }.",
  ],
  [
    { client: {} },
    "option client must be a function that sends a request, such as fetchClient(fetch) or createNodeClient(), " +
      "not an object",
  ],
  [
    { client: fetch },
    "option client must be a function that sends a request, such as fetchClient(fetch) or createNodeClient(), " +
      "not fetch itself. Pass fetchClient(fetch).",
  ],
  [{ client: wrapping(5) }, "option client.wraps must be a client, which is a function, not 5"],
  [{ client: wrapping(null) }, "option client.wraps must be a client, which is a function, not null"],
  [
    { client: wrapping("itself") },
    "option client.wraps must be a client that does not wrap this one, not a cycle of clients",
  ],
  [
    { client: wrapping(wrapping("itself")) },
    "option client.wraps.wraps must be a client that does not wrap this one, not a cycle of clients",
  ],
  ...(["proxy", "ca", "allow", "insecure", "allowPrivateNetworks"] as const).map(
    (name) =>
      [
        { client: wrapping(undefined), ...CLIENT_OPTIONS, [name]: CLIENT_VALUES[name] },
        `option ${name} has no effect together with client. Pass ${name} to createNodeClient instead.`,
      ] as const,
  ),
  [
    { signal: new AbortController() },
    "option signal must be an AbortSignal, not an AbortController. Pass its signal property.",
  ],
  [{ concurrency: "2" }, 'option concurrency must be a whole number of at least 1, or Infinity, not "2"'],
  [{ limits: { url: 3 } }, "unknown option limits.url. Did you mean urls?"],
  [{ limits: { urls: "3" } }, 'option limits.urls must be a number of at least 0, not "3"'],
  [{ maxPages: 3 }, "unknown option maxPages. Did you mean limits.urls?"],
  [{ timeout: 3 }, "unknown option timeout. Did you mean limits.requestMs?"],
  [{ retries: 3 }, "unknown option retries. Did you mean limits.retries?"],
  [{ limits: { maxPages: 3 } }, "unknown option limits.maxPages. Did you mean urls?"],
  [{ proxy: "nope" }, 'option proxy must be an http or https URL, or "environment", not "nope"'],
  [
    { auth: "me:hidden", headers: { Authorization: "Bearer hidden" } },
    "option auth and the header authorization both name credentials. Keep one of them.",
  ],
  [{ ca: "x" }, "option ca must be one or more certificates in PEM format, not this string"],
  [
    { allow: ["10.0.0.0/99"] },
    'option allow[0] must be a host, a host with a port, or a range of addresses, not "10.0.0.0/99"',
  ],
  [{ limits: 3 }, "option limits must be an object, not 3"],
  [{ croshost: "none" }, "unknown option croshost. Did you mean crossHost?"],
  [
    { headers: "Cookie: secret" },
    "option headers must be a Headers object, or an object with strings, not this string",
  ],
  [
    { headers: [["cookie", "secret"]] },
    "option headers must be a Headers object, or an object with strings, not an array",
  ],
  [
    { headers: { cookie: "secret\r\nx: y" } },
    "option headers.cookie must be a Latin-1 string without line breaks or other control characters, " +
      "not this string",
  ],
  [
    { headers: { cookie: 7 } },
    "option headers.cookie must be a Latin-1 string without line breaks or other control characters, not 7",
  ],
  [{ headers: { "bad name": "x" } }, 'option headers must be an object with valid header names, not "bad …"'],
  ...["Transfer-Encoding", "upgrade", "keep-alive", "expect", "content-length"].map(
    (name) =>
      [
        { headers: { [name]: "x" } },
        `option headers must be an object without headers that the client sets itself, not one with "${name}"`,
      ] as const,
  ),
  [
    { headers: new Headers({ connection: "upgrade" }) },
    'option headers.connection must be "close" or "keep-alive", not "upgrade"',
  ],
  [
    { userAgent: "a\nb" },
    'option userAgent must be a Latin-1 string without line breaks or other control characters, not "a\\nb"',
  ],
  [
    { allow: "localhost" },
    'option allow must be an array of hosts and address ranges or a function, not "localhost". ' +
      "Put it into an array.",
  ],
  [{ limits: Promise.resolve({}) }, "option limits must be an object, not a Promise. Did you forget await?"],
];

it.each(FIRST_HOUR)("%j", async (options, message) => {
  const error = await errorOf(() => siteatlas.walkSitemaps(HOMEPAGE, options as object));
  expect(error).toBeInstanceOf(TypeError);
  expect((error as TypeError).message).toBe(`walkSitemaps: ${message}`);
});

it.each([
  ["concurrency", 0],
  ["concurrency", Number.NaN],
  ["concurrency", 1.5],
  ["delayMs", -1],
  ["delayMs", Number.POSITIVE_INFINITY],
  ["randomDelayMs", Number.POSITIVE_INFINITY],
  ["limits.backoffMs", Number.POSITIVE_INFINITY],
])("%s %j is a RangeError", async (name, value) => {
  const [option = "", limit] = name.split(".");
  const options = { [option]: limit === undefined ? value : { [limit]: value } };
  const error = await errorOf(() => siteatlas.walkSitemaps(HOMEPAGE, options));
  expect(error).toBeInstanceOf(RangeError);
  expect((error as RangeError).message).toMatch(
    new RegExp(`option ${name} must be a (whole|finite) number of at least [01].*, not ${value}$`),
  );
});

it("syncSite rejects a percentage as massRemoval", () => {
  const call = (o: object) => siteatlas.syncSite(HOMEPAGE, { snapshot: "a.gz", ...o });
  for (const massRemoval of [20, -0.1, 1.01, Number.NaN]) {
    expect(() => call({ massRemoval })).toThrow(
      new RangeError(
        `syncSite: option massRemoval must be a share from 0 to 1, such as 0.2 for 20 %, not ${massRemoval}`,
      ),
    );
  }
  for (const massRemoval of [0, 0.2, 1]) expect(() => call({ massRemoval })).not.toThrow();
});

it("the message describes values that are nearly right", () => {
  const create = siteatlas.createNodeClient;
  expect(() => create({ homepage: "nope" })).toThrow(
    'createNodeClient: option homepage must be an absolute URL or an array of URLs, not "nope"',
  );
  for (const homepage of [new URL(HOMEPAGE), [HOMEPAGE, new URL(HOMEPAGE)]]) {
    expect(() => create({ homepage })).not.toThrow();
  }
  expect(() => create({ insecure: ["https://a/"] })).toThrow(
    'createNodeClient: option insecure[0] must be a host such as staging.example.com, not "https://a/"',
  );
  expect(() => siteatlas.parseDate("2024", { now: new Date(Number.NaN) })).toThrow(/ not an invalid Date$/);
  for (const [start, shown] of [
    [null, "null"],
    [5, "5"],
  ] as const) {
    expect(() => siteatlas.walkSitemaps(start as never)).toThrow(
      `Cannot read homepage URL: it must be a string or a URL object, not ${shown}`,
    );
  }
  expect(() => siteatlas.walkSitemaps({ sitemaps: [HOMEPAGE], useRobots: false } as never)).toThrow(
    'Cannot start here: unknown property "useRobots" beside sitemaps',
  );
});

it("an invalid start throws at the call", () => {
  for (const start of ["example.com", "ftp://127.0.0.1/", undefined, 3]) {
    expect(() => siteatlas.walkSitemaps(start as string)).toThrow(TypeError);
    expect(() => siteatlas.streamPages(start as string)).toThrow(TypeError);
    expect(() => siteatlas.streamPageBatches(start as string)).toThrow(TypeError);
    expect(() => siteatlas.syncSite(start as string, { snapshot: "a.gz" })).toThrow(TypeError);
  }
  expect(() => siteatlas.walkSitemaps(HOMEPAGE, { httpsOnly: true })).toThrow(TypeError);
  expect(() => siteatlas.walkSitemaps(HOMEPAGE, { proxy: "proxy:3128" })).toThrow(TypeError);
  expect(() => siteatlas.walkSitemaps(HOMEPAGE, { allow: ["a b"] })).toThrow(TypeError);
});

describe("callbacks", () => {
  it.each([
    [
      "recurseListCallback",
      undefined,
      "recurseListCallback: its result must be an array of URLs, not undefined",
    ],
    [
      "recurseListCallback",
      "http://a/",
      'recurseListCallback: its result must be an array of URLs, not "http://a/"',
    ],
    ["recurseListCallback", [3], "recurseListCallback: its result[0] must be a string, not 3"],
    ["recurseCallback", undefined, "recurseCallback: its result must be true or false, not undefined"],
    ["recurseCallback", "yes", 'recurseCallback: its result must be true or false, not "yes"'],
  ])("%s that returns %j", async (name, result, message) => {
    await using server = await serve({
      "/robots.txt": ({ headers }, response) => response.end(`Sitemap: http://${headers.host}/a.xml`),
    });
    for (const answer of [() => result, async () => result]) {
      const walk = siteatlas.sitemapTreeForHomepage(server.url, { [name]: answer });
      await expect(walk).rejects.toThrow(message);
      await expect(walk).rejects.toBeInstanceOf(TypeError);
    }
  });
});

const {
  htmlText,
  htmlAttribute,
  htmlHref,
  terminalText,
  logLine,
  logUrl,
  redactText,
  redactUrl,
  safeFileName,
} = escaping;
const TEXT_FUNCTIONS: Readonly<Record<string, (text: string) => string>> = {
  htmlText,
  htmlAttribute,
  htmlHref,
  terminalText,
  logLine,
  logUrl,
  redactText,
  redactUrl,
  safeFileName,
};

/** Arguments that are not options. */
const ARGUMENTS: readonly (readonly [name: string, call: (value: never) => unknown, message: RegExp])[] = [
  ["allPages", (tree) => siteatlas.allPages(tree), /^allPages: sitemap must be a sitemap of a tree, not /],
  ["allSitemaps", (tree) => siteatlas.allSitemaps(tree), /^allSitemaps: sitemap must be a sitemap of a tree/],
  [
    "saveTree",
    (tree) => siteatlas.saveTree(tree, NO_FILE),
    /^saveTree: tree must be a sitemap of a tree, not /,
  ],
  [
    "saveTree, path",
    (path) => siteatlas.saveTree(TREE, path),
    /^saveTree: path must be the path of a file or a file: URL, not /,
  ],
  [
    "loadTree",
    (path) => siteatlas.loadTree(path),
    /^loadTree: path must be the path of a file or a file: URL, not /,
  ],
  ["fetchClient", (fetch) => siteatlas.fetchClient(fetch), /^fetchClient: fetch must be a function, not /],
  ["readSnapshot", (path) => siteatlas.readSnapshot(path), /^readSnapshot: path must be the path of a file/],
  [
    "diffSnapshots",
    (path) => siteatlas.diffSnapshots(path, "b"),
    /^diffSnapshots: before must be the path of a file or/,
  ],
  [
    "syncSite",
    (snapshot) => siteatlas.syncSite(HOMEPAGE, { snapshot }),
    /^syncSite: option snapshot must be/,
  ],
  ["describeIssue", (code) => siteatlas.describeIssue(code), /^describeIssue: code must be an issue code/],
  [
    "parseSitemap",
    (source) => siteatlas.parseSitemap(source),
    /^parseSitemap: source must be a string, a Uint8Array/,
  ],
  [
    "parseEntries",
    (source) => siteatlas.parseEntries(source),
    /^parseEntries: source must be a string, a Uint8Array/,
  ],
  [
    "parseRobotsTxt",
    (text) => siteatlas.parseRobotsTxt(text),
    /^parseRobotsTxt: text must be a string, not /,
  ],
  ["parseDate", (text) => siteatlas.parseDate(text), /^parseDate: text must be a string, not /],
  [
    "isAllowed",
    (url) => siteatlas.parseRobotsTxt("").isAllowed(url, "bot"),
    /^isAllowed: url must be a URL or a path, not /,
  ],
  [
    "isAllowed, userAgent",
    (agent) => siteatlas.parseRobotsTxt("").isAllowed("/", agent),
    /^isAllowed: userAgent must be a string, not /,
  ],
  [
    "crawlDelay",
    (agent) => siteatlas.parseRobotsTxt("").crawlDelay(agent),
    /^crawlDelay: userAgent must be a string, not /,
  ],
  [
    "toRecord",
    (page) => output.toRecord(page, "https://a/"),
    /^toRecord: page must be a page, with a url, not /,
  ],
  ["kindOf", (page) => output.kindOf(page), /^kindOf: page must be a page/],
  ["languageOf", (page) => output.languageOf(page), /^languageOf: page must be a page/],
  ["pageColumns", (read) => output.pageColumns(read), /^pageColumns: read must be a function/],
  [
    "ParquetTable",
    (sink) =>
      new output.ParquetTable(
        sink,
        output.pageColumns((row: never) => row),
      ),
    /^ParquetTable: sink must be an object with a method write/,
  ],
  [
    "ParquetTable columns",
    (columns) => new output.ParquetTable({ write() {} }, columns),
    /^ParquetTable: columns must be an array of columns/,
  ],
  ...Object.entries(TEXT_FUNCTIONS).map(
    ([name, call]) =>
      [name, (text: never) => call(text), new RegExp(`^${name}: (text|url) must be a string, not `)] as const,
  ),
  ["redactHeaders", (headers) => escaping.redactHeaders(headers), /^redactHeaders: headers must be/],
];

describe.each(ARGUMENTS)("%s", (_, call, message) => {
  it.each([3, true, Symbol("wrong"), null].map((value) => [value]))("rejects %j", async (value) => {
    const error = await errorOf(() => call(value as never));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as TypeError).message).toMatch(message);
  });
});

it("the message suggests a forgotten await", async () => {
  const tree = Promise.resolve(TREE);
  const allPages = siteatlas.allPages as (tree: unknown) => unknown;
  expect(() => allPages(tree)).toThrow(
    new TypeError("allPages: sitemap must be a sitemap of a tree, not a Promise. Did you forget await?"),
  );
  const error = await errorOf(() => siteatlas.parseSitemap(Promise.resolve("") as never));
  expect((error as TypeError).message).toMatch(/, not a Promise\. Did you forget await\?$/);
});

it("an empty path and an http URL are not files", async () => {
  for (const path of ["", new URL("https://example.com/example.tree.gz")]) {
    await expect(siteatlas.saveTree(TREE, path)).rejects.toThrow(
      /^saveTree: path must be the path of a file/,
    );
    await expect(siteatlas.loadTree(path)).rejects.toThrow(/^loadTree: path must be the path of a file/);
  }
});

it.each([
  [undefined, "undefined"],
  [Symbol("wrong"), "Symbol(wrong)"],
  [() => "{}", "a function"],
  [Promise.resolve("{}"), "a Promise. Did you forget await?"],
  [new Response("{}"), "a Response"],
  [Buffer.from("{}"), "a Buffer. Decode the bytes: new TextDecoder().decode(bytes)."],
])("treeFromJson: JSON cannot contain %s", (value, shown) => {
  const message = "treeFromJson: value must be JSON.stringify(tree), or the value that JSON.parse made of it";
  expect(() => siteatlas.treeFromJson(value)).toThrow(new TypeError(`${message}, not ${shown}`));
});

it.each([[null], [3], [true], ["no"], [{}], [[]], [Object.create(null)]])(
  "treeFromJson: %j is JSON, and not a tree",
  (value) => {
    expect(() => siteatlas.treeFromJson(value)).toThrow(siteatlas.TreeError);
  },
);

it.each([
  ["csvCell", () => escaping.csvCell("a", { rav: true } as never), /^csvCell: unknown option "rav"/],
  ["csvCell", () => escaping.csvCell({} as never), /^csvCell: value must be/],
  ["logLine", () => escaping.logLine("a", { max: 3 } as never), /^logLine: unknown option "max"/],
  [
    "logUrl",
    () => escaping.logUrl("a", { maxLength: "3" } as never),
    /^logUrl: option maxLength must be a number/,
  ],
])("%s checks its options", (_, call, message) => {
  expect(call).toThrow(TypeError);
  expect(call).toThrow(message);
});

it("a table of rules has exactly the options, with their types", () => {
  interface Options {
    readonly mode?: "a" | "b";
    readonly size?: number;
  }
  const { mode, size } = {
    mode: { allowed: "", find: () => undefined },
    size: { allowed: "", find: () => undefined },
  };
  const rules: OptionRules<Options> = { mode, size };
  expect(Object.keys(rules)).toEqual(["mode", "size"]);
  // @ts-expect-error an option without a rule
  const missing: OptionRules<Options> = { mode };
  // @ts-expect-error a rule without an option
  const extra: OptionRules<Options> = { mode, size, more: size };
  // @ts-expect-error a rule that does not know all values of the option
  const narrow: OptionRules<Options> = { mode: WALK_OPTIONS.knownPaths, size };
  expect([missing, extra, narrow]).toHaveLength(3);
});
