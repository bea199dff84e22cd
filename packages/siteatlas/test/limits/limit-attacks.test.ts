/**
 * Memory is bounded by the default limits, whatever a site does: for each limit the worst site that stays inside it,
 * walked in a process of its own. CI runs a few attacks. `npm run limits:table` runs all of them and writes the table of docs/limits.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMIT_NAMES } from "../../src/model/limits.ts";
import type { CaseResult } from "../hostile/client.ts";
import { bundleChild, type Child } from "./bundle-child.ts";
import { ATTACK_OF, ATTACK_OF_FIXED, ATTACKS, type Attack, type AttackName } from "./limit-attacks.ts";

const PAGE = fileURLToPath(new URL("../../../../docs/limits.md", import.meta.url));
const TABLE = /(?<=<!-- attacks -->\n).*?(?=<!-- end -->)/s;
const MIB = 1024 * 1024;
/** 50,000 requests take minutes of processor time. */
const CPU_SECONDS = 600;
/** Memory depends a little on when V8 collects garbage: the best of three counts, as in the hostile suite. */
const TRIES = 3;

const isAll = process.env["LIMIT_ATTACKS"] !== undefined;
const chosen = (Object.entries(ATTACKS) as [AttackName, Attack][]).filter(
  ([, { isInCi }]) => isAll || isInCi,
);

let child: Child;
const results = new Map<AttackName, CaseResult>();
beforeAll(async () => {
  child = await bundleChild(new URL("limit-attacks-child.ts", import.meta.url), CPU_SECONDS);
});
afterAll(() => {
  child?.remove();
  if (process.env["LIMIT_ATTACKS"] === "write" && results.size === Object.keys(ATTACKS).length) {
    const table = chosen.map(([name]) => row(name, results.get(name)!)).join("");
    writeFileSync(
      PAGE,
      readFileSync(PAGE, "utf8").replace(TABLE, () => head() + table),
    );
  }
});

function head(): string {
  const day = new Date().toISOString().slice(0, 10);
  return (
    `Measured on ${day} with Node ${process.version.slice(1)} on ${process.platform}.\n\n` +
    "| attack | limits | on the wire | held (estimate) | growth of RSS |\n|---|---|--:|--:|--:|\n"
  );
}

function row(name: AttackName, { figures }: CaseResult): string {
  const limits = LIMIT_NAMES.filter((limit) => ATTACK_OF[limit] === name).map((limit) => `\`${limit}\``);
  const fixed = Object.keys(ATTACK_OF_FIXED).filter((limit) => ATTACK_OF_FIXED[limit] === name);
  const size = (bytes: number): string =>
    bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;
  const site = ATTACKS[name].site.replaceAll("<", "&lt;");
  const cells = [site, [...limits, ...fixed].join(", "), size(figures.wireBytes), size(figures.heldBytes)];
  return `| ${[...cells, `${figures.rssMiB.toFixed(0)} MiB`].join(" | ")} |\n`;
}

async function run(name: AttackName): Promise<CaseResult> {
  for (let tries = 1; ; tries++) {
    const result = (await child.run("client", `sec-${name}`)) as CaseResult;
    const { figures, outcome } = result;
    process.stdout.write(
      `${name}: RSS +${figures.rssMiB.toFixed(1)} MiB, ${(figures.wireBytes / MIB).toFixed(2)} MiB on the wire, ` +
        `${(figures.heldBytes / MIB).toFixed(1)} MiB held, ${Math.round(figures.ms)} ms; ${outcome}\n`,
    );
    const isNoise = result.noise.length > 0 && result.noise.length === result.failures.length;
    if (!isNoise || tries === TRIES) return result;
  }
}

test.each(chosen)("%s", { timeout: 3_600_000 }, async (name) => {
  const result = await run(name);
  results.set(name, result);
  expect(result.failures).toEqual([]);
});

test("every limit of docs/limits.md has an attack", () => {
  const text = readFileSync(PAGE, "utf8");
  const fixed = text.slice(text.indexOf("## Not configurable")).split("\n## ", 1)[0]!;
  const rows = [...fixed.matchAll(/^\| (?!what \||-)(.+?) \|/gm)].map(([, name]) => name);
  expect(Object.keys(ATTACK_OF_FIXED)).toEqual(rows);
  expect(Object.keys(ATTACK_OF)).toEqual(LIMIT_NAMES);
});
