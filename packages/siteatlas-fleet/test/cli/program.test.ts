/** The flags of the command line: kinds of values, defaults, environment variables, error messages. */
import { afterEach, expect, test, vi } from "vitest";
import { createProgram } from "../../src/cli/program.ts";

afterEach(() => vi.unstubAllEnvs());

/** The options of a command, as its function would get them. */
async function optionsOf(...args: readonly string[]): Promise<Record<string, unknown>> {
  const program = createProgram();
  const command = program.commands.find((each) => each.name() === args[0])!;
  command.action(() => {});
  await program.parseAsync(args as string[], { from: "user" });
  return command.opts();
}

test("times are in milliseconds, sizes in bytes, and a plain number is seconds", async () => {
  expect(
    await optionsOf("work", "--lease", "2m", "--slice", "0.5", "--delay", "0.5", "--every", "1d"),
  ).toMatchObject({
    lease: 120_000,
    slice: 500,
    delay: 500,
    every: 86_400_000,
  });
  expect(await optionsOf("work", "--delay", "2s", "--max-total-bytes", "10MiB")).toMatchObject({
    delay: 2000,
    maxTotalBytes: 10 * 1024 ** 2,
  });
  expect(
    await optionsOf("tenant", "news", "--sites", "100,000", "--requests", "none", "--bytes", "5GB"),
  ).toMatchObject({
    sites: 100_000,
    requests: Number.POSITIVE_INFINITY,
    bytes: 5e9,
  });
});

test("a flag that is not given has its default, or no value", async () => {
  const options = await optionsOf("work");
  expect(options).toMatchObject({
    lease: 60_000,
    maxEvery: 30 * 86_400_000,
    respectRobots: true,
    tryKnown: "always",
  });
  expect(options).not.toHaveProperty("walkers");
  expect(await optionsOf("work", "--no-respect-robots")).toMatchObject({ respectRobots: false });
});

test("shards are single numbers and ranges", async () => {
  expect(await optionsOf("work", "--shards", "0-2,7,1")).toMatchObject({ shards: [0, 1, 2, 7] });
});

test("connections and the contact are also read from the environment", async () => {
  vi.stubEnv("SITEATLAS_FLEET_CONTACT", "https://example.com/bot");
  vi.stubEnv("SITEATLAS_FLEET_STORE", "/data");
  vi.stubEnv("SITEATLAS_FLEET_LEASE", "5s");
  expect(await optionsOf("work", "--store", "/other")).toMatchObject({
    contact: "https://example.com/bot",
    store: "/other",
    lease: 60_000,
  });
});

test.each([
  ["init --shards many", '--shards must be a whole number, not "many"'],
  ["init --shards 0", '--shards must be 1 or more, not "0"'],
  ["work --lease soon", '--lease must be a time such as 500ms, 30s, 10m, 2h or 7d, not "soon"'],
  ["work --max-total-bytes 5x", '--max-total-bytes must be a size such as 500kB, 10MiB or 1GB, not "5x"'],
  ["work --try-known maybe", '--try-known must be one of always, when-empty, never, not "maybe"'],
  [
    "work --lease 1constructor",
    '--lease must be a time such as 500ms, 30s, 10m, 2h or 7d, not "1constructor"',
  ],
  ["tenant a --bytes 1toString", '--bytes must be a size such as 500kB, 10MiB or 1GB, not "1toString"'],
  ["work --metrics x", '--metrics must be PORT or ADDRESS:PORT, with a port up to 65535, not "x"'],
  [
    "feed --metrics ::1:65536",
    '--metrics must be PORT or ADDRESS:PORT, with a port up to 65535, not "::1:65536"',
  ],
  ["work --shards 0-99999999999", '--shards must be a list such as 0-7,12, not "0-99999999999"'],
  ["work --shards 7-2", '--shards must be a list such as 0-7,12, not "7-2"'],
])("%s: the message names the flag, the value and the problem", async (line, message) => {
  await expect(optionsOf(...line.split(" "))).rejects.toMatchObject({
    name: "UsageError",
    message,
    exitCode: 2,
  });
});
