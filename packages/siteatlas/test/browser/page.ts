/**
 * The page that scripts/test-browser.mjs opens in a browser. It runs every fixture, the date table, the robots.txt
 * group and the tests of test/parse on the browser bundle, and posts each result to its server. It does not depend on
 * how the browser was started.
 */
import * as api from "siteatlas/parse";
import { checkCase } from "../conformance/check-case.ts";
import type { Fixture } from "../support/fixtures.ts";
import { type DateCase, dateProblems } from "./check-date.ts";
import { robotsProblems } from "./check-robots.ts";
import { damagedGzipProblems, EXCUSED } from "./excused.ts";
import { collected } from "./vitest-in-page.ts";

/** Fixtures as they are sent: bytes in base64. */
interface PageData {
  readonly fixtures: readonly (Omit<Fixture, "input"> & { readonly input: string })[];
  readonly dates: readonly DateCase[];
}

export interface Result {
  readonly name: string;
  readonly problems: readonly string[];
  /** Problems that do not count, because a browser cannot read this fixture better. */
  readonly excused?: readonly string[];
}

type Check = readonly [name: string, run: () => Promise<Omit<Result, "name">> | Omit<Result, "name">];

/** A case that takes longer than this hangs. */
const TIMEOUT_MS = 20_000;

function fixtureCheck(fixture: Fixture): Check {
  const { id, title } = fixture.expected;
  return [
    `fixture ${id} ${title}`,
    async () => {
      const problems = await checkCase(fixture, api);
      if (!EXCUSED.has(id)) return { problems };
      return { problems: await damagedGzipProblems(fixture, api), excused: problems };
    },
  ];
}

function testCheck({ name, run }: (typeof collected)[number]): Check {
  return [
    name,
    async () => {
      const problems = await Promise.resolve()
        .then(run)
        .then(
          () => [],
          (error: unknown) => [describeError(error)],
        );
      return { problems };
    },
  ];
}

function allChecks({ fixtures: packed, dates }: PageData): readonly Check[] {
  const fixtures = packed.map((fixture): Fixture => ({ ...fixture, input: bytesOf(fixture.input) }));
  return [
    ...fixtures.map(fixtureCheck),
    ...dates.map(
      (date): Check => [`date ${date.id} ${date.text}`, () => ({ problems: dateProblems(date, api) })],
    ),
    ...fixtures
      .filter(({ group }) => group === "robots")
      .map(
        (fixture): Check => [
          `parseRobotsTxt ${fixture.expected.id}`,
          () => ({ problems: robotsProblems(fixture, api) }),
        ],
      ),
    ...collected.map(testCheck),
  ];
}

async function runCheck([name, run]: Check): Promise<Result> {
  let timer = 0;
  const late = new Promise<never>((_, reject) => {
    timer = window.setTimeout(() => reject(new Error(`took more than ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  try {
    return { name, ...(await Promise.race([run(), late])) };
  } catch (error) {
    return { name, problems: [describeError(error)] };
  } finally {
    window.clearTimeout(timer);
  }
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

async function post(path: string, body: unknown): Promise<void> {
  await fetch(path, { method: "POST", body: JSON.stringify(body) });
}

async function main(): Promise<void> {
  const data: PageData = await (await fetch("data.json")).json();
  const checks = allChecks(data);
  for (const check of checks) await post("result", await runCheck(check));
  await post("done", { count: checks.length });
}

// An unhandled rejection is also a bug of the library: the page would otherwise hide it.
window.addEventListener("unhandledrejection", ({ reason }) => {
  void post("result", { name: "no stray rejection", problems: [String(reason)] } satisfies Result);
});
main().catch((error: unknown) => post("failed", String(error)));
