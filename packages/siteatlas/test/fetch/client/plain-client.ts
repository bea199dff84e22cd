/** A minimal custom client on node:http, to show that the Client interface is sufficient. */
import { get } from "node:http";
import { get as getSecurely } from "node:https";
import type { Client } from "../../../src/fetch/client/client.ts";

export const plainClient: Client = ({ url, headers, signal }) =>
  new Promise((resolve, reject) => {
    const send = url.startsWith("https:") ? getSecurely : get;
    const request = send(url, { headers, signal, agent: false }, (response) => {
      const entries = Object.entries(response.headersDistinct);
      resolve({
        status: response.statusCode!,
        headers: Object.fromEntries(entries.map(([name, values]) => [name, values!.join(", ")])),
        body: response,
      });
    });
    request.on("error", reject);
  });
