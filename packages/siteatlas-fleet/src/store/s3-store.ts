/**
 * A store in a bucket of S3 or a compatible server. The official SDK is an optional peer dependency, and is loaded when
 * such a store is opened. The SDK finds the credentials in the environment, in files or from roles.
 *
 * S3 itself makes `put` atomic: an object appears when all bytes of `content-length` have arrived. Each object is sent
 * in one request, so it has at most 5 GB. The SDK sends checksums only where S3 requires them, because some compatible
 * servers do not support them.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import { checkKey, checkPrefix, isKey, MissingObjectError } from "./object-key.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";

type Sdk = typeof import("@aws-sdk/client-s3");

/**
 * A file up to this size in bytes is read into memory, so that the SDK can retry the upload. The SDK cannot retry a
 * stream.
 */
const MAX_READ_AT_ONCE = 1024 * 1024;
const MAX_ATTEMPTS = 4;
/** Maximum number of keys in a DeleteObjects request, as S3 defines it. */
const KEYS_PER_DELETE = 1000;
/** Maximum number of DeleteObject requests at the same time. Each of them deletes one object. */
const PARALLEL = 16;
/** A logger that prints nothing. The SDK also throws the errors that it would print. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const OPTIONS: ReadonlySet<string> = new Set(["region", "endpoint", "pathStyle"]);

export class S3Store implements ObjectStore {
  readonly #sdk: Sdk;
  readonly #client: S3Client;
  readonly #bucket: string;
  /** The prefix of all keys of this store: empty, or with a final slash. */
  readonly #prefix: string;
  /**
   * False after the server rejected DeleteObjects with a status other than 403. Some servers do not support this
   * request, or require other checksums for it.
   */
  #canDeleteMany = true;

  private constructor(sdk: Sdk, client: S3Client, bucket: string, prefix: string) {
    this.#sdk = sdk;
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  /**
   * Opens a store in a bucket.
   *
   * @param url `s3://bucket/prefix?region=…&endpoint=…&pathStyle=true`
   * @throws {TypeError} for any other URL
   */
  static async open(
    url: string,
    load: () => Promise<Sdk> = () => import("@aws-sdk/client-s3"),
  ): Promise<S3Store> {
    const { bucket, prefix, ...config } = readUrl(url);
    const sdk = await loadSdk(load);
    const client = new sdk.S3Client({
      ...config,
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      // By default the SDK has no timeouts, and would wait forever on a dead connection.
      requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
      maxAttempts: MAX_ATTEMPTS,
      logger: SILENT,
    });
    return new S3Store(sdk, client, bucket, prefix);
  }

  async put(key: string, file: string): Promise<void> {
    checkKey(key);
    const { size } = await stat(file);
    if (size <= MAX_READ_AT_ONCE) {
      const Body = await readFile(file);
      const ContentLength = Body.length;
      await this.#client.send(new this.#sdk.PutObjectCommand({ ...this.#at(key), Body, ContentLength }));
    } else {
      await this.#putStream(key, file, size);
    }
    await rm(file);
  }

  async #putStream(key: string, file: string, size: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const body = createReadStream(file);
      try {
        const command = new this.#sdk.PutObjectCommand({ ...this.#at(key), Body: body, ContentLength: size });
        await this.#client.send(command);
        return;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isTransient(error)) throw error;
        await sleep(100 * 2 ** attempt * (0.5 + Math.random()));
      } finally {
        body.destroy();
      }
    }
  }

  async get(key: string, file: string): Promise<void> {
    checkKey(key);
    try {
      const { Body, ContentLength } = await this.#client.send(new this.#sdk.GetObjectCommand(this.#at(key)));
      const target = createWriteStream(file);
      await pipeline(Body as Readable, target);
      if (ContentLength !== undefined && target.bytesWritten !== ContentLength) {
        throw new Error(`Cannot get ${this.address(key)}: it ended after ${target.bytesWritten} bytes`);
      }
    } catch (error) {
      if (isAbsence(error)) throw new MissingObjectError(key, { cause: error });
      await rm(file, { force: true });
      throw error;
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    checkPrefix(prefix);
    let token: string | undefined;
    do {
      const page = await this.#client.send(
        new this.#sdk.ListObjectsV2Command({
          Bucket: this.#bucket,
          Prefix: this.#prefix + prefix,
          ContinuationToken: token,
        }),
      );
      for (const { Key = "", Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
        const key = Key.slice(this.#prefix.length);
        if (isKey(key)) yield { key, bytes: Size, modifiedAt: LastModified };
      }
      token = page.NextContinuationToken;
      if (page.IsTruncated && !token)
        throw new Error(`Cannot list ${this.#bucket}: the server returned an incomplete list`);
    } while (token);
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) checkKey(key);
    for (let from = 0; from < keys.length; from += KEYS_PER_DELETE) {
      const batch = keys.slice(from, from + KEYS_PER_DELETE);
      await this.#deleteEach(this.#canDeleteMany && batch.length > 1 ? await this.#deleteMany(batch) : batch);
    }
  }

  /** Deletes objects with one DeleteObjects request. @returns the keys that were not deleted */
  async #deleteMany(keys: readonly string[]): Promise<readonly string[]> {
    const Objects = keys.map((key) => ({ Key: this.#prefix + key }));
    try {
      const { Errors = [] } = await this.#client.send(
        new this.#sdk.DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }),
      );
      return Errors.map(({ Key = "" }) => Key.slice(this.#prefix.length));
    } catch (error) {
      // If the server rejects DeleteObjects, delete the objects one by one. The server may accept that.
      const status = statusOf(error);
      if (status !== 501 && (status < 400 || status > 499)) throw error;
      this.#canDeleteMany = status === 403;
      return keys;
    }
  }

  async #deleteEach(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += PARALLEL) {
      const batch = keys.slice(from, from + PARALLEL);
      await Promise.all(
        batch.map(async (key) => {
          try {
            await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#at(key)));
          } catch (error) {
            if (!isAbsence(error)) throw error;
          }
        }),
      );
    }
  }

  address(key: string): string {
    checkKey(key);
    return `s3://${this.#bucket}/${this.#prefix}${key}`;
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }
}

interface S3Place extends Pick<S3ClientConfig, "region" | "endpoint" | "forcePathStyle"> {
  readonly bucket: string;
  readonly prefix: string;
}

function readUrl(text: string): S3Place {
  const refuse = (reason: string) =>
    new TypeError(`Cannot open the store ${JSON.stringify(text)}: ${reason}`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "s3:" || url.host === "")
    throw refuse("it is not a URL such as s3://bucket/prefix?region=…");
  if (url.username !== "" || url.password !== "") {
    throw new TypeError(
      "Cannot open a store with credentials in its URL: the SDK reads them from the environment",
    );
  }
  for (const name of url.searchParams.keys()) {
    if (!OPTIONS.has(name)) throw refuse(`${name} is not one of ${[...OPTIONS].join(", ")}`);
  }
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
  if (prefix !== "") checkKey(prefix);
  const region = url.searchParams.get("region");
  const endpoint = url.searchParams.get("endpoint");
  const pathStyle = url.searchParams.get("pathStyle") ?? "false";
  if (pathStyle !== "true" && pathStyle !== "false") throw refuse("pathStyle must be true or false");
  if (endpoint !== null && !/^https?:\/\//.test(endpoint)) throw refuse("its endpoint is not an http URL");
  return {
    bucket: url.host,
    prefix: prefix === "" ? "" : `${prefix}/`,
    forcePathStyle: pathStyle === "true",
    ...(region !== null && { region }),
    // Most compatible servers accept any region, but the SDK needs a region for its signature.
    ...(endpoint !== null && {
      endpoint,
      ...(region === null && { region: process.env["AWS_REGION"] ?? "us-east-1" }),
    }),
  };
}

async function loadSdk(load: () => Promise<Sdk>): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes("@aws-sdk/client-s3")) throw error;
    throw new Error("Cannot open an s3:// store without its SDK: npm install @aws-sdk/client-s3", {
      cause: error,
    });
  }
}

interface SdkError {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The HTTP status of the response, 0 if there was no response. */
function statusOf(error: unknown): number {
  return (error as SdkError).$metadata?.httpStatusCode ?? 0;
}

/** Whether the error means that the object does not exist. False if the whole bucket is missing. */
function isAbsence(error: unknown): boolean {
  const { name } = error as SdkError;
  return name === "NoSuchKey" || (name === "NotFound" && statusOf(error) === 404);
}

/**
 * Whether a retry may help, because the server is busy or the connection was lost. False for errors of a local file.
 */
function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== 0) return status >= 500 || status === 429 || status === 408;
  const { name, code = "" } = error as SdkError;
  return (
    name === "TimeoutError" || /^(?:ECONN|EPIPE|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN)/.test(code)
  );
}
