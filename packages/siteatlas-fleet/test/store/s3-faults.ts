/**
 * A proxy for an S3 server that makes single requests fail: it answers with an error or cuts the connection. All other
 * requests pass.
 */
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface Fault {
  /** Answers with this status instead of the server. */
  readonly status?: number;
  readonly body?: string;
  /** Cuts the connection before the response, or in the middle of its body. */
  readonly cut?: "request" | "response";
}

export interface S3Faults {
  readonly url: string;
  /** `PUT /bucket/key`, in order. */
  readonly requests: readonly string[];
  /** Called for each request; undefined lets it pass. */
  decide: (request: IncomingMessage) => Fault | undefined;
  close(): void;
}

export async function openS3Faults(target: string): Promise<S3Faults> {
  const requests: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    const { status, body = "", cut } = faults.decide(incoming) ?? {};
    if (cut === "request") return void incoming.socket.destroy();
    const sent = await buffer(incoming).catch(() => undefined);
    // The client has closed the connection.
    if (sent === undefined) return;
    if (status !== undefined)
      return void outgoing.writeHead(status, { "content-type": "application/xml" }).end(body);
    const { method, headers, url = "/" } = incoming;
    const forwarded = request(new URL(url, target), { method, headers }, async (answer) => {
      const bytes = await buffer(answer);
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      if (cut !== "response") return void outgoing.end(bytes);
      outgoing.write(bytes.subarray(0, bytes.length / 2), () => outgoing.destroy());
    });
    forwarded.end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const faults: S3Faults = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    decide: () => undefined,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return faults;
}
