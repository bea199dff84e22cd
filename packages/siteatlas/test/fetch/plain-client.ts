/** A client as a user would write it, in a few lines on node:http: proof that the seam is enough. */
import { get } from "node:http";
import { get as getSecurely } from "node:https";
import type { Client } from "../../src/fetch/client.ts";

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
