/**
 * A client that reads files instead of sending requests. So a folder that is not published yet is linted as if it were
 * the site at its origin.
 */
import { createReadStream, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { Client, ClientResponse } from "../../fetch/client/client.ts";
import { FILE_HEADER } from "./response-recorder.ts";

/** Finds the file of a URL. */
export type FindFile = (url: string) => string | undefined;

/** Creates a client that sends the files that `find` returns. Other URLs get status 404. */
export function fileClient(find: FindFile): Client {
  return async ({ url }) => {
    const path = find(url);
    return path === undefined
      ? NOT_FOUND
      : { status: 200, headers: { [FILE_HEADER]: path }, body: createReadStream(path) };
  };
}

const NOT_FOUND: ClientResponse = { status: 404, headers: {}, body: nothing() };

function nothing(): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
  };
}

/** Finds files in a folder that is published at an origin, such as `https://example.com`. */
export function filesIn(folder: string, origin: string): FindFile {
  return (url) => {
    if (!url.startsWith(`${origin}/`)) return undefined;
    const path = pathOf(url);
    const file = path === undefined ? undefined : join(folder, path);
    return file !== undefined && isFileIn(folder, file) ? file : undefined;
  };
}

/** The decoded path of a URL. Undefined if it cannot name a file of the folder. */
export function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(url).pathname);
    const isInside = !path.split(/[/\\]/).includes("..") && !path.includes("\0");
    return isInside ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the path is a file of the folder. A file that a symbolic link reaches outside of the folder is not: the folder
 * may be untrusted, and findings quote the files.
 */
export function isFileIn(folder: string, path: string): boolean {
  try {
    const root = realpathSync(folder);
    return isFile(path) && realpathSync(path).startsWith(root.endsWith(sep) ? root : root + sep);
  } catch {
    return false;
  }
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
