/**
 * Writes a new file under a temporary name that starts with a dot, and renames it when it is complete. If the process
 * is killed meanwhile, other programs never find an incomplete file under the final name.
 */
import { randomBytes } from "node:crypto";
import { createWriteStream, unlinkSync } from "node:fs";
import { link, lstat, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { systemReason } from "./error-text.ts";
import { UsageError } from "./usage-error.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"]);

/** Writes a new file. @throws {UsageError} if the file already exists, or its folder does not exist */
export async function writeNewFile(path: string, text: AsyncIterable<string>): Promise<void> {
  await refuseExisting(path);
  const temporary = join(dirname(path), `.siteatlas-fleet-${randomBytes(8).toString("hex")}.partial`);
  const file = createWriteStream(temporary, { flags: "wx", flush: true });
  await new Promise((resolve, reject) => file.once("open", resolve).once("error", reject)).catch((error) => {
    throw new UsageError(`cannot write ${path}: ${systemReason(error)}`);
  });
  const clean = (signal: NodeJS.Signals): void => {
    unlinkSync(temporary);
    // The listener for this signal is gone, so sending the signal again ends the process.
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, clean);
  try {
    await pipeline(text, file);
    await takePlace(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, clean);
  }
}

async function takePlace(temporary: string, path: string): Promise<void> {
  try {
    // Unlike a rename, a hard link does not replace a file that another program created in the meantime.
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST" && !NO_LINKS.has(code)) throw error;
    await refuseExisting(path);
    return rename(temporary, path);
  }
  await unlink(temporary);
}

async function refuseExisting(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  throw new UsageError(`${path} already exists`, "Delete the file, or pass another name");
}
