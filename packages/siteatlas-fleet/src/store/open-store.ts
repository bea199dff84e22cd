/** Opens the store that a path or URL names. */
import { fileURLToPath } from "node:url";
import { DirectoryStore } from "./directory-store.ts";
import type { ObjectStore } from "./object-store.ts";
import { S3Store } from "./s3-store.ts";

/**
 * Opens a store. A path or a `file:` URL names a folder, which is created if needed. An `s3:` URL names a bucket, such
 * as `s3://bucket/prefix?region=eu-central-1` or `s3://bucket?endpoint=http://127.0.0.1:9000&pathStyle=true`.
 *
 * @throws {TypeError} for any other URL
 */
export async function openStore(url: string): Promise<ObjectStore> {
  const [scheme] = /^[a-z][a-z0-9+.-]+:(?=\/)/i.exec(url)?.map((text) => text.toLowerCase()) ?? [];
  if (url === "") throw new TypeError("Cannot open a store without a name");
  if (scheme === "s3:") return S3Store.open(url);
  if (scheme === "file:") return DirectoryStore.open(fileURLToPath(url));
  // The pattern requires a scheme of at least two letters, because `C:/parts` is a path.
  if (scheme !== undefined)
    throw new TypeError(`Cannot open a store of ${scheme}// (supported: s3:// and file:)`);
  return DirectoryStore.open(url);
}
