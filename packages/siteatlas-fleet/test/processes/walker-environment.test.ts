/** Walker processes have no secret: the variables of the worker stay in the worker, which also uses the store for them. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runStoreCall, type StoreAccess } from "../../src/processes/run-store-call.ts";
import { Fleet, type FleetProcess } from "../support/fleet.ts";
import { until } from "../support/private-server.mjs";

/** Variables of a worker, each with a value that can be found again. */
const SECRETS: Readonly<Record<string, string>> = {
  PGPASSWORD: "secret-of-postgres",
  REDISCLI_AUTH: "secret-of-redis",
  AWS_ACCESS_KEY_ID: "secret-key-of-s3",
  AWS_SECRET_ACCESS_KEY: "secret-of-s3",
  AWS_SESSION_TOKEN: "secret-token-of-s3",
  HTTP_PROXY: "http://user:secret-of-http-proxy@127.0.0.1:9",
  HTTPS_PROXY: "http://user:secret-of-https-proxy@127.0.0.1:9",
  NODE_OPTIONS: "--stack-trace-limit=77",
  ANY_OTHER_VARIABLE: "secret-of-the-operator",
};

describe("a real walker process", () => {
  let fleet: Fleet;
  let worker: FleetProcess;

  beforeAll(async () => {
    fleet = await Fleet.start({ sites: 5, shards: 1 });
    Object.assign(process.env, SECRETS);
    worker = fleet.worker();
    for (const name of Object.keys(SECRETS)) delete process.env[name];
    await fleet.add();
    fleet.feeder();
    await fleet.done();
  });

  afterAll(() => fleet?.close());

  test("inherits only harmless variables, although the worker has secrets", async () => {
    const secrets = [...Object.values(SECRETS), ...Object.values(fleet.env)];
    const ofWorker = environmentOf(worker.pid);
    for (const secret of secrets) expect(ofWorker).toContain(secret);
    const walkers = childrenOf(worker.pid);
    expect(walkers.length).toBeGreaterThan(0);
    for (const pid of walkers) {
      expect(readFileSync(`/proc/${pid}/cmdline`, "latin1")).toContain("visit-process.js");
      const environment = environmentOf(pid);
      for (const secret of secrets) expect(environment).not.toContain(secret);
      const names = environment.split("\0").flatMap((pair) => pair.split("=")[0] || []);
      const harmless =
        /^(?:PATH|LANG|LC_ALL|TZ|TMPDIR|NODE_ENV|UV_THREADPOOL_SIZE|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|NODE_CHANNEL_\w+)$/;
      expect(names.filter((name) => !harmless.test(name))).toEqual([]);
    }
  });

  test("visits sites, and the worker stores their pages", async () => {
    expect(await fleet.faults()).toEqual([]);
  });

  test("has temporary files only in folders that no other user can read", async () => {
    await until(async () => childrenOf(worker.pid).length > 0, "a walker process runs");
    const { statSync, readdirSync } = await import("node:fs");
    const folder = fleet.env["SITEATLAS_FLEET_FOLDER"]!;
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const names = readdirSync(folder);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(statSync(`${folder}/${name}`).mode & 0o777).toBe(0o700);
  });
});

function environmentOf(pid: number): string {
  return readFileSync(`/proc/${pid}/environ`, "utf8");
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
}

describe("the store of the worker", () => {
  const request = {
    shard: 3,
    host: "a.example",
    epoch: 7,
    snapshot: "snapshots/shard=0003/a.example.e6-0.snapshot.gz",
  };
  const calls: string[] = [];
  const access: StoreAccess = {
    open: async () => ({
      put: async (key) => void calls.push(`put ${key}`),
      get: async (key) => void calls.push(`get ${key}`),
    }),
    folder: "/srv/worker",
    requestOf: (host) => (host === request.host ? (request as never) : undefined),
  };
  const part = "pages/date=2026-11-15/shard=0003/a.example.e7-0.parquet";
  const run = (action: "put" | "get", key: string, file = "/srv/worker/leg-1/pages.parquet") =>
    runStoreCall({ kind: "store", id: 1, action, key, file }, access);

  test("takes the files of a visit, and returns its snapshot", async () => {
    expect(await run("put", part)).toEqual({ kind: "stored", id: 1 });
    expect(await run("get", request.snapshot)).toEqual({ kind: "stored", id: 1 });
    expect(calls.splice(0)).toEqual([`put ${part}`, `get ${request.snapshot}`]);
  });

  test.each([
    ["an object of another site", "put", part.replace("a.example", "b.example")],
    ["an object of another claim", "put", part.replace("e7", "e8")],
    ["an object of another shard", "put", part.replace("0003", "0004")],
    ["a merged file", "put", "pages/date=2026-11-15/shard=0003/compact-1.parquet"],
    ["the snapshot of another site", "get", request.snapshot.replace("a.example", "b.example")],
    ["a part file", "get", part],
  ] as const)("refuses %s", async (_, action, key) => {
    expect(await run(action, key)).toMatchObject({ error: { kind: "invalid" } });
    expect(calls).toEqual([]);
  });

  test.each(["/etc/passwd", "/srv/worker/../secret", "/srv/worker", "/srv/worker-2/file"])(
    "refuses the file %s",
    async (file) => {
      expect(await run("put", part, file)).toMatchObject({ error: { kind: "invalid" } });
      expect(await run("get", request.snapshot, file)).toMatchObject({ error: { kind: "invalid" } });
      expect(calls).toEqual([]);
    },
  );
});
