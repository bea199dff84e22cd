/**
 * Runs the parse tests in headless Chromium, on the bundle of `siteatlas/parse` that check-bundle.mjs weighs:
 * all fixtures (whole, byte by byte, some seeded splits), the date table, parseRobotsTxt; and the test files
 * of test/parse that need no Node, on the sources. Needs a build, and Debian's package `chromium` (or CHROMIUM=path).
 * Prints the fixtures that are excused by name, and last "N passed, N failed".
 *
 * The page (packages/siteatlas/test/browser/page.ts) posts its results to a server on loopback; nothing
 * else is asked of the browser, so there is no driver between.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundleForBrowser } from "./check-bundle.mjs";

/** @typedef {import("../packages/siteatlas/test/browser/page.ts").Result} Result */

const root = fileURLToPath(new URL("..", import.meta.url));
const library = join(root, "packages", "siteatlas");
const browserTests = join(library, "test", "browser");

/** Everything must be over by then, the start of the browser included. */
const TIMEOUT_MS = 300_000;

/** Test files that cannot leave Node, and why. */
const nodeOnly = new Map([
  ["values/parse-date.test.ts", "starts Node under other time zones; its table is run by the page itself"],
  ["values/month-names.test.ts", "browsers know only the English names"],
  ["parse-limits.test.ts", "packs its documents with node:zlib"],
  ["sitemap-source.test.ts", "reads files, streams of Node and a server"],
  ["document-url.test.ts", "browsers keep the URL as given"],
  ["formats/binary-types.test.ts", "browsers do not name the type of binary data"],
  ["formats/broken-items.test.ts", "browsers do not limit the number of broken items"],
  ["formats/json-feed-reports.test.ts", "browsers do not report these mistakes"],
  ["robots/reported-lines.test.ts", "browsers report all such lines"],
  ["robots/search-budget.test.ts", "browsers match one URL at a time, without a budget for all"],
  ["xml/rare-entities.test.ts", "browsers decode only the usual names of HTML"],
  ["parse-links.test.ts", "browsers do not read HTML sitemaps and llms.txt"],
  ["formats/page-size.test.ts", "browsers do not limit the size of a page"],
]);

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @returns {string[]} */
function testFiles() {
  const files = readdirSync(join(library, "test", "parse"), { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts"));
  const stale = [...nodeOnly.keys()].filter((file) => !files.includes(file));
  if (stale.length > 0) throw new Error(`No such test file: ${stale.join(", ")}`);
  return files.filter((file) => !nodeOnly.has(file));
}

/**
 * What the package leads these to in browsers, as sources.
 */
const webSources = new Map([
  ["#platform", join(library, "src", "decode", "platform-web.ts")],
  ["#shortcuts", join(library, "src", "parse", "fast", "shortcuts-web.ts")],
]);

/**
 * Sends imports elsewhere: `siteatlas/parse` to the bundle.
 * @param {string} bundle
 * @returns {import("esbuild").Plugin}
 */
const pagePlugin = (bundle) => ({
  name: "page",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^siteatlas\/parse$/ }, ({ path }) => ({ path, namespace: "bundle" }));
    onLoad({ filter: /./, namespace: "bundle" }, () => ({ contents: bundle, loader: "js" }));
    onResolve({ filter: /^vitest$/ }, () => ({ path: join(browserTests, "vitest-in-page.ts") }));
    onResolve({ filter: /\/support\/splits\.ts$/ }, ({ importer }) =>
      importer.endsWith("few-splits.ts") ? undefined : { path: join(browserTests, "few-splits.ts") },
    );
    // The package says that its modules do nothing when imported; its tests do.
    onResolve({ filter: /^\.\/test\// }, ({ path }) => ({ path: join(library, path), sideEffects: true }));
    // Unit tests import the sources, whose imports the package leads to its build.
    onResolve({ filter: /^#/ }, ({ path, importer }) => {
      const source = importer.startsWith(join(library, "src")) ? webSources.get(path) : undefined;
      return source === undefined ? undefined : { path: source };
    });
  },
});

/** An error while the tests are loaded reaches no listener of theirs. */
const pageHtml = `<!doctype html><meta charset="utf-8"><script>
addEventListener("error", ({ message }) => fetch("failed", { method: "POST", body: JSON.stringify(message) }));
</script><script type="module" src="page.js"></script>`;

/** @returns {Promise<string>} the page's script */
async function bundlePage() {
  const { text } = await bundleForBrowser();
  const tests = testFiles().map((file) => `import "./test/parse/${file}";`);
  const { outputFiles } = await build({
    stdin: { contents: [...tests, `import "./test/browser/page.ts";`].join("\n"), resolveDir: library },
    absWorkingDir: root,
    bundle: true,
    platform: "browser",
    format: "esm",
    sourcemap: "inline",
    define: { "process.env": "{}" },
    plugins: [pagePlugin(text)],
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

/** @returns {Promise<string>} fixtures and dates as JSON */
async function packFixtures() {
  const file = join(library, "test", "support", "fixtures.ts");
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    platform: "node",
    format: "esm",
    // Fixtures are found relative to the file.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(file).href) },
    write: false,
    logLevel: "error",
  });
  const code = outputFiles[0]?.text ?? "";
  /** @type {typeof import("../packages/siteatlas/test/support/fixtures.ts")} */
  const { loadFixtures } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const fixtures = loadFixtures().map((fixture) => ({
    ...fixture,
    input: Buffer.from(fixture.input).toString("base64"),
  }));
  return JSON.stringify({
    fixtures,
    dates: JSON.parse(readFileSync(join(root, "fixtures", "dates.json"), "utf8")),
  });
}

/**
 * Serves the page and takes its results.
 * @param {{ script: string, data: string }} content
 */
async function servePage({ script, data }) {
  /** @type {Result[]} */
  const results = [];
  /** @type {(count: number) => void} */
  let finish = () => {};
  /** @type {(reason: Error) => void} */
  let fail = () => {};
  /** @type {Promise<number>} */
  const finished = new Promise((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  /** @type {Record<string, readonly [type: string, body: string]>} */
  const files = {
    "/": ["text/html", pageHtml],
    "/page.js": ["text/javascript", script],
    "/data.json": ["application/json", data],
  };
  const server = createServer(async (request, response) => {
    if (request.method === "POST") {
      const message = JSON.parse(Buffer.concat(await request.toArray()).toString("utf8"));
      response.end();
      if (request.url === "/result") results.push(message);
      else if (request.url === "/done") finish(message.count);
      else fail(new Error(`The page failed: ${message}`));
      return;
    }
    const file = files[request.url ?? ""];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": file[0] }).end(file[1]);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}/`, results, finished, fail, server };
}

/**
 * @param {string} url
 * @param {string} profile an empty folder
 * @param {(reason: Error) => void} onFailure
 */
function startBrowser(url, profile, onFailure) {
  const command = process.env["CHROMIUM"] || "chromium";
  // Its own process group, so that its helper processes end with it.
  const browser = spawn(command, [...flags, `--user-data-dir=${profile}`, url], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  browser.stderr.on("data", (text) => {
    said = (said + text).slice(-4000);
  });
  browser.on("error", (error) => onFailure(new Error(`Cannot start ${command}: ${error.message}`)));
  const exited = new Promise((resolve) => browser.on("exit", resolve));
  exited.then((status) => onFailure(new Error(`${command} ended by itself (${status}):\n${said}`)));
  return async () => {
    if (browser.pid === undefined) return;
    try {
      process.kill(-browser.pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
    await exited;
  };
}

/** @returns {Promise<{ results: readonly Result[], count: number }>} */
async function runInBrowser() {
  const [script, data] = await Promise.all([bundlePage(), packFixtures()]);
  const { url, results, finished, fail, server } = await servePage({ script, data });
  const profile = mkdtempSync(join(tmpdir(), "siteatlas-chromium-"));
  const stopBrowser = startBrowser(url, profile, fail);
  const timer = setTimeout(() => {
    const last = results.at(-1)?.name ?? "none";
    fail(new Error(`Out of time after ${results.length} results; the last one is ${last}`));
  }, TIMEOUT_MS);
  try {
    return { results, count: await finished };
  } finally {
    clearTimeout(timer);
    await stopBrowser();
    server.close();
    server.closeAllConnections();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * @param {readonly Result[]} results
 * @returns {{ passed: number, failed: number }}
 */
function printResults(results) {
  for (const { name, problems } of results) {
    for (const problem of problems) console.error(`FAILED ${name}\n  ${problem}`);
  }
  for (const { name, excused } of results) {
    if (excused) console.log(`Excused: ${name} (${excused[0]?.split("\n")[0] ?? "though it passes"})`);
  }
  for (const [file, reason] of nodeOnly) console.log(`Not in the browser: test/parse/${file} (${reason})`);
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  return { passed: results.length - failed, failed };
}

const start = performance.now();
const { results, count } = await runInBrowser();
const { passed, failed } = printResults(results);
// For the closing line of .ci/run.
const reportFolder = process.env["TEST_REPORT_DIR"];
if (reportFolder) {
  writeFileSync(
    join(reportFolder, "browser.json"),
    JSON.stringify({
      numPassedTests: passed,
      numFailedTests: failed,
      failures: results.flatMap(({ name, problems }) =>
        problems.map((text) => `${name}: ${text.split("\n")[0]}`),
      ),
    }),
  );
}
console.log(`In Chromium, ${Math.round(performance.now() - start)} ms`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed >= count && count > 0 ? 0 : 1;
