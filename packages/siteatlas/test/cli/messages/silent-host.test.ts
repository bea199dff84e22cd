/** A host that accepts connections and never answers: the run ends soon, and the progress says what it waits for. */
import { expect, it } from "vitest";
import { openRaw } from "../../fetch/client/client-suite.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

const LIMITS = ["--headers-timeout", "1500ms"];

it.each([["ls"], ["stats"], ["tree"], ["find"], ["sync", "--snapshot", "a.snapshot.gz"]])(
  "%s ends after two requests",
  async (name, ...more) => {
    const server = await openRaw();
    const { code, stdout, stderr } = await runCli([name, server.url, ...more, ...LIMITS], {
      cwd: emptyFolder(),
    });
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(server.host);
    expect(server.requests.map(({ path }) => path)).toEqual(["/robots.txt", "/sitemap.xml"]);
  },
);

it("the progress names the request in flight, and for how long", async () => {
  const server = await openRaw();
  const { stderr } = await runCli(["ls", server.url, "--progress", "json", "--headers-timeout", "2500ms"]);
  const progress = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === "progress");
  expect(progress.length).toBeGreaterThan(1);
  const [first] = progress;
  expect(first).toMatchObject({ current: `${server.url}/robots.txt` });
  expect(first.inFlight[0].url).toBe(`${server.url}/robots.txt`);
  expect(first.inFlight[0].ms).toBeGreaterThan(300);
  const waiting = progress.filter(({ inFlight }) => inFlight.length > 0);
  expect(waiting.at(-1)).toMatchObject({ current: `${server.url}/sitemap.xml` });
});
