import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { PARTS, type Part } from "../ci-parts.mjs";
import { runParts, selectParts, TOOLS_SECONDS } from "../run-ci.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const namesOf = (parts: readonly Part[]): string[] => parts.map(({ name }) => name);

function part(name: string, command: string, more: Partial<Part> = {}): Part {
  return { name, command, seconds: 60, lane: "main", ...more };
}

/** Runs parts that share an empty folder, `$SHARED`, and gives what was printed. */
async function run(...parts: readonly Part[]) {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-ci-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const printed: string[] = [];
  const shared = parts.map((each) => ({ ...each, command: `SHARED=${folder}; ${each.command}` }));
  const results = await runParts(shared, (text) => printed.push(text));
  return { results, printed: printed.join("\n"), verdicts: results.map(({ verdict }) => verdict) };
}

/** Shell: waits until another part has made this file. */
const waitFor = (file: string): string => `until [ -e $SHARED/${file} ]; do sleep 0.02; done`;

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("the list of parts", () => {
  test("every command is a script of package.json, and npm run check runs them all", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const called = PARTS.flatMap(({ command }) => /^npm run ([\w:]+)/.exec(command)?.[1] ?? []);
    expect(called).toHaveLength(PARTS.length - 1);
    expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
    expect(scripts["check"]).toBe("bash .ci/run --installed");
  });

  test("the budgets of the longest path add up to at most 20 minutes", () => {
    const endOf = new Map<string, number>();
    // The part that installs Debian packages is the first of its lane, and comes before all that use one.
    const last = { main: 0, side: TOOLS_SECONDS, alone: 0 };
    for (const { name, lane, seconds, needs = [], tools } of PARTS) {
      const others = lane === "alone" ? Object.values(last) : [last[lane]];
      const start = Math.max(...others, tools ? TOOLS_SECONDS : 0, ...needs.map((need) => endOf.get(need)!));
      last[lane] = start + seconds;
      endOf.set(name, last[lane]);
    }
    expect(Math.max(...Object.values(last))).toBeLessThanOrEqual(20 * 60);
  });

  test("a name selects the part and what it needs", () => {
    expect(namesOf(selectParts(PARTS, ["fleet", "lint"]))).toEqual(["install", "lint", "build", "fleet"]);
    expect(selectParts(PARTS, [])).toEqual(PARTS);
    expect(() => selectParts(PARTS, ["lint", "flee"])).toThrow('There is no part "flee"');
  });
});

describe("runParts", () => {
  test("lanes run at the same time, and their lines do not mix", async () => {
    const talk = (own: string, other: string): string =>
      `echo ${own} 1; touch $SHARED/${own}; ${waitFor(other)}; echo ${own} 2`;
    const { verdicts, printed } = await run(
      part("one", talk("one", "two")),
      part("two", talk("two", "one"), { lane: "side" }),
    );
    expect(verdicts).toEqual(["ok", "ok"]);
    expect(printed).toContain("--- one\none 1\none 2\n--- one: ok after");
    expect(printed).toContain("--- two\ntwo 1\ntwo 2\n--- two: ok after");
  });

  test("parts of a lane run one after the other, and those of the lane alone when all others have ended", async () => {
    const guarded = (name: string): string =>
      `[ ! -e $SHARED/${name} ] && touch $SHARED/${name} && sleep 0.1 && rm $SHARED/${name}`;
    const alone =
      '[ -z "$(ls $SHARED)" ]; failed=$?; touch $SHARED/x; sleep 0.05; rm $SHARED/x; exit $failed';
    const { verdicts } = await run(
      part("first alone", alone, { lane: "alone" }),
      part("one", guarded("main")),
      part("two", guarded("main")),
      part("three", guarded("side"), { lane: "side" }),
      part("second alone", alone, { lane: "alone" }),
    );
    expect(verdicts).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  });

  test("a part that overruns its budget is ended with all its processes, and has failed", async () => {
    const { results, verdicts, printed } = await run(
      part("late", "sleep 600 & echo pid $!; wait", { seconds: 0.2 }),
      part("next", "true"),
    );
    const pid = Number(/^pid (\d+)$/m.exec(printed)?.[1]);
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(verdicts).toEqual(["FAILED (not done within 6 times 0.2 s)", "ok"]);
    expect(results.map(({ passed, failed }) => [passed, failed])).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  test("a part that fails does not keep the others from running, except those that need it", async () => {
    const { verdicts } = await run(
      part("build", "exit 3"),
      part("lint", "true"),
      part("use", "true", { needs: ["build"] }),
      part("use more", "true", { needs: ["use"], lane: "alone" }),
    );
    expect(verdicts).toEqual([
      "FAILED (3)",
      "ok",
      "FAILED (not run: build failed)",
      "FAILED (not run: use failed)",
    ]);
  });

  test("a test run counts as its tests, and has failed if it ran none", async () => {
    const report = JSON.stringify({ numPassedTests: 7, numFailedTests: 1, failures: ["case 8: too slow"] });
    const isTestRun = true;
    const { results, printed } = await run(
      part("some", `echo '${report}' > $TEST_REPORT_DIR/a.json; exit 1`, { isTestRun }),
      part("none", "true", { isTestRun }),
    );
    expect(results.map(({ passed, failed }) => [passed, failed])).toEqual([
      [7, 1],
      [0, 1],
    ]);
    expect(printed).toContain("FAILED case 8: too slow");
  });
});

describe(".ci/run", () => {
  const ci = (...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      execFile("bash", [join(root, ".ci/run"), ...args], { cwd: tmpdir() }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });

  test("--list prints each part with its budget", async () => {
    const { code, stdout } = await ci("--list");
    expect(code).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(PARTS.length);
    for (const { name, seconds } of PARTS) expect(stdout).toMatch(new RegExp(`^${name} +${seconds} s `, "m"));
  });

  test.each([["nonsense"], ["--nonsense"]])("%s: exit code 2, and the list", async (name) => {
    const { code, stdout, stderr } = await ci(name);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/nonsense.*\n(.*\n)*fleet +\d+ s /);
  });

  test("the last line counts what passed and failed", async () => {
    const { code, stdout } = await ci("--installed", "docs");
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n1 passed, 0 failed\n$/);
  });
});
