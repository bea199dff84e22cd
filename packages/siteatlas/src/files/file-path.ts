import { fileURLToPath } from "node:url";

/** The path of a file that a caller passed as a path or as a `file:` URL. */
export function filePath(file: string | URL): string {
  return typeof file === "string" ? file : fileURLToPath(file);
}
