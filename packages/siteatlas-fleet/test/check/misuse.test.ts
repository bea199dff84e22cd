/** Misuse of the public functions: an error that names the function, the option, the value and what is allowed. */
import { expect, it } from "vitest";
import * as fleet from "../../src/index.ts";

/** Stand-ins that are never called: misuse is reported before anything is opened or sent. */
const pool = { query: () => {} };
const store = { put: () => {} };
const frontier = new fleet.Frontier(pool as never);
const redis = { disconnect: () => {} };
const walkers = new fleet.InlineWalkers(async () => ({}) as never);
const queue = { addBulk: async () => {} };
const folder = "tmp";
const userAgent = "test (+https://example.com/)";
const RESULT = { outcome: "found", changes: 0 } as const;
const BEFORE = { quiet: 0, failures: 0, isFirst: false };

interface Case {
  readonly call: (options: never) => unknown;
  /** Correct values of the options that have no default. */
  readonly needed: Readonly<Record<string, unknown>>;
  readonly optional: readonly string[];
}

const VISIT_OPTIONS = ["concurrency", "delayMs", "respectRobots", "guess", "crossHost", "limits", "legMs"];
const SETTINGS = [...VISIT_OPTIONS, "stuckMs", "allow", "dns", "proxy", "visitor"];
const SCHEDULE = ["everySeconds", "minSeconds", "maxSeconds", "jitter", "random"];

const CASES: Readonly<Record<string, Case>> = {
  Frontier: {
    call: (o) => new fleet.Frontier(pool as never, o),
    needed: {},
    optional: ["holder", "leaseMs"],
  },
  addSites: {
    call: (o) => frontier.addSites([], o),
    needed: {},
    optional: ["tenant", "spreadSeconds", "due"],
  },
  migrate: { call: (o) => fleet.migrate(pool as never, o), needed: {}, optional: ["shards"] },
  compact: {
    call: (o) => fleet.compact(o),
    needed: { pool, store, folder },
    optional: ["targetBytes", "maxRows"],
  },
  manifest: {
    call: (o) => fleet.manifest(pool as never, o),
    needed: {},
    optional: ["dataset", "shard", "day", "host"],
  },
  readDataset: {
    call: (o) => fleet.readDataset(pool as never, store as never, folder, o),
    needed: { dataset: "pages" },
    optional: ["shard", "day", "host", "onMissing"],
  },
  repair: { call: (o) => fleet.repair(o), needed: { pool, store }, optional: ["claim"] },
  sweep: { call: (o) => fleet.sweep(o), needed: { pool, store }, optional: ["graceMs", "mayDelete"] },
  openVisitor: {
    call: (o) => fleet.openVisitor(o),
    needed: { folder, userAgent, store: "parts" },
    optional: SETTINGS,
  },
  createVisitor: {
    call: (o) => fleet.createVisitor(o),
    needed: { folder, userAgent, store, client: async () => {} },
    optional: VISIT_OPTIONS,
  },
  ProcessWalkers: {
    call: (o) => new fleet.ProcessWalkers(o),
    needed: { settings: { folder, userAgent, store: "parts" }, count: 1 },
    optional: ["suspects", "memoryMb"],
  },
  Feeder: {
    call: (o) => new fleet.Feeder(o),
    needed: { frontier, redis },
    optional: ["backoffMs", "everyMs", "highWater", "perDomain", "rescanMs", "onError", "onFed"],
  },
  enqueue: { call: (o) => fleet.enqueue(queue as never, [], o), needed: {}, optional: ["backoffMs"] },
  nextVisit: { call: (o) => fleet.nextVisit(RESULT, BEFORE, o), needed: {}, optional: SCHEDULE },
  FleetWorker: {
    call: (o) => new fleet.FleetWorker(o),
    needed: { frontier, redis, walkers },
    optional: ["shards", "concurrency", "leaseMs", "sliceMs", "pack", "schedule", "admit", "onEvent"],
  },
};

/** Generators must throw at the call, and promises must reject. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const result = call();
    if (result instanceof Promise) await result;
    return undefined;
  } catch (error) {
    return error;
  }
}

async function messageOf(name: string, options: unknown): Promise<string> {
  const error = await errorOf(() => CASES[name]!.call(options as never));
  expect(error).toBeInstanceOf(TypeError);
  return (error as TypeError).message;
}

const OPTIONS = Object.entries(CASES).flatMap(([name, { needed, optional }]) =>
  [...Object.keys(needed), ...optional].map((option) => [name, option] as const),
);

it.each(OPTIONS)(
  "%s: %s rejects a symbol and null, with the option and what is allowed",
  async (name, option) => {
    for (const [value, shown] of [
      [Symbol("wrong"), "Symbol(wrong)"],
      [null, "null"],
    ] as const) {
      const message = await messageOf(name, { ...CASES[name]!.needed, [option]: value });
      expect(message).toMatch(new RegExp(`^${name}: option ${option} must be \\S`));
      expect(message.endsWith(`, not ${shown}`)).toBe(true);
    }
  },
);

it.each(OPTIONS)("%s: %s may be undefined only if it has a default", async (name, option) => {
  const { needed, call } = CASES[name]!;
  const given = { ...needed, [option]: undefined };
  if (option in needed) {
    expect(await messageOf(name, given)).toMatch(
      new RegExp(`^${name}: option ${option} must be .*, not undefined`),
    );
  } else if (["Frontier", "createVisitor", "ProcessWalkers", "Feeder", "FleetWorker"].includes(name)) {
    expect(await errorOf(() => call(given as never))).toBeUndefined();
  }
});

it.each(Object.keys(CASES))("%s: an unknown option is reported with the nearest known one", async (name) => {
  const { needed, optional } = CASES[name]!;
  const known = optional.at(-1)!;
  const message = await messageOf(name, { ...needed, [`${known}x`]: 1 });
  expect(message).toBe(`${name}: unknown option ${known}x. Did you mean ${known}?`);
  expect(await messageOf(name, { ...needed, somethingElse: 1 })).toBe(
    `${name}: unknown option somethingElse`,
  );
});

it.each(Object.keys(CASES))("%s: options that are not an object", async (name) => {
  for (const value of [null, "all", 3, [], Promise.resolve({})]) {
    expect(await messageOf(name, value)).toMatch(new RegExp(`^${name}: options must be an object, not `));
  }
});

const EXACT: readonly (readonly [name: string, options: object, message: string])[] = [
  ["migrate", { shards: "many" }, 'option shards must be a whole number of at least 1, not "many"'],
  ["readDataset", { dataset: "page" }, 'option dataset must be "pages", "sitemaps" or "changes", not "page"'],
  ["manifest", { day: "15.11.2026" }, 'option day must be a day such as 2026-11-15, not "15.11.2026"'],
  [
    "sweep",
    { pool, store: Promise.resolve(store) },
    "option store must be a store, such as the one that openStore returns, not a Promise. Did you forget await?",
  ],
  [
    "FleetWorker",
    { frontier, redis, walkers, shards: [0, "1"] },
    'option shards[1] must be a whole number of at least 0, not "1"',
  ],
  ["FleetWorker", { frontier, redis, walkers, schedule: { every: 3 } }, "unknown option schedule.every"],
  [
    "FleetWorker",
    { frontier, redis, walkers, schedule: { jiter: 3 } },
    "unknown option schedule.jiter. Did you mean jitter?",
  ],
];

it.each(EXACT)("%s %j", async (name, options, message) => {
  expect(await messageOf(name, options)).toBe(`${name}: ${message}`);
});

/** The table of siteatlas decides, under the names of the fleet. */
const PASSED_ON: readonly (readonly [options: object, message: string])[] = [
  [
    { guess: "whenEmpty" },
    'option guess must be true, false or "when-empty", not "whenEmpty". Did you mean "when-empty"?',
  ],
  [{ crossHost: "no" }, 'option crossHost must be "follow", "same-site" or "none", not "no"'],
  [{ limits: { url: 3 } }, "unknown option limits.url. Did you mean urls?"],
  [{ limits: { urls: "3" } }, 'option limits.urls must be a number of at least 0, not "3"'],
];

it.each(PASSED_ON)("%j is checked as siteatlas does", async (options, message) => {
  const visit = { ...CASES["createVisitor"]!.needed, ...options };
  expect(await messageOf("createVisitor", visit)).toBe(`createVisitor: ${message}`);
  const settings = { folder, userAgent, store: "parts", ...options };
  const inSettings = message.replace("option ", "option settings.");
  expect(await messageOf("ProcessWalkers", { settings, count: 1 })).toBe(`ProcessWalkers: ${inSettings}`);
});

it.each([
  ["ProcessWalkers", { allow: ["a b"] }, /^ProcessWalkers: option settings\.allow/],
  ["ProcessWalkers", { proxy: "proxy:3128" }, /^ProcessWalkers: option settings\.proxy/],
] as const)("%s %j is invalid before a process starts", async (name, options, message) => {
  const settings = { folder, userAgent, store: "parts", ...options };
  expect(await messageOf(name, { settings, count: 1 })).toMatch(message);
});

it.each([
  ["migrate", { shards: 0 }],
  ["migrate", { shards: 1.5 }],
  ["Frontier", { leaseMs: Number.POSITIVE_INFINITY }],
  ["Frontier", { leaseMs: Number.NaN }],
  ["nextVisit", { jitter: 2 }],
  ["ProcessWalkers", { ...CASES["ProcessWalkers"]!.needed, suspects: 0 }],
  ["createVisitor", { ...CASES["createVisitor"]!.needed, concurrency: 0 }],
] as const)("%s %j is out of range", async (name, options) => {
  const error = await errorOf(() => CASES[name]!.call(options as never));
  expect(error).toBeInstanceOf(RangeError);
  expect((error as RangeError).message).toMatch(
    new RegExp(`^${name}: option \\w+ must be a (?:whole )?number `),
  );
});

it("arguments that are not options", async () => {
  const secret = "postgres://fleet:secret@127.0.0.1/fleet";
  const { createPool, InlineWalkers, manifest, migrate, readDataset } = fleet;
  expect(() => createPool(secret as never)).toThrow(
    new TypeError("createPool: config must be an object such as { connectionString }, not this string"),
  );
  const aPool = "pool must be a pool of pg, such as the one that createPool returns, not undefined";
  await expect(migrate(undefined as never)).rejects.toThrow(new TypeError(`migrate: ${aPool}`));
  expect(() => manifest(undefined as never)).toThrow(new TypeError(`manifest: ${aPool}`));
  expect(() => new fleet.Frontier(undefined as never)).toThrow(new TypeError(`Frontier: ${aPool}`));
  const dataset = { dataset: "pages" } as const;
  expect(() => readDataset(pool as never, {} as never, folder, dataset)).toThrow(
    /^readDataset: store must be a store/,
  );
  expect(() => readDataset(pool as never, store as never, "", dataset)).toThrow(
    /^readDataset: folder must be the path/,
  );
  expect(() => new InlineWalkers({} as never)).toThrow(
    "InlineWalkers: visit must be a function, not an object",
  );
});
