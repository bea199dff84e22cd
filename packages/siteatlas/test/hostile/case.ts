/**
 * The types of the hostile suite: a case, the tools of its server, the tools of its client.
 *
 * A case runs in two processes of its own. `serve` runs in one, so that neither the memory nor the blocking
 * of the server counts; `run` runs in the other, which is measured. Both are in the same bundle: the only data
 * that passes between them is what `serve` returns, as JSON.
 *
 * client.ts checks what applies to every case: no uncaught errors, nothing left behind, memory, the event loop,
 * messages.
 */
import type { Socket } from "node:net";
import type { NodeClientOptions } from "../../src/fetch/client/node-client.ts";
import type { IssueCode } from "../../src/model/issue-severity.ts";
import type { Issue, Page } from "../../src/model/model.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import type { WalkLimits, WalkOptions } from "../../src/walk/options.ts";
import type { DnsBehaviour } from "./dns-server.ts";
import type { RawBehaviour, RawOptions, Route } from "./raw-server.ts";

export interface HostileCase {
  /** As in the table of cases: `sec-C01`. */
  readonly id: `sec-${string}`;
  /** What the server does, in words. */
  readonly server: string;
  /** The expected outcome, in words. */
  readonly expected: string;
  readonly bounds?: Bounds;
  /** Parts that run in separate processes, because memory that one part has allocated could be reused by the next. */
  readonly parts?: readonly string[];
  /** For cases that test the harness: the problems that it must find. */
  readonly mustFail?: readonly string[];
  /** Runs in the server's process. Its return value is `context.site`. */
  serve?(stage: Stage): Promise<Site>;
  /** Runs in the measured process. Returns the outcome in words, and reports problems with `context.expect`. */
  run(context: Context): Promise<string>;
}

/** Names for what was opened: URLs without a final slash, ports. `url` is the usual one. */
export type Site = Readonly<Record<string, string | number>>;

/**
 * The limits of a case. They apply to each of its walks, except for memory and the event loop, which apply to
 * the whole case. Those of CPU time and of the event loop are for the reference core (core-speed.ts).
 */
export interface Bounds {
  readonly ms?: number;
  /** Of all threads of the process. */
  readonly cpuMs?: number;
  /** Set if most of `cpuMs` is decompression and SHA-256. */
  readonly isByteWork?: true;
  /** Growth of the resident set over that of a process that has walked an ordinary site. @default 64 */
  readonly rssMiB?: number;
  /** Longest block of the event loop. @default 200 */
  readonly blockedMs?: number;
  /** Bytes read from sockets. */
  readonly wireBytes?: number;
  /** Bytes passed to parsers. */
  readonly decodedBytes?: number;
  /** Output of decompressors, all layers together. */
  readonly inflatedBytes?: number;
  /** The most that the walk holds because a site lists it, as its budget estimates it. */
  readonly heldBytes?: number;
  /** CPU time of the tested component alone (a parser, a matcher): the best of three. */
  readonly partMs?: number;
  /** Growth of the resident set while that component runs alone. */
  readonly partMiB?: number;
  /** Requests that the servers received. */
  readonly requests?: number;
  /** TCP connections that the servers accepted. */
  readonly connections?: number;
}

export const MIB: number = 1024 * 1024;

/** Default limits. */
export const COMMON_BOUNDS: Required<Pick<Bounds, "rssMiB" | "blockedMs">> = { rssMiB: 64, blockedMs: 200 };

/** Default limits of a walk: small enough for a suite of two minutes. */
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
/** Less than for the headers, to see which of the two ended a request. */
export const CONNECT_TIMEOUT_MS = 1000;

/** On a busy machine timers are late. */
export const SLACK_MS = 1000;

// ---------------------------------------------------------------- the server's side

/** What `serve` uses to open servers. All listen on loopback, count requests and end with the process. */
export interface Stage {
  /**
   * A correct HTTP server with routes by path, or a function for all paths. Without its own route,
   * `/robots.txt` names `/sitemap.xml`.
   */
  http(
    routes: Route | Readonly<Record<string, Route | HttpAnswer>>,
    options?: ServerOptions,
  ): Promise<string>;
  /** Sends any bytes for each request. Unless `robots: false`, `/robots.txt` is answered and names `/sitemap.xml`. */
  raw(behave: RawBehaviour, options?: RawOptions): Promise<string>;
  /** Sends any bytes for each connection. Returns `host:port`. */
  tcp(behave: (socket: Socket) => unknown, options?: ServerOptions): Promise<string>;
  /** A DNS server (UDP). Returns its port. */
  dns(behave: DnsBehaviour): Promise<number>;
  /** A certificate that the client trusts, unless the options make it invalid. */
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

/** What the servers of a case received. */
export interface ServerFacts {
  /** Number of requests. The first thousands are in `requests`. */
  readonly requestCount: number;
  readonly requests: readonly SeenRequest[];
  readonly connections: number;
  /** Connections by server, with the names that `stage` returned. */
  readonly connectionsOf: Readonly<Record<string, number>>;
  /** Open connections. */
  readonly open: number;
  readonly bytesWritten: number;
  /** DNS queries. */
  readonly questions: readonly string[];
}

export interface SeenRequest {
  /** The name that `stage` returned for the server. */
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
  /** Walks with the scaled limits and a new client. By default only from robots.txt. */
  walk(homepageUrl: string, options?: CaseWalkOptions): Promise<Walked>;
  /** Returns what the servers received. */
  facts(): Promise<ServerFacts>;
  /** Fails the case if the condition is false. Returns the condition. */
  expect(isSo: boolean, what: string): boolean;
  /** Fails the case unless both are equal as JSON. */
  expectEqual(seen: unknown, wanted: unknown, what: string): boolean;
  /** The same for values that depend on the load of the machine: the best of three runs counts. */
  expectInTime(isSo: boolean, what: string): boolean;
  /** Fails the case unless the sitemap has this outcome: `{ outcome: "failed", code: "http.timeout" }`. */
  expectSitemap(sitemap: WalkedSitemap | undefined, wanted: Partial<WalkedSitemap>, what?: string): boolean;
  /** Runs it three times. The smallest CPU time counts for `bounds.partMs`. Returns that time. */
  measurePart(work: () => void | Promise<void>): Promise<number>;
  /** Runs it once. The growth of the resident set counts for `bounds.partMiB`. Returns that growth. */
  measurePartMemory(work: () => void | Promise<void>): Promise<number>;
  /** A message that users see. It must be as safe as the messages of a walk. */
  tell(message: string, what: string): void;
  /** Adds a note to the outcome in the table. */
  note(text: string): void;
}

export interface CaseWalkOptions extends WalkOptions {
  /** For the client of this walk; `client` brings another one. */
  readonly clientOptions?: NodeClientOptions;
  /** Number of pages to keep. They count as memory of the case. @default 1000 */
  readonly keepPages?: number;
  /** Leave the loop after this many pages. */
  readonly breakAfter?: number;
}

/** The events of a walk. */
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

/** The outcome of a sitemap in a few words: `failed http.timeout`, `found partial, 3 pages`. */
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
