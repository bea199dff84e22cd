/**
 * The processes of one case. `node GROUP.mjs list` prints the cases of the group, `client ID PART` runs and
 * measures one and prints its result, `server ID` is started by the client and holds the servers.
 *
 * Checks for every case: no uncaught errors, nothing left one second after the end, memory, the event loop,
 * messages that are safe to print.
 */
import { type ChildProcess, fork } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import zlib from "node:zlib";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import type { IssueCode } from "../../src/model/issue-severity.ts";
import type { Issue, Page } from "../../src/model/model.ts";
import { DocumentParser } from "../../src/parse/document.ts";
import { Budget } from "../../src/walk/budget.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { peakRss } from "../support/peak-rss.ts";
import {
  type Bounds,
  type CaseWalkOptions,
  COMMON_BOUNDS,
  CONNECT_TIMEOUT_MS,
  type Context,
  type HostileCase,
  MIB,
  SCALED_LIMITS,
  type ServerFacts,
  type Site,
  type Walked,
} from "./case.ts";
import { type CoreSpeed, measureCore, slowerOf } from "./core-speed.ts";
import { answer, HostileStage, sitemapIndex, urlset } from "./raw-server.ts";

/** The measured values, by the names of the limits. */
export type Figures = Readonly<Record<Exclude<keyof Bounds, "isByteWork">, number>>;

/** What `client` prints. */
export interface CaseResult {
  readonly id: string;
  readonly outcome: string;
  /** The problems. */
  readonly failures: readonly string[];
  /** Problems that a busy machine could cause: time, memory, the event loop. */
  readonly noise: readonly string[];
  readonly figures: Figures;
  readonly note: string;
}

export type CaseInfo = Pick<HostileCase, "id" | "server" | "expected"> & {
  readonly bounds: Bounds;
  readonly parts: readonly string[];
  readonly mustFail: readonly string[];
};

const MAX_KEPT = 5000;
const MAX_MESSAGE = 512;
const LEFTOVER_MS = 1000;

export async function main(cases: readonly HostileCase[]): Promise<void> {
  const [, , role = "", id = "", part = ""] = process.argv;
  if (role === "list") {
    const infos: CaseInfo[] = cases.map(({ id, server, expected, bounds, parts = [""], mustFail = [] }) => ({
      id,
      server,
      expected,
      bounds: { ...COMMON_BOUNDS, ...bounds },
      parts,
      mustFail,
    }));
    console.log(JSON.stringify(infos));
    return;
  }
  const found = cases.find((hostile) => hostile.id === id);
  if (found === undefined) throw new RangeError(`No such case: ${id}`);
  if (role === "server") await holdServers(found);
  else {
    console.log(JSON.stringify(await runCase(found, part)));
    process.exit();
  }
}

// ---------------------------------------------------------------- the server's process

/** Opens the servers and reports them. Responds to each further message with what they received. */
async function holdServers(hostile: HostileCase): Promise<void> {
  const honest = await new HostileStage().http(honestSite);
  const stage = new HostileStage();
  const site = (await hostile.serve?.(stage)) ?? {};
  process.on("message", () => process.send!(stage.facts()));
  process.on("disconnect", () => process.exit());
  process.send!({ site, honest });
}

/** An index with two children, one of them compressed. The process walks it before it is measured. */
function honestSite({ url, headers }: IncomingMessage, response: ServerResponse): void {
  const origin = `http://${headers.host}`;
  if (url === "/robots.txt") answer(response, { body: `Sitemap: ${origin}/index.xml\n` });
  else if (url === "/index.xml")
    answer(response, { body: sitemapIndex([`${origin}/a.xml`, `${origin}/b.xml.gz`]) });
  else if (url === "/a.xml") answer(response, { body: urlset(500) });
  else answer(response, { body: zlib.gzipSync(urlset(2000)) });
}

interface Servers {
  readonly site: Site;
  readonly honest: string;
  facts(): Promise<ServerFacts>;
  end(): void;
}

async function startServers(id: string): Promise<Servers> {
  const child = fork(process.argv[1]!, ["server", id], {
    env: { ...process.env, TMPDIR: process.env["HOSTILE_TMPDIR"] },
  });
  const { site, honest } = (await nextMessage(child)) as { site: Site; honest: string };
  return {
    site,
    honest,
    facts: async () => {
      const facts = nextMessage(child);
      child.send({});
      return (await facts) as ServerFacts;
    },
    end: () => child.kill("SIGKILL"),
  };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`The server's process ended (${code})`));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      resolve(message);
    });
  });
}

// ---------------------------------------------------------------- meters

/** The handle of a socket; `_parent` is the connection below TLS. */
interface Handle {
  readonly bytesRead: number;
  readonly _parent?: Handle;
}

/** Bytes that the sockets of this process received: with TLS those on the wire, including failed handshakes. */
class WireMeter {
  readonly #sockets = new Map<Socket, Handle>();
  #closed = 0;

  constructor() {
    const watch = (socket: Socket): void => {
      this.#sockets.set(socket, socket);
      socket.once("connect", () => {
        const { _parent } = (socket as unknown as { readonly _handle?: Handle })._handle ?? {};
        this.#sockets.set(socket, _parent ?? socket);
      });
      socket.once("close", () => {
        this.#closed += this.#sockets.get(socket)?.bytesRead ?? 0;
        this.#sockets.delete(socket);
      });
    };
    const prototype = Socket.prototype as { connect(...options: unknown[]): Socket };
    const { connect } = prototype;
    prototype.connect = function (this: Socket, ...options: unknown[]): Socket {
      watch(this);
      return connect.apply(this, options);
    };
  }

  get bytes(): number {
    let sum = this.#closed;
    for (const { bytesRead } of this.#sockets.values()) sum += bytesRead;
    return sum;
  }
}

/** Bytes passed to parsers. */
function meterParsers(): { bytes: number } {
  const meter = { bytes: 0 };
  const { prototype } = DocumentParser;
  const { push } = prototype;
  prototype.push = function (this: DocumentParser, bytes: Uint8Array): void {
    meter.bytes += bytes.length;
    push.call(this, bytes);
  };
  return meter;
}

/** The highest estimate of the bytes that a walk holds. It adds up what is reported to its budget. */
function meterHeld(): { highest: number } {
  const meter = { highest: 0 };
  const sums = new WeakMap<Budget, number>();
  const add = (budget: Budget, bytes: number): void => {
    const sum = (sums.get(budget) ?? 0) + bytes;
    sums.set(budget, sum);
    meter.highest = Math.max(meter.highest, sum);
  };
  const { prototype } = Budget;
  const { hold, addHeld, releaseChildren } = prototype;
  // `holdChild` and `restoreChildren` call these.
  prototype.hold = function (this: Budget, bytes: number): ReturnType<Budget["hold"]> {
    const breach = hold.call(this, bytes);
    if (breach === undefined) add(this, bytes);
    return breach;
  };
  prototype.addHeld = function (this: Budget, bytes: number): void {
    addHeld.call(this, bytes);
    add(this, bytes);
  };
  prototype.releaseChildren = function (this: Budget, count: number, bytes: number): void {
    releaseChildren.call(this, count, bytes);
    add(this, -bytes);
  };
  return meter;
}

/** Output of decompressors, counted where zlib passes it to its streams. */
function meterInflation(): { bytes: number } {
  const meter = { bytes: 0 };
  const { InflateRaw, Inflate, Gunzip, Unzip, BrotliDecompress } = zlib as unknown as Record<
    string,
    { prototype: Readable }
  >;
  for (const kind of [InflateRaw, Inflate, Gunzip, Unzip, BrotliDecompress]) {
    const prototype = kind!.prototype;
    const { push } = prototype;
    prototype.push = function (this: Readable, chunk: Uint8Array | null): boolean {
      meter.bytes += chunk?.length ?? 0;
      return push.call(this, chunk);
    };
  }
  return meter;
}

/**
 * The largest growth of the resident set. The system records the peak of the process. Until that is exceeded,
 * samples count.
 */
class RssMeter {
  readonly #base = process.memoryUsage.rss();
  readonly #peakBefore = peakRss();
  readonly #timer = setInterval(() => this.#sample(), 10).unref();
  #highest = 0;

  #sample(): void {
    this.#highest = Math.max(this.#highest, process.memoryUsage.rss());
  }

  end(): number {
    clearInterval(this.#timer);
    this.#sample();
    const peak = peakRss();
    if (peak > this.#peakBefore) this.#highest = Math.max(this.#highest, peak);
    return Math.max(0, this.#highest - this.#base) / MIB;
  }
}

const TICK_MS = 10;

/**
 * The longest block of the event loop, without the time that the thread waited for a CPU. Only Linux reports
 * that time.
 */
function meterLoop(): () => number {
  let longest = 0;
  let [at, waited] = [performance.now(), waitedMs()];
  const tick = (): void => {
    const [nowAt, nowWaited] = [performance.now(), waitedMs()];
    longest = Math.max(longest, nowAt - at - TICK_MS - (nowWaited - waited));
    [at, waited] = [nowAt, nowWaited];
  };
  const timer = setInterval(tick, TICK_MS).unref();
  return () => {
    clearInterval(timer);
    tick();
    return longest;
  };
}

/** How long this thread waited for a CPU. */
const waitedMs = (): number => readSchedule()?.[1] ?? 0;

/** CPU time of this thread, without the threads of the compiler and the garbage collector. */
function threadMs(): number {
  const { user, system } = process.cpuUsage();
  return readSchedule()?.[0] ?? (user + system) / 1000;
}

/** How long this thread ran and waited for a CPU, in milliseconds. Only on Linux. */
function readSchedule(): readonly [ran: number, waited: number] | undefined {
  try {
    const [ran, waited] = readFileSync("/proc/self/schedstat", "latin1").split(" ", 2).map(Number);
    return [ran! / 1e6, waited! / 1e6];
  } catch {
    return undefined;
  }
}

/** Active resources of the event loop and open files, by kind. */
function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
  try {
    counts.set("file descriptors", readdirSync("/proc/self/fd").length);
  } catch {
    // Only on Linux.
  }
  return counts;
}

// ---------------------------------------------------------------- one case

const wire = new WireMeter();
const inflation = meterInflation();
const parsers = meterParsers();
const held = meterHeld();

async function runCase(hostile: HostileCase, part: string): Promise<CaseResult> {
  const uncaught: string[] = [];
  process.on("uncaughtException", (error) => uncaught.push(`uncaught exception: ${error?.stack}`));
  process.on("unhandledRejection", (reason) =>
    uncaught.push(`unhandled rejection: ${String((reason as Error)?.stack ?? reason)}`),
  );
  const servers = await startServers(hostile.id);
  const context = new CaseContext(part, servers);
  await warmUp(servers.honest);
  const before = countResources();
  const speedBefore = measureCore();
  const endRss = await startRss();
  const endLoop = meterLoop();
  const endUse = meterUse();
  const outcome = await hostile.run(context).catch((error: unknown) => {
    context.failures.push(`threw ${String((error as Error)?.stack ?? error)}`);
    return "threw";
  });
  const whole = endUse();
  const blockedMs = endLoop();
  const rssMiB = endRss();
  const speed = slowerOf(speedBefore, measureCore());
  const left = await leftovers(before, servers);
  const { requestCount: requests, connections } = await servers.facts();
  servers.end();
  const { partMs, partMiB } = context;
  const figures = {
    ...(context.highest() ?? whole),
    partMs,
    partMiB,
    heldBytes: held.highest,
    rssMiB,
    blockedMs,
    requests,
    connections,
  };
  const { failures, noise } = judge(boundsAt(speed, { ...COMMON_BOUNDS, ...hostile.bounds }), figures);
  return {
    id: hostile.id,
    outcome,
    failures: [
      ...context.failures,
      ...context.unsafe(),
      ...uncaught,
      ...left,
      ...failures,
      ...context.noise,
      ...noise,
    ],
    noise: [...context.noise, ...noise],
    figures,
    note: context.notes.join("; "),
  };
}

/** The measured values of one walk or of the whole case. */
type Use = Pick<Figures, "ms" | "cpuMs" | "wireBytes" | "decodedBytes" | "inflatedBytes">;

function meterUse(): () => Use {
  const base = {
    at: performance.now(),
    cpu: process.cpuUsage(),
    wire: wire.bytes,
    decoded: parsers.bytes,
    inflated: inflation.bytes,
  };
  return () => ({
    ms: performance.now() - base.at,
    cpuMs: cpuMsSince(base.cpu),
    wireBytes: wire.bytes - base.wire,
    decodedBytes: parsers.bytes - base.decoded,
    inflatedBytes: inflation.bytes - base.inflated,
  });
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Several times, to compile all code and fill pools. */
async function warmUp(honest: string): Promise<void> {
  const limits = { urls: Number.POSITIVE_INFINITY, decodedBytes: 50 * MIB, wireBytes: 50 * MIB };
  for (let n = 0; n < 3; n++) {
    const { pageCount } = await walk(honest, { limits });
    if (pageCount !== 2500) throw new Error(`The honest site gave ${pageCount} pages`);
  }
  // The sockets of the last walk close one turn later.
  await new Promise((resolve) => setTimeout(resolve, 50));
}

async function startRss(): Promise<() => number> {
  (globalThis as { gc?: () => void }).gc?.();
  // Collected memory is returned to the system a little later. Until then it would hide growth.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const meter = new RssMeter();
  return () => meter.end();
}

/** The bounds for a core of this speed. */
function boundsAt({ scripts, bytes }: CoreSpeed, bounds: Bounds): Bounds {
  const { cpuMs, partMs, blockedMs, isByteWork } = bounds;
  const scaled = (bound: number | undefined, slowness: number): number =>
    Math.ceil((bound ?? Number.POSITIVE_INFINITY) * slowness);
  return {
    ...bounds,
    cpuMs: scaled(cpuMs, isByteWork ? bytes : scripts),
    partMs: scaled(partMs, scripts),
    blockedMs: scaled(blockedMs, scripts),
  };
}

function judge(bounds: Bounds, figures: Figures): { failures: string[]; noise: string[] } {
  const over = (...names: readonly (keyof Figures)[]): string[] =>
    names
      .filter((name) => figures[name] > (bounds[name] ?? Number.POSITIVE_INFINITY))
      .map((name) => `${name} ${Math.ceil(figures[name])} is more than ${bounds[name]}`);
  return {
    failures: over("heldBytes", "wireBytes", "decodedBytes", "inflatedBytes", "requests", "connections"),
    noise: over("ms", "cpuMs", "partMs", "partMiB", "rssMiB", "blockedMs"),
  };
}

/** Sockets, timers and files of this process, and connections at the servers, that are left after a second. */
async function leftovers(before: ReadonlyMap<string, number>, servers: Servers): Promise<string[]> {
  const from = performance.now();
  for (;;) {
    const resources = [...countResources()].filter(([name, count]) => count > (before.get(name) ?? 0));
    const { open } = await servers.facts();
    const files = readdirSync(tmpdir());
    const left = [
      ...resources.map(([name, count]) => `${count - (before.get(name) ?? 0)} ${name} left`),
      ...(open > 0 ? [`${open} connections left at the server`] : []),
      ...(files.length > 0 ? [`temporary files left: ${files.join(" ")}`] : []),
    ];
    if (left.length === 0 || performance.now() - from > LEFTOVER_MS) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** How often a component is measured. */
const PART_RUNS = 3;

class CaseContext implements Context {
  readonly failures: string[] = [];
  readonly noise: string[] = [];
  readonly notes: string[] = [];
  readonly part: string;
  partMs = 0;
  partMiB = 0;
  readonly #servers: Servers;
  readonly #walks: Use[] = [];
  /** Messages with their descriptions. */
  readonly #told = new Map<string, string>();

  constructor(part: string, servers: Servers) {
    this.part = part;
    this.#servers = servers;
  }

  get site(): Site {
    return this.#servers.site;
  }

  url(path = "/"): string {
    return `${this.site["url"]}${path}`;
  }

  async walk(homepageUrl: string, options?: CaseWalkOptions): Promise<Walked> {
    const walked = await walk(homepageUrl, options);
    const { ms, cpuMs, wireBytes, decodedBytes, inflatedBytes } = walked;
    this.#walks.push({ ms, cpuMs, wireBytes, decodedBytes, inflatedBytes });
    for (const { reason = "" } of walked.sitemaps) this.tell(reason, "reason");
    for (const { code, value = "" } of walked.issues) this.tell(value, `value of ${code}`);
    return walked;
  }

  facts(): Promise<ServerFacts> {
    return this.#servers.facts();
  }

  expect(isSo: boolean, what: string): boolean {
    if (!isSo) this.failures.push(what);
    return isSo;
  }

  expectEqual(seen: unknown, wanted: unknown, what: string): boolean {
    const [is, should] = [JSON.stringify(seen), JSON.stringify(wanted)];
    return this.expect(is === should, `${what}: ${is} instead of ${should}`);
  }

  expectInTime(isSo: boolean, what: string): boolean {
    if (!isSo) this.noise.push(what);
    return isSo;
  }

  expectSitemap(
    sitemap: WalkedSitemap | undefined,
    wanted: Partial<WalkedSitemap>,
    what = "sitemap",
  ): boolean {
    const names = Object.keys(wanted) as (keyof WalkedSitemap)[];
    const seen = Object.fromEntries(names.map((name) => [name, sitemap?.[name]]));
    return this.expectEqual(seen, wanted, `${what} (${sitemap === undefined ? "none" : sitemap.outcome})`);
  }

  note(text: string): void {
    this.notes.push(text);
  }

  async measurePart(work: () => void | Promise<void>): Promise<number> {
    let best = Number.POSITIVE_INFINITY;
    for (let n = 0; n < PART_RUNS; n++) {
      // Gives the event loop meter a turn.
      await new Promise((resolve) => setImmediate(resolve));
      const before = threadMs();
      await work();
      best = Math.min(best, threadMs() - before);
    }
    this.partMs = Math.max(this.partMs, best);
    return best;
  }

  async measurePartMemory(work: () => void | Promise<void>): Promise<number> {
    const end = await startRss();
    await work();
    const grown = end();
    this.partMiB = Math.max(this.partMiB, grown);
    return grown;
  }

  tell(message: string, what: string): void {
    this.#told.set(message, what);
  }

  /** The highest values of all walks. */
  highest(): Use | undefined {
    if (this.#walks.length === 0) return undefined;
    const most = (name: keyof Use): number => Math.max(...this.#walks.map((use) => use[name]));
    return {
      ms: most("ms"),
      cpuMs: most("cpuMs"),
      wireBytes: most("wireBytes"),
      decodedBytes: most("decodedBytes"),
      inflatedBytes: most("inflatedBytes"),
    };
  }

  /** Messages that are not safe to print. */
  unsafe(): string[] {
    return [...this.#told].flatMap(([text, what]) => [
      ...(text.length > MAX_MESSAGE ? [`${what} of ${text.length} characters`] : []),
      ...(/[\0-\x1f\x7f-\x9f]/.test(text) ? [`${what} with control bytes: ${JSON.stringify(text)}`] : []),
    ]);
  }
}

async function walk(homepageUrl: string, options: CaseWalkOptions = {}): Promise<Walked> {
  const { clientOptions, keepPages = 1000, breakAfter = Number.POSITIVE_INFINITY, limits, ...rest } = options;
  const pages: Page[] = [];
  const sitemaps: WalkedSitemap[] = [];
  const issues: Issue[] = [];
  const codes = new Set<IssueCode>();
  let pageCount = 0;
  const endUse = meterUse();
  const client =
    options.client ??
    createNodeClient({ connectTimeoutMs: CONNECT_TIMEOUT_MS, homepage: homepageUrl, ...clientOptions });
  try {
    const events = walkSitemaps(homepageUrl, {
      useKnownPaths: false,
      useHomepageLinks: false,
      ...rest,
      client,
      limits: { ...SCALED_LIMITS, ...limits },
    });
    for await (const event of events) {
      if (event.kind === "page") {
        if (++pageCount <= keepPages) pages.push(event.page);
        if (pageCount >= breakAfter) break;
      } else if (event.kind === "sitemap") {
        if (sitemaps.length < MAX_KEPT) sitemaps.push(event.sitemap);
      } else if (event.kind === "issue") {
        codes.add(event.issue.code);
        if (issues.length < MAX_KEPT) issues.push(event.issue);
      }
    }
  } finally {
    if (options.client === undefined) await (client as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
  }
  const sitemap = (path: string): WalkedSitemap | undefined =>
    sitemaps.find(({ url, requestedUrl }) => {
      const { pathname, search } = new URL(requestedUrl ?? url);
      return pathname + search === path;
    });
  return {
    pages,
    pageCount,
    sitemaps,
    issues,
    codes,
    ...endUse(),
    sitemap,
    document: sitemap("/sitemap.xml"),
    robots: sitemap("/robots.txt"),
  };
}
