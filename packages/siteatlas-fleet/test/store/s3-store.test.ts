/** A store in a bucket: the conformance suite on a server on loopback, then faults of networks and servers. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FauxqsServer, startFauxqs } from "fauxqs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { MissingObjectError } from "../../src/store/object-key.ts";
import type { ObjectStore } from "../../src/store/object-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { S3Store } from "../../src/store/s3-store.ts";
import { describeStore } from "./conformance.ts";
import { type Fault, openS3Faults, type S3Faults } from "./s3-faults.ts";
import { selfProving } from "./self-proving.ts";

const scratch = mkdtempSync(join(tmpdir(), "siteatlas-s3-store-"));
let server: FauxqsServer;
let count = 0;

beforeAll(async () => {
  server = await startFauxqs({ port: 0, logger: false });
  server.createBucket("parts");
});
afterAll(async () => {
  await server.stop();
  rmSync(scratch, { recursive: true, force: true });
});

beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  // The SDK warns that it will require Node 22 from 2027 on.
  vi.stubEnv("AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED", "true");
});
afterEach(() => vi.unstubAllEnvs());

const newUrl = (endpoint = `http://127.0.0.1:${server.port}`): string =>
  `s3://parts/prefix%20${count++}/inner?endpoint=${encodeURIComponent(endpoint)}&pathStyle=true`;

describeStore("a bucket", { newUrl, scratchParent: scratch });

describe("faults of the network and of compatible servers", () => {
  let faults: S3Faults;
  let store: ObjectStore;
  const file = join(scratch, "file");
  const out = join(scratch, "out");

  beforeEach(async () => {
    faults = await openS3Faults(`http://127.0.0.1:${server.port}`);
    store = await openStore(newUrl(faults.url));
  });
  afterEach(async () => {
    await store.close();
    faults.close();
    for (const path of [file, out]) rmSync(path, { force: true });
  });

  /** Makes the first requests of a method fail. */
  function fail(method: string, times: number, fault: Fault): void {
    let left = times;
    faults.decide = (request) => (request.method === method && left-- > 0 ? fault : undefined);
  }
  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of store.list("")) found.push(key);
    return found;
  }

  describe.each([
    ["small", 1000],
    ["large", 3_000_000],
  ])("a %s file", (_, size) => {
    it.each([
      ["a busy server", { status: 503, body: errorBody("SlowDown") }],
      ["a lost connection", { cut: "request" }],
    ] as const)("is put in spite of %s", async (_name, fault) => {
      const content = selfProving(size);
      writeFileSync(file, content);
      fail("PUT", 2, fault);
      await store.put("object", file);
      expect(existsSync(file)).toBe(false);
      await store.get("object", out);
      expect(readFileSync(out).equals(content)).toBe(true);
    });

    it("stays in place if the server rejects it, and is not retried", async () => {
      writeFileSync(file, selfProving(size));
      fail("PUT", 100, { status: 403, body: errorBody("AccessDenied") });
      await expect(store.put("object", file)).rejects.toMatchObject({ name: "AccessDenied" });
      expect(existsSync(file)).toBe(true);
      expect(faults.requests.length).toBe(1);
      expect(await keys()).toEqual([]);
    });

    it("stays in place after the last retry", async () => {
      writeFileSync(file, selfProving(size));
      fail("PUT", 100, { status: 500, body: errorBody("InternalError") });
      await expect(store.put("object", file)).rejects.toMatchObject({ name: "InternalError" });
      expect(existsSync(file)).toBe(true);
      expect(faults.requests.length).toBe(4);
    });
  });

  it("a truncated response leaves no local file", async () => {
    writeFileSync(file, selfProving(500_000));
    await store.put("object", file);
    fail("GET", 1, { cut: "response" });
    await expect(store.get("object", out)).rejects.toThrow();
    expect(readdirSync(scratch)).toEqual([]);
  });

  it("a missing bucket is not reported as a missing object", async () => {
    const url = `s3://nobody?endpoint=${encodeURIComponent(faults.url)}&pathStyle=true`;
    const other = await openStore(url);
    const error = await other.get("object", out).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(MissingObjectError);
    expect(error).toMatchObject({ name: "NoSuchBucket" });
    await other.close();
  });

  describe("deletion", () => {
    beforeEach(async () => {
      for (const key of ["a", "b/c", "d"]) {
        writeFileSync(file, key);
        await store.put(key, file);
      }
    });
    const deletions = () => faults.requests.flatMap((line) => /^(POST|DELETE) /.exec(line)?.[1] ?? []);

    it("takes one request for many objects, and one for a single object", async () => {
      await store.delete(["a", "b/c"]);
      await store.delete(["d"]);
      expect(deletions()).toEqual(["POST", "DELETE"]);
      expect(await keys()).toEqual([]);
    });

    it.each([
      [501, "NotImplemented"],
      [400, "MissingContentMD5"],
      [405, "MethodNotAllowed"],
    ])("stops using DeleteObjects after the response %i %s", async (status, code) => {
      fail("POST", 100, { status, body: errorBody(code) });
      await store.delete(["a", "b/c", "absent"]);
      expect(await keys()).toEqual(["d"]);
      expect(deletions()).toEqual(["POST", "DELETE", "DELETE", "DELETE"]);
      await store.delete(["d", "absent"]);
      expect(deletions().slice(4)).toEqual(["DELETE", "DELETE"]);
      expect(await keys()).toEqual([]);
    });

    it("retries the keys that the server reports as failed", async () => {
      const prefix = /\/parts\/(.*)\/a\?/.exec(decodeURIComponent(faults.requests[0]!))![1];
      const body = `<DeleteResult><Error><Key>${prefix}/b/c</Key><Code>InternalError</Code></Error></DeleteResult>`;
      fail("POST", 1, { status: 200, body });
      await store.delete(["a", "b/c"]);
      expect(deletions()).toEqual(["POST", "DELETE"]);
      expect(await keys()).toEqual(["a", "d"]);
    });

    it("throws if it is forbidden", async () => {
      faults.decide = () => ({ status: 403, body: errorBody("AccessDenied") });
      await expect(store.delete(["a", "b/c"])).rejects.toMatchObject({ name: "AccessDenied" });
    });
  });

  it("an incomplete list throws", async () => {
    const body = "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>";
    fail("GET", 1, { status: 200, body });
    await expect(keys()).rejects.toThrow("the server returned an incomplete list");
  });
});

describe("its URL", () => {
  const open = async (url: string): Promise<string> => {
    const store = await openStore(url);
    await store.close();
    return store.address("day=1/a b");
  };

  it("gives addresses that readers accept", async () => {
    expect(await open("s3://parts?region=eu-central-1")).toBe("s3://parts/day=1/a b");
    expect(await open("S3://parts/?region=eu-central-1")).toBe("s3://parts/day=1/a b");
    expect(await open("s3://my.bucket/x%20y/z/?region=eu-central-1")).toBe("s3://my.bucket/x y/z/day=1/a b");
  });

  it.each([
    ["s3://", "it is not a URL such as s3://bucket/prefix?region=…"],
    ["s3:///prefix", "it is not a URL such as s3://bucket/prefix?region=…"],
    ["s3://bucket?regoin=a", "regoin is not one of region, endpoint, pathStyle"],
    ["s3://bucket?pathStyle=yes", "pathStyle must be true or false"],
    ["s3://bucket?endpoint=127.0.0.1:9000", "its endpoint is not an http URL"],
    ["s3://bucket/a/../../b//c", "one of its path segments is empty"],
  ])("may not be %s", async (url, reason) => {
    await expect(openStore(url)).rejects.toThrow(new RegExp(`^Cannot .*${reason.replace(/[?.]/g, "\\$&")}$`));
    await expect(openStore(url)).rejects.toThrow(TypeError);
  });

  it("may not contain credentials, and no message repeats them", async () => {
    const error = await openStore("s3://key:secret@bucket").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain("secret");
  });
});

it("says what to install if the SDK is missing", async () => {
  const missing = Object.assign(new Error("Cannot find package '@aws-sdk/client-s3' imported from …"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  await expect(S3Store.open("s3://bucket", () => Promise.reject(missing))).rejects.toThrow(
    "Cannot open an s3:// store without its SDK: npm install @aws-sdk/client-s3",
  );
});

function errorBody(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
}
