/** Reads the network settings that are in files or in the environment: credentials, certificates and proxies. */

import { X509Certificate } from "node:crypto";
import { environmentProxy } from "../../fetch/client/proxy.ts";
import { readSmallFile } from "../../files/read-small-file.ts";
import type { WalkOptions } from "../../walk/options.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Settings } from "./flags.ts";
import { readAuth } from "./parse-value.ts";

/** Maximum size in bytes of a file that a flag names. A list of all public certificate authorities has 300 KB. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Returns the options for the walk. @throws {UsageError} for a file that cannot be read or has unexpected content */
export function networkOptions(settings: Settings): Pick<WalkOptions, "auth" | "ca" | "proxy"> {
  const { auth, authFile, cacert, proxy } = settings;
  checkCredentials(settings);
  const credentials = auth ?? (authFile === undefined ? undefined : readAuthFile(authFile));
  const through = proxy ?? (isInEnvironment() ? "environment" : undefined);
  return {
    ...(credentials !== undefined && { auth: credentials }),
    ...(cacert !== undefined && { ca: readCertificates(cacert) }),
    ...(through !== undefined && through !== false && { proxy: through }),
  };
}

/**
 * Rejects two settings that both name credentials, such as the flags `--auth` and `--auth-file`. Credentials from
 * different sources are not an error: settings.ts has dropped those that another source overrides.
 */
function checkCredentials({ auth, authFile, header = [] }: Settings): void {
  const given = [
    ...(auth === undefined ? [] : ["--auth"]),
    ...(authFile === undefined ? [] : ["--auth-file"]),
    ...(header.some(([name]) => name === "authorization") ? ["-H 'Authorization: …'"] : []),
  ];
  if (given.length < 2) return;
  throw new UsageError(`${given.slice(0, 2).join(" and ")} both name credentials`, "Keep one of them.");
}

function isInEnvironment(): boolean {
  try {
    return environmentProxy(process.env) !== undefined;
  } catch (error) {
    const text = (error as Error).message.replace(/^The/, "the");
    throw new UsageError(text, "Ignore it with --no-proxy.");
  }
}

/** Returns the first line of the file, which is `user:password`. Error messages must not contain it. */
function readAuthFile(path: string): string {
  const [line = ""] = readText("--auth-file", path).split(/\r?\n/, 1);
  try {
    return readAuth(line);
  } catch {
    throw new UsageError(`--auth-file ${path} must contain user:password on its first line`);
  }
}

function readCertificates(path: string): string {
  const text = readText("--cacert", path);
  try {
    new X509Certificate(text);
  } catch {
    throw new UsageError(
      `--cacert ${path} contains no certificate in PEM format`,
      "Convert it: openssl x509 -inform der -in FILE -out ca.pem",
    );
  }
  return text;
}

function readText(flag: string, path: string): string {
  let text: string | undefined;
  try {
    text = readSmallFile(path, MAX_BYTES);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "ENOENT" ? "no such file" : code === "EACCES" ? "permission denied" : "it cannot be read";
    throw new UsageError(`${flag} ${path}: ${why}`);
  }
  if (text === undefined) throw new UsageError(`${flag} ${path}: it is larger than 16 MiB`);
  return text;
}
