/**
 * Signs deliveries as Standard Webhooks 1.0.0 defines it (https://www.standardwebhooks.com): an HMAC-SHA256 of the id,
 * the time and the body. Libraries that verify such signatures exist for most languages.
 */
import { createHmac } from "node:crypto";
import { readSmallFile } from "../../../files/read-small-file.ts";
import { SECRET_VARIABLE } from "../../config/unknown-variables.ts";
import { systemReason } from "../../process/system-reason.ts";
import { UsageError } from "../../process/usage-error.ts";

const MAX_FILE_BYTES = 64 * 1024;
const PREFIX = "whsec_";
const HINT = `Create one: echo "${PREFIX}$(openssl rand -base64 32)"`;

/**
 * Keys of the secrets. Each key makes a signature, so that a receiver can change its secret without losing a delivery.
 */
export type SigningKeys = readonly Buffer[];

/**
 * Reads the secrets from a file or the environment. They are separated by white space.
 *
 * @throws {UsageError} whose message does not contain a secret
 */
export function readSigningKeys(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): SigningKeys {
  const where = file === undefined ? SECRET_VARIABLE : `--webhook-secret-file ${file}`;
  const text = file === undefined ? environment[SECRET_VARIABLE] : readSecretFile(file);
  if (text === undefined) return [];
  const words = text.split(/\s+/).filter((word) => word !== "");
  // Unsigned requests are sent only without the variable. An empty one is usually a mistake in a unit or a workflow.
  if (words.length === 0) throw new UsageError(`${where} contains no secret`, HINT);
  return words.map((word) => keyOf(word, where));
}

function readSecretFile(file: string): string {
  try {
    const text = readSmallFile(file, MAX_FILE_BYTES);
    if (text !== undefined) return text;
  } catch (error) {
    throw new UsageError(`cannot read --webhook-secret-file ${file}: ${systemReason(error)}`);
  }
  throw new UsageError(`--webhook-secret-file ${file} is larger than ${MAX_FILE_BYTES} bytes`);
}

function keyOf(secret: string, where: string): Buffer {
  const text = secret.slice(PREFIX.length);
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0;
  const key = Buffer.from(text, "base64");
  if (secret.startsWith(PREFIX) && isBase64 && key.length >= 24 && key.length <= 64) return key;
  throw new UsageError(`${where} must be ${PREFIX} and the base64 of 24 to 64 bytes`, HINT);
}

/** Returns the headers of one try. They contain the time of the try, so that a receiver can refuse an old request. */
export function signedHeaders(
  keys: SigningKeys,
  id: string,
  body: Uint8Array,
  nowMs: number = Date.now(),
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const sign = (key: Buffer): string =>
    `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(keys.length > 0 && { "webhook-signature": keys.map(sign).join(" ") }),
  };
}
