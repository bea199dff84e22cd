/** The published JSON Schema files describe exactly what the commands write. */
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, onTestFinished, test } from "vitest";
import { LivingSite } from "../../sync/living-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

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
 * Validates records. Unknown properties are refused, although the published schema permits them to users of an older
 * version. So a property that is not in the schema fails a test.
 */
function recordCheck(): (record: unknown) => string {
  const schema = readSchema("record");
  for (const [name, part] of Object.entries(schema.$defs)) {
    if (part.properties !== undefined && name !== "envelope") part.additionalProperties = false;
  }
  const ajv = new Ajv2020({ strict: true, strictTypes: false, discriminator: false });
  ajv.addFormat("date-time", (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text));
  const validate = ajv.compile(schema);
  return (record) => (validate(record) ? "" : JSON.stringify([record, validate.errors]));
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
  outputs.push((await runCli(["diff", "first.gz", snapshot], { cwd })).stdout);
  const check = recordCheck();
  const records = outputs.flatMap(recordsOf);
  expect(records.map(check).filter((fault) => fault !== "")).toEqual([]);
  const kinds = ["added", "changed", "pending", "relisted", "removed", "start", "summary", "unknown"];
  expect([...new Set(records.map(({ kind }) => kind))].sort()).toEqual(kinds);
  for (const output of outputs) {
    expect(recordsOf(output)[0]?.kind).toBe("start");
    const runs = recordsOf(output).map((record) => (record as { run?: string }).run);
    expect(new Set(runs).size).toBe(1);
  }
});

test("a record with a wrong kind, without a run, or with a wrong value is not valid", () => {
  const check = recordCheck();
  const envelope = { schema: 1, run: "abcdefghijklmnop", at: "2026-01-01T00:00:00.000Z" };
  const removed = { kind: "removed", url: "https://a.test/", sitemaps: [], ...envelope };
  expect(check(removed)).toBe("");
  for (const wrong of [{ kind: "gone" }, { run: undefined }, { schema: 2 }, { at: "today" }, { url: "a" }]) {
    expect(check(JSON.parse(JSON.stringify({ ...removed, ...wrong }))), JSON.stringify(wrong)).not.toBe("");
  }
});
