/** The published JSON Schema files describe exactly what the commands write. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, onTestFinished, test } from "vitest";
import { LivingSite } from "../../sync/living-site.ts";
import { buildCli, emptyFolder, endOf, runCli, startCli } from "../support/cli.ts";

buildCli();

interface Schema {
  readonly $defs: Readonly<Record<string, { additionalProperties?: boolean; readonly properties?: object }>>;
}

function readSchema(name: string): Schema {
  return JSON.parse(
    readFileSync(new URL(`../../../schemas/${name}.json`, import.meta.url), "utf8"),
  ) as Schema;
}

/**
 * Validates records or deliveries. Unknown properties are refused, although the published schema permits them to users
 * of an older version. So a property that is not in the schema fails a test.
 */
function checkOf(name: "record" | "delivery"): (record: unknown) => string {
  const ajv = new Ajv2020({ strict: true, strictTypes: false });
  ajv.addFormat("date-time", (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text));
  const schemas = { record: strictSchema("record"), delivery: strictSchema("delivery") };
  ajv.addSchema([schemas.record, schemas.delivery]);
  const validate = ajv.compile(schemas[name]);
  return (record) => (validate(record) ? "" : JSON.stringify([record, validate.errors]));
}

function strictSchema(name: string): Schema {
  const schema = readSchema(name);
  for (const [part, definition] of Object.entries(schema.$defs)) {
    if (definition.properties !== undefined && part !== "envelope") definition.additionalProperties = false;
  }
  return schema;
}

const recordsOf = (text: string): { readonly kind: string }[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly kind: string });

test("every record of sync and diff is valid, and each kind occurs", async () => {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  site.add("a", ["/a1", "/a2", "/a3", "/old/thing", "/a5", "/a6", "/a7"]);
  site.add("b", ["/b1", "/b2"]);
  site.add("c", ["/c1", "/c2"]);
  const cwd = emptyFolder();
  const snapshot = join(cwd, "site.gz");
  const sync = async (): Promise<string> =>
    (await runCli(["sync", site.url, "--snapshot", snapshot, "--no-known", "--retries", "0"], { cwd }))
      .stdout;
  const outputs = [await sync()];
  copyFileSync(snapshot, join(cwd, "first.gz"));
  const { pages } = site.sitemaps.get("a")!;
  pages.set("/a1", { lastmod: "2026-02-03", image: "https://example.com/i.png", priority: "0.4" });
  pages.set("/new/thing", { lastmod: "2026-02-02" });
  pages.delete("/old/thing");
  pages.delete("/a3");
  site.sitemaps.get("b")!.pages.set("/a2", pages.get("/a2")!);
  pages.delete("/a2");
  outputs.push(await sync());
  // The first page that disappears is pending, because its sitemap is emptied.
  site.sitemaps.get("b")!.pages.clear();
  site.sitemaps.get("c")!.mood = "down";
  outputs.push(await sync());
  site.sitemaps.get("b")!.pages.set("/a2", {});
  outputs.push(await sync());
  outputs.push((await runCli(["diff", "first.gz", snapshot], { cwd })).stdout);
  const check = checkOf("record");
  const records = outputs.flatMap(recordsOf);
  expect(records.map(check).filter((fault) => fault !== "")).toEqual([]);
  const kinds = [
    "added",
    "changed",
    "pending",
    "relisted",
    "removed",
    "returned",
    "start",
    "summary",
    "unknown",
  ];
  expect([...new Set(records.map(({ kind }) => kind))].sort()).toEqual(kinds);
  for (const output of outputs) {
    expect(recordsOf(output)[0]?.kind).toBe("start");
    const runs = recordsOf(output).map((record) => (record as { run?: string }).run);
    expect(new Set(runs).size).toBe(1);
  }
});

test("a record with a wrong kind, without a run, or with a wrong value is not valid", () => {
  const check = checkOf("record");
  const envelope = { schema: 1, run: "abcdefghijklmnop", at: "2026-01-01T00:00:00.000Z" };
  const removed = { kind: "removed", url: "https://a.test/", sitemaps: [], ...envelope };
  expect(check(removed)).toBe("");
  for (const wrong of [{ kind: "gone" }, { run: undefined }, { schema: 2 }, { at: "today" }, { url: "a" }]) {
    expect(check(JSON.parse(JSON.stringify({ ...removed, ...wrong }))), JSON.stringify(wrong)).not.toBe("");
  }
});

test("every webhook body, and every line for --on-change, is valid", async () => {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  site.add("a", ["/a1", "/a2"]);
  site.robotsMood = "down";
  site.indexMood = "down";
  const bodies: { readonly kind: string; readonly changes?: readonly object[] }[] = [];
  const server = createServer(async (request, response) => {
    bodies.push((await json(request)) as (typeof bodies)[number]);
    response.writeHead(204).end();
    // The site recovers after the failure was delivered.
    site.robotsMood = "well";
    site.indexMood = "well";
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const cwd = emptyFolder();
  const times = ["--every", "100ms", "--max-every", "100ms", "--retries", "0", "--no-known"];
  const hooks = [
    "--webhook",
    `http://127.0.0.1:${port}/`,
    "--on-change",
    "cat >> lines",
    "--hook-on",
    "changes,failures",
  ];
  const child = startCli(["watch", site.url, ...times, ...hooks], { cwd });
  const ended = endOf(child);
  const said = (): string => (existsSync(join(cwd, "lines")) ? readFileSync(join(cwd, "lines"), "utf8") : "");
  while (bodies.length < 2 || !said().includes('"kind":"summary"')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill("SIGTERM");
  await ended;
  expect(bodies.map(({ kind }) => kind)).toEqual(["failure", "changes"]);
  expect(bodies.map(checkOf("delivery"))).toEqual(["", ""]);
  expect(bodies[1]?.changes).toHaveLength(2);
  const lines = recordsOf(said());
  expect(lines.map(({ kind }) => kind)).toEqual(["start", "failure", "start", "added", "added", "summary"]);
  expect(lines.map(checkOf("record")).filter((fault) => fault !== "")).toEqual([]);
});
