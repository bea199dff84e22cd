/** Untrusted text in the messages and the JSON of the command line: no control character, no password, no error code. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "../support/fleet.ts";
import { until } from "../support/private-server.mjs";

/** An escape sequence that sets the title of a terminal, a bidi override, a C1 character, and a tag character. */
const EVIL = "\u001b]0;x\u0007\u202e\u009b31m\u{e0001}";
const INVISIBLE = /[^\P{Cc}\n]|\p{Cf}|\p{Default_Ignorable_Code_Point}/u;
/** Texts of Node that say nothing to a user, and lines of a stack. */
const RAW = /\bE[A-Z]{4,}\b|\n {4}at |Invalid|NaN/;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start({ sites: 1, shards: 4 });
});

afterAll(() => fleet?.close());

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], { input = "", env = {} } = {}): Promise<Ended> {
  const main = join(import.meta.dirname, "../../dist/cli/main.js");
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...fleet.env, ...env } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk));
  child.stdin.on("error", () => {}).end(input);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, err };
}

interface UsageCase {
  readonly name: string;
  readonly args: readonly string[];
  readonly message: string;
  readonly env?: Readonly<Record<string, string>>;
}

const USAGE: readonly UsageCase[] = [
  {
    name: "an unknown flag",
    args: ["work", `--x${EVIL}`],
    message: "error: unknown option '--x\\u001b]0;x\\u0007",
  },
  { name: "a misspelled flag", args: ["work", "--evrey", "1d"], message: "\n(Did you mean --every?)\n" },
  { name: "a wrong value", args: ["compact", "--grace", EVIL], message: "error: --grace must be a time" },
  {
    name: "a shard that does not exist",
    args: ["work", "--shards", "1,4"],
    message: "the fleet has no shard 4, only 0 to 3",
  },
  { name: "a missing file", args: ["add", `/no/such${EVIL}`], message: "error: cannot read /no/such\\u001b" },
  { name: "a folder", args: ["add", "/"], message: "error: cannot read /: it is a folder" },
  {
    name: "an unknown tenant",
    args: ["add", "-", "--tenant", `t${EVIL}`],
    message: "error: The tenant t\\u001b",
  },
  {
    name: "a URL with a password",
    args: ["show", "https://u:hunter2@a.example/"],
    message: '"https://***@a.example/" is not a host',
  },
  {
    name: "a host with a password",
    args: ["stop", "u:hunter2@a.example"],
    message: '"***@a.example" is neither a host nor a domain',
  },
  {
    name: "a missing folder",
    args: ["export", "-o", "/no/such/file"],
    message: "error: cannot write /no/such/file: no such file or folder",
  },
  {
    name: "a database that is not a URL",
    args: ["status"],
    message: "error: --database is not a URL",
    env: { SITEATLAS_FLEET_DATABASE: "hunter2" },
  },
];

test.each(USAGE)("$name is a usage error with a readable message", async ({ args, message, env = {} }) => {
  const { code, out, err } = await run(args, { env });
  expect(err).toContain(message);
  expect(err).not.toMatch(INVISIBLE);
  expect(err).not.toMatch(RAW);
  expect(err).not.toContain("hunter2");
  expect([code, out]).toEqual([2, ""]);
});

test.each([
  ["postgres://fleet:hunter2@127.0.0.1:1/fleet", "error: cannot connect to 127.0.0.1:1: connection refused"],
  ["postgres://fleet:hunter2@[bad/fleet", "error: the URL of the database or of Redis is not valid"],
])("a database that cannot be reached: %s", async (url, message) => {
  const { code, err } = await run(["show", "a.example"], { env: { SITEATLAS_FLEET_DATABASE: url } });
  expect([code, err]).toEqual([1, `${message}\n`]);
});

test("lines that are not hosts are shown without passwords", async () => {
  const lines = [
    `https://u:${"p".repeat(70)}hunter2@a.example/`,
    "u:hunter2",
    "https://u:hunter2#x@b.example/",
    `https://u:hunter2${"p".repeat(9000)}@c.example/`,
    `h${EVIL}`,
  ];
  const { code, err } = await run(["add", "-"], { input: lines.join("\n") });
  expect(code).toBe(1);
  expect(err).toContain('not a host: "https://***@b.example/"');
  expect(err).toContain('not a host: "https://***@…"');
  expect(err).toContain('not a host: "https://***@a.example/"');
  expect(err).toContain('not a host: "u:***"');
  expect(err).not.toMatch(/hunter2|ppp/);
  expect(err).not.toMatch(INVISIBLE);
});

test("stored text is escaped in JSON, and a parser reads the exact text", async () => {
  await run(["add", "-"], { input: "a.example\n" });
  const reason = `why${EVIL}`;
  await run(["quarantine", "a.example", "--reason", reason]);
  for (const args of [["quarantine"], ["show", "a.example"]]) {
    const { out } = await run(args);
    expect(out).not.toMatch(INVISIBLE);
    expect(JSON.parse(out)).toMatchObject({ host: "a.example", reason });
  }
});

test("a scheduler without Redis reports errors on one line each", async () => {
  const env = { SITEATLAS_FLEET_REDIS: "redis://:hunter2@127.0.0.1:1" };
  const main = join(import.meta.dirname, "../../dist/cli/main.js");
  const child = spawn(process.execPath, [main, "feed"], { env: { ...process.env, ...fleet.env, ...env } });
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk));
  await until(async () => err.split("\n").length > 4, "some errors");
  child.kill("SIGKILL");
  expect(new Set(err.trim().split("\n"))).toEqual(
    new Set(["feeding", "error: cannot connect to 127.0.0.1:1: connection refused"]),
  );
});

test("a worker whose metrics port is in use ends with 1 and leaves nothing", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  for (const command of ["work", "feed"]) {
    const { code, err } = await run([command, "--metrics", String(port)]);
    expect(err).toBe(`error: cannot listen on 127.0.0.1:${port}: another program uses this port\n`);
    expect(code).toBe(1);
  }
  server.close();
  const folder = fleet.env["SITEATLAS_FLEET_FOLDER"]!;
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
});

test("a worker that cannot start its walkers ends with 1 and leaves nothing", async () => {
  const { code, err } = await run(["work", "--proxy", "socks5://u:hunter2@x"]);
  expect(err).toContain("settings.proxy must be an http or https URL");
  expect(err).not.toContain("hunter2");
  expect(code).toBe(1);
  expect(readdirSync(fleet.env["SITEATLAS_FLEET_FOLDER"]!)).toEqual([]);
});

test("a worker continues when the reader of its messages ends", async () => {
  const worker = fleet.worker();
  await until(async () => worker.output().includes("working"), "the start");
  worker.process.stderr!.destroy();
  await fleet.add();
  const feeder = fleet.feeder();
  await fleet.done();
  await fleet.run("retry", fleet.farm.sites[0]!.host);
  await fleet.done();
  expect(worker.process.exitCode).toBeNull();
  expect(await worker.end()).toBe(0);
  await feeder.end();
});

// Reads the pages of the visit in the test above.
test("an export is complete or does not exist under its name", async () => {
  const folder = join(fleet.dir, "export");
  mkdirSync(folder);
  const whole = join(folder, "whole.ndjson");
  expect(await run(["export", "-o", whole])).toMatchObject({ code: 0, err: "" });
  const { out } = await run(["export"]);
  expect(readFileSync(whole, "utf8")).toBe(out);
  expect(out.split("\n").length).toBeGreaterThan(2);
  // If a part file is missing, the other rows are written to standard output, but not to a file.
  const { rows } = await fleet.pool.query<{ key: string }>(
    "select key from part where dataset = 'pages' limit 1",
  );
  rmSync(join(fleet.env["SITEATLAS_FLEET_STORE"]!, rows[0]!.key));
  expect((await run(["export", "-o", join(folder, "failed.ndjson")])).code).toBe(1);
  const rest = await run(["export"]);
  expect(rest).toMatchObject({
    code: 1,
    err: expect.stringContaining("does not have 1 file of this dataset"),
  });
  expect(rest.out.length).toBeLessThan(out.length);
  writeFileSync(join(folder, "old.ndjson"), "old");
  expect((await run(["export", "-o", join(folder, "old.ndjson")])).code).toBe(2);
  expect(readFileSync(join(folder, "old.ndjson"), "utf8")).toBe("old");
  expect(readdirSync(folder).sort()).toEqual(["old.ndjson", "whole.ndjson"]);
});

test("init refuses another number of shards, too many shards, and a database of a later version", async () => {
  await expect(fleet.run("init", "--shards", "8")).rejects.toThrow(
    /error: --shards: the fleet has 4 shards, and their number cannot be changed/,
  );
  await expect(fleet.run("init", "--shards", "5000")).rejects.toThrow(/--shards must be at most 4096/);
  await fleet.run("init", "--shards", "4");
  await fleet.run("init");
  await fleet.pool.query("insert into migration (number, name) values (999, 'later')");
  try {
    await expect(fleet.run("init")).rejects.toThrow(
      /A later version of siteatlas-fleet has updated this database \(migration 999\)/,
    );
  } finally {
    await fleet.pool.query("delete from migration where number = 999");
  }
});

test.each(["throw new Error('surprise')", "Promise.reject(new Error('surprise'))"])(
  "an unexpected error (%s) is one line, without a stack",
  async (code) => {
    // A scheduler runs until it gets a signal. The error happens as soon as it has started.
    const wait = `setInterval(() => { if (process.listenerCount("SIGTERM") > 0) ${code}; }, 50)`;
    const setup = `--import=data:text/javascript,${encodeURIComponent(wait)}`;
    const { code: status, err } = await run(["feed"], { env: { NODE_OPTIONS: setup } });
    expect(err).toContain("error: surprise\n");
    expect(err).not.toMatch(RAW);
    expect(status).toBe(1);
  },
);
