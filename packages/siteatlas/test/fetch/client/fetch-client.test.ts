import { describe, expect, it } from "vitest";
import { fetchClient } from "../../../src/fetch/client/fetch-client.ts";
import { ask, describeClient, failureOf, open, textOf } from "./client-suite.ts";
import { plainClient } from "./plain-client.ts";

describeClient("fetchClient(fetch)", () => fetchClient(fetch), { leavesConnecting: true });
describeClient("as a user writes it", () => plainClient);

describe("fetchClient", () => {
  it("throws if the runtime hides redirects, as browsers do", async () => {
    const opaque = Object.defineProperty(new Response(null), "type", { value: "opaqueredirect" });
    const client = fetchClient(async () => opaque);
    const error = await failureOf(client(ask("https://www.example.com/")));
    expect(String(error)).toMatch(/hides redirects/);
  });

  it("keeps the header of a coding that fetch does not decode", async () => {
    const { url } = await open((_, response) =>
      response.writeHead(200, { "content-encoding": "x-own", "content-length": 4 }).end("body"),
    );
    const response = await fetchClient(fetch)(ask(url));
    expect(response.headers).toMatchObject({ "content-encoding": "x-own", "content-length": "4" });
    expect(await textOf(response)).toBe("body");
  });
});
