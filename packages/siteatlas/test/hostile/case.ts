/**
 * The contract of the hostile suite: what one case is, what its server can do, what its client is given.
 *
 * A case runs in two processes of its own. `serve` runs in one, so that neither the memory nor the blocking
 * of the server counts; `run` runs in the other, which is measured. Both are in the same bundle: nothing
 * passes from one to the other but what `serve` returns, as JSON.
 *
 * What holds for every case (no uncaught error, nothing left behind, memory, the event loop, messages) is
 * asserted by client.ts and is not repeated in the cases.
 */
import type { Socket } from "node:net";
import type { NodeClientOptions } from "../../src/fetch/node-client.ts";
import type { IssueCode } from "../../src/issues.ts";
import type { Issue, Page } from "../../src/model.ts";
import type { WalkedSitemap } from "../../src/walk/events.ts";
import type { WalkLimits, WalkOptions } from "../../src/walk/options.ts";
import type { DnsBehaviour } from "./dns-server.ts";
import type { RawBehaviour, RawOptions, Route } from "./raw-server.ts";

export interface HostileCase {
  /** As in the table of cases: `sec-C01`. */
  readonly id: `sec-${string}`;
  /** What the server does, in words. */
  readonly server: string;
  /** How it must end, in words. */
  readonly expected: string;
  readonly bounds?: Bounds;
  /** Run one by one, in processes of their own, where the memory that one has used would help the next. */
  readonly parts?: readonly string[];
  /** For the cases that check the harness itself: it must find all of these. */
  readonly mustFail?: readonly string[];
  /** In the server's process. What it returns is `context.site`. */
  serve?(stage: Stage): Promise<Site>;
  /** In the measured process. Returns the outcome that it saw, in words; tells what is wrong by `context.expect`. */
  run(context: Context): Promise<string>;
}

/** Names for what was opened: URLs without a final slash, ports. `url` is the usual one. */
export type Site = Readonly<Record<string, string | number>>;

/** What a case may take. Each holds for each of its walks, but those of memory and of the event loop. */
export interface Bounds {
  readonly ms?: number;
  /** Of all threads of the process. */
  readonly cpuMs?: number;
  /** Growth of the resident set over that of a process that has walked an honest site. @default 64 */
  readonly rssMiB?: number;
  /** The event loop at a stretch. @default 200 */
  readonly blockedMs?: number;
  /** Bytes read from sockets. */
  readonly wireBytes?: number;
  /** Bytes that parsers were given. */
  readonly decodedBytes?: number;
  /** Bytes that decompressors gave, all layers together. */
  readonly inflatedBytes?: number;
  /** Processor time of the part that the case is about (a parser, a matcher) alone: the best of three. */
  readonly partMs?: number;
  /** Growth of the resident set while that part works alone. */
  readonly partMiB?: number;
  /** Requests that the servers saw. */
  readonly requests?: number;
  /** TCP connections that the servers saw. */
  readonly connections?: number;
}

export const MIB: number = 1024 * 1024;

/** What holds for every case that does not say otherwise. */
export const COMMON_BOUNDS: Required<Pick<Bounds, "rssMiB" | "blockedMs">> = { rssMiB: 64, blockedMs: 200 };

/** The limits of every walk unless a case says otherwise: small enough for a suite of two minutes. */
export const SCALED_LIMITS: WalkLimits = {
  headersMs: 1500,
  idleMs: 1500,
  requestMs: 5000,
  wireBytes: 5 * MIB,
  decodedBytes: 5 * MIB,
  indexes: 20,
  urls: 1000,
  backoffMs: 50,
};
/** Less than for the headers, so that it can be seen which of the two ended a request. */
export const CONNECT_TIMEOUT_MS = 1000;

/** Timers of a busy machine are late. */
export const SLACK_MS = 1000;

// ---------------------------------------------------------------- the server's side

/** What `serve` opens its servers with. All listen on loopback, count what comes and end with the process. */
export interface Stage {
  /** A well-behaved HTTP server with routes by path; a function answers everything. Unless it has one of its own, `/robots.txt` names `/sitemap.xml`. */
  http(
    routes: Route | Readonly<Record<string, Route | HttpAnswer>>,
    options?: ServerOptions,
  ): Promise<string>;
  /** Bytes as you like for each request. Unless `robots: false`, `/robots.txt` is answered and names `/sitemap.xml`. */
  raw(behave: RawBehaviour, options?: RawOptions): Promise<string>;
  /** Bytes as you like for each connection. Gives `host:port`. */
  tcp(behave: (socket: Socket) => unknown, options?: ServerOptions): Promise<string>;
  /** A DNS server (UDP). Gives its port. */
  dns(behave: DnsBehaviour): Promise<number>;
  /** A certificate that the client trusts, unless the options spoil it. */
  certificate(options?: CertificateOptions): Tls;
}

export interface HttpAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

export interface ServerOptions {
  /** In 127.0.0.0/8. @default "127.0.0.1" */
  readonly address?: string;
  /** @default any */
  readonly port?: number;
  readonly tls?: Tls;
  /** What `/robots.txt` names. @default ["/sitemap.xml"] */
  readonly sitemaps?: readonly string[];
}

export interface Tls {
  readonly key: string;
  readonly cert: string;
  readonly ALPNProtocols?: string[];
}

export interface CertificateOptions {
  /** @default ["127.0.0.1", "localhost"] */
  readonly names?: readonly string[];
  /** @default "siteatlas test" */
  readonly commonName?: string;
  readonly selfSigned?: boolean;
  readonly expired?: boolean;
}

/** What the servers of a case saw. */
export interface ServerFacts {
  /** All requests, the first thousands of them in `requests`. */
  readonly requestCount: number;
  readonly requests: readonly SeenRequest[];
  readonly connections: number;
  /** By what `stage` gave for it. */
  readonly connectionsOf: Readonly<Record<string, number>>;
  /** Connections that are open now. */
  readonly open: number;
  readonly bytesWritten: number;
  /** Questions to the DNS servers. */
  readonly questions: readonly string[];
}

export interface SeenRequest {
  /** What `stage` gave for the server. */
  readonly server: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly connection: number;
}

// ---------------------------------------------------------------- the client's side

export interface Context {
  /** Which of `parts` is run. */
  readonly part: string;
  readonly site: Site;
  /** `site.url`, and a path behind it. */
  url(path?: string): string;
  /** Walks with the scaled limits, by robots.txt alone unless told otherwise, and with a client of its own. */
  walk(homepageUrl: string, options?: CaseWalkOptions): Promise<Walked>;
  /** Asks the servers. */
  facts(): Promise<ServerFacts>;
  /** The case fails unless it is so. Gives whether it is. */
  expect(isSo: boolean, what: string): boolean;
  /** The case fails unless both are the same as JSON. */
  expectEqual(seen: unknown, wanted: unknown, what: string): boolean;
  /** The same for what a busy machine can spoil: it counts as the best of three runs. */
  expectInTime(isSo: boolean, what: string): boolean;
  /** The case fails unless the sitemap ended so: `{ outcome: "failed", code: "http.timeout" }`. */
  expectSitemap(sitemap: WalkedSitemap | undefined, wanted: Partial<WalkedSitemap>, what?: string): boolean;
  /** Does it three times: the least processor time of them counts for `bounds.partMs`. Gives it. */
  measurePart(work: () => void | Promise<void>): Promise<number>;
  /** Does it once: how much the resident set grew counts for `bounds.partMiB`. Gives it. */
  measurePartMemory(work: () => void | Promise<void>): Promise<number>;
  /** A message that people get to see: it must be as safe as those of walks. */
  tell(message: string, what: string): void;
  /** Words for the table behind the outcome. */
  note(text: string): void;
}

export interface CaseWalkOptions extends WalkOptions {
  /** For the client of this walk; `client` brings another one. */
  readonly clientOptions?: NodeClientOptions;
  /** How many pages are kept; they count as memory of the case. @default 1000 */
  readonly keepPages?: number;
  /** Leave after so many pages. */
  readonly breakAfter?: number;
}

/** All that a walk told. */
export interface Walked {
  /** The first ones. */
  readonly pages: readonly Page[];
  readonly pageCount: number;
  readonly sitemaps: readonly WalkedSitemap[];
  readonly issues: readonly Issue[];
  /** Codes of all issues. */
  readonly codes: ReadonlySet<IssueCode>;
  readonly ms: number;
  readonly cpuMs: number;
  readonly wireBytes: number;
  readonly decodedBytes: number;
  readonly inflatedBytes: number;
  /** The sitemap whose requested URL has this path and query. */
  sitemap(path: string): WalkedSitemap | undefined;
  /** That of `/sitemap.xml`, which the servers' robots.txt names. */
  readonly document: WalkedSitemap | undefined;
  /** That of `/robots.txt`. */
  readonly robots: WalkedSitemap | undefined;
}

/** How a sitemap ended, in a few words: `failed http.timeout`, `found partial, 3 pages`. */
export function outcomeOf(sitemap: WalkedSitemap | undefined): string {
  if (sitemap === undefined) return "nothing";
  const { outcome, code, partial, pageCount, kind } = sitemap;
  const parts = [
    outcome,
    ...(kind === "pages" ? [`${pageCount} pages`] : []),
    ...(partial ? ["partial"] : []),
  ];
  return [...parts, ...(code === undefined ? [] : [code])].join(" ");
}
