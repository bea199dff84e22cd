/**
 * A fleet on this machine: private servers, a farm of sites, workers and a scheduler as separate processes, and checks
 * of the result.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Pool } from "pg";
import { createPool, openStore, readDataset } from "siteatlas-fleet";
import { makeDirectory, noteProcess, removeDirectory, until } from "./private-server.mjs";
import { addToDigest, type Farm, type FarmSite, formatDigest, startFarm } from "./site-farm.mjs";
import { type Postgres, startPostgres } from "./start-postgres.mjs";
import { type Redis, startRedis } from "./start-redis.mjs";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const LOOK_EVERY_MS = 250;

export interface FleetOptions {
  readonly sites: number;
  readonly giant?: number;
  readonly seed?: number;
  readonly latencyMs?: number;
  readonly shards?: number;
  /** PostgreSQL without fsync, for tests that do not kill it. */
  readonly fast?: boolean;
  /** Other URLs than those of the servers: a proxy or a cluster. */
  readonly redisUrl?: (redis: Redis) => string | Promise<string>;
  readonly databaseUrl?: (postgres: Postgres) => string | Promise<string>;
}

export interface FleetProcess {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Its output until now. */
  readonly output: () => string;
  /** Sends a signal to it and to its walker processes. */
  kill(signal?: NodeJS.Signals): void;
  /** Sends SIGTERM and waits for the end. */
  end(): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

export class Fleet {
  readonly redis: Redis;
  readonly postgres: Postgres;
  readonly farm: Farm;
  readonly dir: string;
  readonly pool: Pool;
  readonly env: Readonly<Record<string, string>>;
  readonly processes: FleetProcess[] = [];

  private constructor(
    redis: Redis,
    postgres: Postgres,
    farm: Farm,
    dir: string,
    urls: { readonly redis: string; readonly database: string },
  ) {
    this.redis = redis;
    this.postgres = postgres;
    this.farm = farm;
    this.dir = dir;
    // The test connects to the server directly, without the proxy of the fleet.
    this.pool = createPool({ connectionString: postgres.url, max: 2 });
    this.env = {
      SITEATLAS_FLEET_DATABASE: urls.database,
      SITEATLAS_FLEET_REDIS: urls.redis,
      SITEATLAS_FLEET_STORE: join(dir, "store"),
      SITEATLAS_FLEET_FOLDER: join(dir, "tmp"),
      SITEATLAS_FLEET_CONTACT: "https://example.com/bot",
    };
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const { sites, giant = 0, seed = 1, latencyMs = 0, shards = 4, fast = true } = options;
    const [redis, postgres, farm] = await Promise.all([
      startRedis(),
      startPostgres({ fast }),
      startFarm({ sites, giant, seed, latencyMs }),
    ]);
    const dir = await makeDirectory("fleet");
    mkdirSync(join(dir, "store"), { recursive: true });
    const fleet = new Fleet(redis, postgres, farm, dir, {
      redis: (await options.redisUrl?.(redis)) ?? redis.url,
      database: (await options.databaseUrl?.(postgres)) ?? postgres.url,
    });
    await fleet.run("init", "--shards", String(shards));
    return fleet;
  }

  /** Adds these sites, by default all of the farm. */
  async add(sites: readonly FarmSite[] = this.farm.sites, ...flags: readonly string[]): Promise<void> {
    const file = join(this.dir, "sites.txt");
    writeFileSync(file, sites.map(({ homepage }) => `${homepage}\n`).join(""));
    await this.run("add", file, ...flags);
  }

  /** Runs a command. Returns its standard output. */
  async run(...args: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...this.env } });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk));
    const code = await new Promise((resolve) => child.on("close", resolve));
    if (code !== 0) throw new Error(`siteatlas-fleet ${args.join(" ")} ended with ${code}:\n${err}`);
    return out;
  }

  feeder(...flags: readonly string[]): FleetProcess {
    return this.#spawn("feed", "--every", "1", ...flags);
  }

  worker(...flags: readonly string[]): FleetProcess {
    const usual = ["--allow", "127.0.0.0/8", "--walkers", "1", "--jobs", "32"];
    return this.#spawn("work", ...usual, ...flags);
  }

  #spawn(...args: readonly string[]): FleetProcess {
    // A process group of its own, so that a signal can reach its walker processes.
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, ...this.env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    noteProcess(child, "SIGKILL");
    let text = "";
    const keep = (chunk: Buffer): void => {
      text = (text + chunk).slice(-200_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const started: FleetProcess = {
      process: child,
      pid: child.pid!,
      output: () => text,
      kill: (signal = "SIGKILL") => signalGroup(child.pid!, signal),
      end: () => {
        child.kill("SIGTERM");
        return ended;
      },
      ended,
    };
    this.processes.push(started);
    return started;
  }

  /** Waits until every visit is finished. Each further request to a site renews the patience of `until`. */
  async done(): Promise<void> {
    const requestCount = async (): Promise<number> => (await this.farm.totals()).requests ?? 0;
    for (let left = await this.left(); left > 0; left = await this.left()) {
      const before = await requestCount();
      // Without a pause, this loop and the servers that answer it take a core from the fleet.
      await wait(LOOK_EVERY_MS);
      const isFurther = async (): Promise<boolean> =>
        (await this.left()) === 0 || (await requestCount()) > before;
      await until(isFurther, `a request to one of the ${left} sites that are left`);
    }
  }

  /** Number of sites that are due or being visited; Infinity while the database is down. */
  async left(): Promise<number> {
    const { rows } = await this.pool
      .query<{ left: number }>(
        `select count(*)::integer as left from site
         where state = 'active' and (visited_at is null or visit_began is not null or next_due <= now())`,
      )
      .catch(() => ({ rows: [{ left: Number.POSITIVE_INFINITY }] }));
    return rows[0]!.left;
  }

  /** The current pages, by host. */
  async pages(): Promise<Map<string, { pages: number; digest: string; doubled: number }>> {
    const store = await openStore(this.env["SITEATLAS_FLEET_STORE"]!);
    const sums = new Map<string, { pages: number; digest: bigint; seen: Set<string> }>();
    for await (const row of readDataset(this.pool, store, this.dir, { dataset: "pages" })) {
      const { host, sitemap, url } = row as { host: string; sitemap: string; url: string };
      const sum = sums.get(host) ?? { pages: 0, digest: 0n, seen: new Set() };
      sum.pages++;
      sum.digest = addToDigest(sum.digest, sitemap, url);
      sum.seen.add(`${sitemap} ${url}`);
      sums.set(host, sum);
    }
    await store.close();
    return new Map(
      [...sums].map(([host, { pages, digest, seen }]) => [
        host,
        { pages, digest: formatDigest(digest), doubled: pages - seen.size },
      ]),
    );
  }

  /** Lost or duplicate pages, sites that are stuck, and part files with a wrong epoch. */
  async faults(sites: readonly FarmSite[] = this.farm.sites): Promise<string[]> {
    const faults: string[] = [];
    const found = await this.pages();
    for (const { host, shape, expectedPages, expectedDigest } of sites) {
      const { pages, digest, doubled } = found.get(host) ?? {
        pages: 0,
        digest: formatDigest(0n),
        doubled: 0,
      };
      if (doubled > 0) faults.push(`${host} (${shape}): ${doubled} pages twice`);
      else if (pages !== expectedPages)
        faults.push(`${host} (${shape}): ${pages} pages, not ${expectedPages}`);
      else if (digest !== expectedDigest) faults.push(`${host} (${shape}): other pages than expected`);
    }
    const { rows: late } = await this.pool.query<{ host: string }>(
      "select host from site where state = 'active' and (visited_at is null or visit_began is not null or begun > 0)",
    );
    for (const { host } of late) faults.push(`${host}: stuck`);
    const { rows: fenced } = await this.pool.query<{ key: string }>(
      "select key from part p join site s using (host) where p.epoch > s.epoch",
    );
    for (const { key } of fenced) faults.push(`${key}: its epoch is higher than that of its site`);
    return faults;
  }

  async close(): Promise<void> {
    for (const { kill } of this.processes) {
      kill("SIGCONT");
      kill("SIGKILL");
    }
    await Promise.all(this.processes.map(({ ended }) => ended));
    await this.pool.end();
    await Promise.all([this.farm.close(), this.redis.stop(), this.postgres.stop()]);
    await removeDirectory(this.dir);
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended.
  }
}
