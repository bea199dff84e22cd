/**
 * npm run bench:discovery: which pages of the acceptance site (packages/siteatlas/test/walk/acceptance-site.ts) each
 * reader finds from the homepage. Counts only, so a busy machine does no harm. Writes RESULTS.md. Needs a build.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loadAcceptanceSite } from "../../scripts/run-recipes.mjs";
import { installPeers, peerVersion } from "../parse/peers.mjs";
import { contestants } from "./contestants.mjs";

const TIME_LIMIT_MS = 180_000;
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const { version } = JSON.parse(readFileSync(path("../../packages/siteatlas/package.json"), "utf8"));

/** Runs one reader against a new site, because some responses depend on the number of requests. */
async function measure(name, openSite) {
  const { site, expected } = await openSite();
  const child = spawn(process.execPath, [path("contestants.mjs"), name, `${site.url}/`], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIME_LIMIT_MS,
  });
  const ended = new Promise((resolve) => child.once("close", (code) => resolve(code)));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const urls = new Set(
    output
      .split("\n")
      .filter((line) => line !== "")
      .map(normalize),
  );
  const requests = site.requests.length;
  await site.close();
  const right = [...urls].filter((url) => expected.has(url)).length;
  const end = code === 0 ? "" : code === null ? `stopped after ${TIME_LIMIT_MS / 1000} s` : errorIn(errors);
  return { name, right, wrong: urls.size - right, total: expected.size, requests, end };
}

/** Without a fragment and with percent encoding, because not every reader does that. */
function normalize(url) {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}

/** The message of the error that ended a process. */
const errorIn = (errors) => (/^(?:\w*Error): (.*)/m.exec(errors)?.[1] ?? "an error").slice(0, 80);

function report(rows) {
  const lines = rows.map(({ name, right, wrong, requests, end }) => {
    const { package: peer, note } = contestants[name];
    const title = peer === undefined ? name : name.replace(peer, `${peer} ${peerVersion(peer)}`);
    return `| ${title} | ${right} | ${wrong} | ${requests} | ${end === "" ? "" : `Error: ${end}`} | ${note} |`;
  });
  return `# bench:discovery, last run

Written by \`npm run bench:discovery\` on ${new Date().toISOString().slice(0, 10)}, with Node ${process.versions.node} and siteatlas ${version} (this tree). [The README](../README.md#benchdiscovery) says what is measured.

The site has ${rows[0].total} pages. A wrong URL is one that the site does not list.

| reader | pages found | wrong URLs | requests | ended with | how it was called |
|---|---:|---:|---:|---|---|
${lines.join("\n")}
`;
}

installPeers();
const folder = mkdtempSync(join(tmpdir(), "siteatlas-discovery-"));
try {
  const openSite = await loadAcceptanceSite(folder);
  const rows = [];
  for (const name of Object.keys(contestants)) {
    rows.push(await measure(name, openSite));
    console.log(rows.at(-1));
  }
  writeFileSync(path("RESULTS.md"), report(rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
