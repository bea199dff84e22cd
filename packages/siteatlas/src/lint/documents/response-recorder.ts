/**
 * Wraps the client of a walk and keeps what lint needs of each response: its headers, its size, and the start of its
 * body. The body is kept until the sitemap is finished, so that a finding can show the line that has the problem.
 */
import type { Client, ClientResponse } from "../../fetch/client/client.ts";

/** Maximum number of bytes that are kept of one body. Most sitemaps of 50,000 URLs are smaller. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Maximum number of bytes that are kept of all bodies. The oldest body is dropped first. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;
/** Maximum number of responses that are kept. Some of them belong to no sitemap, such as the homepage. */
const MAX_RESPONSES = 64;

/** Facts about a response that the events of a walk do not have. */
export interface RecordedResponse {
  /** Status code, such as 200. */
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Number of bytes of the body, after the client has decoded its content coding. */
  readonly bodyBytes: number;
  /** Number of content codings that the client has decoded. */
  readonly codings: number;
  /** The first 16 MiB of the body. */
  readonly chunks: readonly Uint8Array[];
  /** The last bytes of the body, at most 8. */
  readonly tail: Uint8Array;
  /** Path of the file, if the response comes from a file. */
  readonly file?: string | undefined;
}

type Draft = { -readonly [Name in keyof RecordedResponse]: RecordedResponse[Name] } & {
  chunks: Uint8Array[];
  keptBytes: number;
};

/** The header with which a client that reads files names the path of the file. */
export const FILE_HEADER = "x-siteatlas-file";

export class ResponseRecorder {
  /** Responses by URL, the oldest first. */
  readonly #responses: Map<string, Draft> = new Map();
  #keptBytes = 0;

  /** Returns a client that passes everything on to `client` and records the responses. */
  record(client: Client): Client {
    const recorded = async (request: Parameters<Client>[0]): Promise<ClientResponse> => {
      const response = await client(request);
      const draft = this.#add(request.url, response);
      return { ...response, body: this.#copy(response.body, draft) };
    };
    return Object.assign(recorded, { wraps: client });
  }

  /** Returns the response of this URL and forgets it. */
  take(url: string): RecordedResponse | undefined {
    const draft = this.#responses.get(url);
    if (draft !== undefined) this.#forget(url, draft);
    return draft;
  }

  #add(url: string, { status, headers, codings = 0 }: ClientResponse): Draft {
    const before = this.#responses.get(url);
    if (before !== undefined) this.#forget(url, before);
    const { [FILE_HEADER]: file } = headers;
    const draft: Draft = {
      status,
      headers,
      bodyBytes: 0,
      codings,
      chunks: [],
      tail: NOTHING,
      keptBytes: 0,
      file,
    };
    this.#responses.set(url, draft);
    if (this.#responses.size > MAX_RESPONSES) this.#forget(...this.#oldest());
    return draft;
  }

  #oldest(): [string, Draft] {
    return this.#responses.entries().next().value!;
  }

  #forget(url: string, draft: Draft): void {
    this.#responses.delete(url);
    this.#keptBytes -= draft.keptBytes;
    draft.keptBytes = 0;
  }

  async *#copy(body: AsyncIterable<Uint8Array>, draft: Draft): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.#keep(chunk, draft);
      yield chunk;
    }
  }

  #keep(chunk: Uint8Array, draft: Draft): void {
    draft.bodyBytes += chunk.length;
    draft.tail = lastBytes(draft.tail, chunk);
    if (draft.keptBytes + chunk.length > MAX_BODY_BYTES) return;
    draft.chunks.push(chunk);
    draft.keptBytes += chunk.length;
    this.#keptBytes += chunk.length;
    for (const [, old] of this.#responses) {
      if (this.#keptBytes <= MAX_KEPT_BYTES || old === draft) break;
      this.#keptBytes -= old.keptBytes;
      old.keptBytes = 0;
      old.chunks = [];
    }
  }
}

const NOTHING = new Uint8Array(0);

/** The last 8 bytes of a body, as a copy: a part of the chunk would keep all of it in memory. */
function lastBytes(before: Uint8Array, chunk: Uint8Array): Uint8Array {
  const bytes = chunk.length >= 8 ? chunk.subarray(-8) : [...before, ...chunk].slice(-8);
  return Uint8Array.from(bytes);
}
