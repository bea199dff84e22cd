/**
 * Cases about documents: a site whose robots.txt lists the documents, and the expected outcome of each.
 * Documents are generated while they are sent, one at a time.
 */
import type { IssueCode } from "../../src/model/issue-severity.ts";
import { parseSitemap } from "../../src/parse/parse-sitemap.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import {
  type Bounds,
  type CaseWalkOptions,
  type Context,
  type HostileCase,
  type HttpAnswer,
  outcomeOf,
  type Stage,
  type Walked,
} from "./case.ts";
import { pour, type Route } from "./raw-server.ts";

export interface HostileDocument {
  /**
   * Text, bytes, or chunks that are generated while they are sent. `at` is where its pages are, without a final
   * slash.
   */
  readonly body: (at: string) => string | Uint8Array | Pieces;
  /** @default its name with `.xml` */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default found */
  readonly ends?: Partial<WalkedSitemap>;
  /** The URLs of its pages in order, without `at` in front. */
  readonly pages?: readonly string[];
  /** Issues that must be reported for the document. */
  readonly codes?: readonly IssueCode[];
}

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

export interface DocumentCase extends Pick<HostileCase, "id" | "server" | "expected"> {
  /** With `partMs`, each document is also passed to the parser alone. */
  readonly bounds?: Bounds;
  readonly documents: Readonly<Record<string, HostileDocument>>;
  readonly walk?: CaseWalkOptions;
  /** Each document in processes of its own. */
  readonly apart?: boolean;
  /** Further checks. */
  readonly check?: (context: Context, walked: Walked) => void | Promise<void>;
}

export function documentCase({ documents, walk, check, apart, ...rest }: DocumentCase): HostileCase {
  return {
    ...rest,
    ...(apart && { parts: Object.keys(documents) }),
    serve: async (stage) => ({ url: await serveDocuments(stage, documents) }),
    async run(context) {
      const { part } = context;
      const wanted = Object.entries(documents).filter(([name]) => !apart || name === part);
      const paths = wanted.map(([name, document]) => pathOf(name, document));
      const walked = await context.walk(context.url(), {
        concurrency: 1,
        ...(apart && {
          recurseListCallback: (urls) => urls.filter((url) => paths.includes(new URL(url).pathname)),
        }),
        ...walk,
      });
      for (const [name, document] of wanted) checkDocument(context, walked, name, document);
      await check?.(context, walked);
      if (rest.bounds?.partMs !== undefined) {
        for (const [name, { body }] of wanted) {
          const pieces = await piecesOf(body(`${context.url()}${name}`));
          await context.measurePart(() => parseAlone(pieces));
        }
      }
      return wanted
        .map(([name, document]) => `${name} ${outcomeOf(walked.sitemap(pathOf(name, document)))}`)
        .join(", ");
    },
  };
}

/** A document in chunks, as from a socket. */
async function piecesOf(body: string | Uint8Array | Pieces): Promise<Uint8Array[]> {
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  const parts: Buffer[] = [];
  for await (const part of isWhole ? [body] : body) parts.push(Buffer.from(part));
  const bytes = Buffer.concat(parts);
  return Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, n) =>
    bytes.subarray(n * PIECE, (n + 1) * PIECE),
  );
}

/** Reads a document without a network. */
export async function parseAlone(pieces: Iterable<Uint8Array>): Promise<void> {
  async function* source(): AsyncGenerator<Uint8Array> {
    let count = 0;
    for (const piece of pieces) {
      yield piece;
      // A walk also yields to the event loop.
      if (++count % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await parseSitemap(source());
}

const pathOf = (name: string, { path = `/${name}.xml` }: HostileDocument): string => path;

/** Returns the URL of a site whose robots.txt lists these documents. */
export function serveDocuments(
  stage: Stage,
  documents: Readonly<Record<string, HostileDocument>>,
  others: Readonly<Record<string, Route | HttpAnswer>> = {},
): Promise<string> {
  const routes: Record<string, Route | HttpAnswer> = {
    "/robots.txt": ({ headers: { host } }, response) => {
      const lines = Object.entries(documents).map(
        ([name, document]) => `Sitemap: http://${host}${pathOf(name, document)}\n`,
      );
      response.end(lines.join(""));
    },
    ...others,
  };
  for (const [name, document] of Object.entries(documents)) {
    routes[pathOf(name, document)] = async ({ headers: { host } }, response) => {
      const body = document.body(`http://${host}/${name}`);
      for (const [header, value] of Object.entries(document.headers ?? {})) response.setHeader(header, value);
      const isWhole = typeof body === "string" || body instanceof Uint8Array;
      if (!isWhole) await pour(response, body);
      response.end(isWhole ? body : undefined);
    };
  }
  return stage.http(routes);
}

function checkDocument(context: Context, walked: Walked, name: string, document: HostileDocument): void {
  const sitemap = walked.sitemap(pathOf(name, document));
  context.expectSitemap(sitemap, document.ends ?? { outcome: "found" }, name);
  if (document.pages !== undefined) {
    const at = `${context.url()}${name}`;
    const pages = walked.pages
      .filter(({ url }) => url.startsWith(`${at}/`))
      .map(({ url }) => url.slice(at.length));
    context.expectEqual(pages, document.pages, `pages of ${name}`);
  }
  const codes = new Set(walked.issues.filter(({ url }) => url === sitemap?.url).map(({ code }) => code));
  for (const code of document.codes ?? [])
    context.expect(codes.has(code), `${name}: no ${code} among ${[...codes]}`);
}

// ---------------------------------------------------------------- parts of documents

export const URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';

/** An entry of a urlset. */
export const entry = (url: string, more = ""): string => `<url><loc>${url}</loc>${more}</url>\n`;

/** A urlset with the entry `/a` before, and `/b` after, the given content: both must be found. */
export const between = (at: string, middle: string): string =>
  `${URLSET}${entry(`${at}/a`)}${middle}${entry(`${at}/b`)}</urlset>\n`;

/** The same for chunks that are generated while they are sent. */
export function* piecesBetween(at: string, ...middle: readonly Part[]): Generator<string | Uint8Array> {
  yield URLSET + entry(`${at}/a`);
  yield* join(...middle);
  yield `${entry(`${at}/b`)}</urlset>\n`;
}

type Part = string | Iterable<string | Uint8Array>;

export function* join(...parts: readonly Part[]): Generator<string | Uint8Array> {
  for (const part of parts) {
    if (typeof part === "string") yield part;
    else yield* part;
  }
}

const PIECE = 64 * 1024;

/** Repeats a text up to this many bytes. */
export function* fill(text: string, bytes: number): Generator<Uint8Array> {
  const piece = Buffer.from(text.repeat(Math.ceil(PIECE / text.length)));
  for (let left = bytes; left > 0; left -= piece.length) yield piece;
}

/** One text for each number from 0 on, several at a time. */
export function* each(count: number, make: (n: number) => string): Generator<string> {
  for (let n = 0; n < count; ) {
    let text = "";
    while (n < count && text.length < PIECE) text += make(n++);
    yield text;
  }
}
