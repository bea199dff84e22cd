/** Sends one delivery to the webhook. */
import { basicAuthorization, credentialsIn } from "../../../fetch/basic-auth.ts";
import { retryAfterMs } from "../../../fetch/retry.ts";
import { createDeadline } from "../../../fetch/timeout-signal.ts";
import { systemReason } from "../../process/system-reason.ts";
import { DeliveryError } from "../delivery.ts";
import { type SigningKeys, signedHeaders } from "./sign-delivery.ts";

const WEBHOOK_MS = 30_000;

/** The webhook did not accept a delivery. */
export class RefusedError extends DeliveryError {
  /** How long the webhook asked to wait with Retry-After. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, retryAfter: number | undefined) {
    super(`the webhook answered ${status}`);
    this.retryAfterMs = retryAfter;
  }
}

export interface Webhook {
  readonly url: string;
  readonly keys: SigningKeys;
  readonly userAgent: string;
}

/**
 * POSTs the body. The guard against private addresses does not apply, because the user chose the URL.
 *
 * @throws {DeliveryError} if the answer is not 2xx. Redirects are not followed.
 */
export async function postDelivery(
  { url: given, keys, userAgent }: Webhook,
  id: string,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<void> {
  const deadline = createDeadline(signal, WEBHOOK_MS, "The webhook");
  // `fetch` rejects a URL with credentials.
  const url = new URL(given);
  const credentials = credentialsIn(url);
  url.username = "";
  url.password = "";
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": userAgent,
        ...signedHeaders(keys, id, body),
        ...(credentials !== undefined && { authorization: basicAuthorization(credentials) }),
      },
      body,
      redirect: "manual",
      signal: deadline.signal,
    });
    await response.body?.cancel();
    const { ok, status, headers } = response;
    const isPause = status === 429 || status === 503;
    const retryAfter = headers.get("retry-after") ?? undefined;
    if (!ok) throw new RefusedError(status, isPause ? retryAfterMs(retryAfter) : undefined);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DeliveryError) throw error;
    const { cause, name } = error as Error;
    if (name === "TimeoutError") throw new DeliveryError("the webhook did not answer (timeout)");
    // Do not show the message of an error without a cause: it may repeat the URL, which may contain a secret.
    if (cause === undefined) throw new DeliveryError("the request to the webhook could not be sent");
    throw new DeliveryError(`the webhook did not answer (${systemReason(cause)})`);
  } finally {
    deadline.clear();
  }
}
