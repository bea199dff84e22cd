/**
 * The fuzz targets on their seeds and on a fixed number of damaged seeds, without instrumentation. `npm run
 * fuzz:guided` runs the same targets with coverage feedback.
 */
import { describe, expect, test } from "vitest";
import { mutate } from "../support/mutate.ts";
import { runs, seed } from "../support/runs.ts";
import { seededRandom } from "../support/splits.ts";
import { seedsOf } from "./seeds.ts";
import { TARGETS, type TargetName } from "./target-table.mjs";
import * as dates from "./targets/dates.ts";
import * as decode from "./targets/decode.ts";
import * as htmlSitemap from "./targets/html-sitemap.ts";
import * as jsonFeed from "./targets/json-feed.ts";
import * as llmsTxt from "./targets/llms-txt.ts";
import * as parse from "./targets/parse.ts";
import * as robots from "./targets/robots.ts";
import * as savedTree from "./targets/saved-tree.ts";
import * as settings from "./targets/settings.ts";
import * as snapshot from "./targets/snapshot.ts";
import * as urls from "./targets/urls.ts";

const MUTATIONS = 150;

const targets: Readonly<Record<TargetName, { fuzz(data: Uint8Array): void | Promise<void> }>> = {
  ...{ parse, decode, robots, dates, urls, snapshot, settings },
  ...{ "json-feed": jsonFeed, "saved-tree": savedTree, "html-sitemap": htmlSitemap, "llms-txt": llmsTxt },
};

describe.each(TARGETS)("$name", ({ name, maxLength, isSync }) => {
  test("holds its promises for every seed", async () => {
    const seeds = await seedsOf(name);
    expect(seeds.length).toBeGreaterThan(2);
    for (const input of seeds) await run(name, input);
  });

  test("holds its promises for damaged seeds", async () => {
    const seeds = await seedsOf(name);
    const random = seededRandom(seed);
    for (let n = 0; n < runs(MUTATIONS); n++) {
      const input = seeds[Math.floor(random() * seeds.length)]!;
      const { bytes } = mutate(input.subarray(2), random);
      await run(
        name,
        Uint8Array.from([...input.subarray(0, 1), random() * 256, ...bytes]).subarray(0, maxLength),
      );
    }
  });

  test("returns a promise unless the table says otherwise", async () => {
    const result = targets[name].fuzz(new Uint8Array(3));
    expect(result === undefined).toBe(isSync);
    await result;
  });
});

/** Runs a target. An error names the input, to repeat it. */
async function run(name: TargetName, input: Uint8Array): Promise<void> {
  try {
    await targets[name].fuzz(input);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`${name}: ${message}\nInput: ${Buffer.from(input).toString("base64")}`, { cause });
  }
}
