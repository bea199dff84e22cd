/** Reads the image of `--logo`. */
import { statSync } from "node:fs";
import { logLine } from "../../../escape/log-line.ts";
import { readSmallBytes } from "../../../files/read-small-file.ts";
import { logoUrl } from "../../../report/render/logo.ts";
import { systemReason } from "../../process/system-reason.ts";
import { UsageError } from "../../process/usage-error.ts";

/** More than a logo may have. The page checks the exact size. */
const MAX_BYTES = 1024 * 1024;

/** @throws {UsageError} if the file cannot be read or is not a usable image */
export function readLogo(path: string): Uint8Array {
  const name = logLine(path);
  try {
    // A settings file of the current directory may name the logo. To open a named pipe could block forever.
    if (!statSync(path).isFile()) throw new UsageError(`cannot read ${name}: it is not a regular file`);
    const image = readSmallBytes(path, MAX_BYTES);
    if (image === undefined) throw new TypeError("the logo has more than 32 KB");
    logoUrl(image);
    return image;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof TypeError)
      throw new UsageError(`--logo ${name}: ${error.message}`, "Use a small PNG, JPEG or SVG, up to 32 KB.");
    throw new UsageError(`cannot read ${name}: ${systemReason(error)}`);
  }
}
