/** Which store a URL or path opens. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { DirectoryStore } from "../../src/store/directory-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { S3Store } from "../../src/store/s3-store.ts";

const folder = mkdtempSync(join(tmpdir(), "siteatlas-object-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The SDK warns that it will require Node 22 from 2027 on.
beforeEach(() => void vi.stubEnv("AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED", "true"));
afterEach(() => void vi.unstubAllEnvs());

it.each([
  ["a path", join(folder, "a"), DirectoryStore],
  ["a path with odd characters", join(folder, "s3: a?b=c #d%20"), DirectoryStore],
  ["a file: URL", pathToFileURL(join(folder, "b c")).href, DirectoryStore],
  ["an s3: URL", "s3://bucket/prefix?region=us-east-1", S3Store],
])("opens %s", async (_, name, kind) => {
  const store = await openStore(name);
  expect(store).toBeInstanceOf(kind);
  await store.close();
});

it.each(["", "gs://bucket", "https://example.com/parts", "postgres://localhost/a"])(
  "rejects %j",
  async (name) => {
    await expect(openStore(name)).rejects.toThrow(TypeError);
  },
);

it("throws if the folder is a file or cannot be created", async () => {
  await expect(openStore("/dev/null/parts")).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
});
