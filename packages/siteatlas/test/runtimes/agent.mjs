/**
 * Runs in a runtime other than Node, with the installed package: sends requests with
 * `fetchClient(fetch)`, walks sites and parses documents for the tests, which run in Node with their servers.
 * Messages are JSON lines in both directions; `id` matches responses to requests.
 */
import process from "node:process";
import { createInterface } from "node:readline";
import { fetchClient, parseSitemap, streamPages } from "siteatlas";

const client = fetchClient(fetch);

/** @type {Map<number, any>} by the id of the request: its AbortController, its body, a function that cancels it */
const requests = new Map();

/** @param {object} message */
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/**
 * @param {unknown} error
 * @returns {object}
 */
function portable(error) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, code, cause } = /** @type {Error & { code?: unknown }} */ (error);
  return { name, message, code, ...(cause !== undefined && { cause: portable(cause) }) };
}

/** @type {Record<string, (message: any) => any>} */
const operations = {
  async request({ id, url, headers, aborted }) {
    const abort = new AbortController();
    const request = { abort };
    requests.set(id, request);
    if (aborted) abort.abort(new Error("Aborted"));
    const response = await client({ url, headers, signal: abort.signal });
    Object.assign(request, { body: response.body[Symbol.asyncIterator](), cancel: response.cancel });
    return { status: response.status, headers: response.headers };
  },
  async next({ request }) {
    const { done, value } = await requests.get(request).body.next();
    return { done: done === true, bytes: value && Buffer.from(value).toString("base64") };
  },
  return: ({ request }) => requests.get(request).body.return(),
  cancel: ({ request }) => requests.get(request).cancel(),
  abort: ({ request }) => requests.get(request)?.abort.abort(new Error("Aborted")),
  async walk({ homepage, options }) {
    const urls = [];
    for await (const page of streamPages(homepage, { client, ...options })) urls.push(page.url);
    return { urls };
  },
  async parse({ bytes, options }) {
    const sitemap = await parseSitemap(Uint8Array.from(Buffer.from(bytes, "base64")), options);
    return { sitemap };
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  try {
    say({ id: message.id, ...(await operations[message.op]?.(message)) });
  } catch (error) {
    say({ id: message.id, error: portable(error) });
  }
});
say({ id: 0 });
