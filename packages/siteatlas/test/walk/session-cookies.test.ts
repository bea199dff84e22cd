/** Cookies: siteatlas keeps none, and a custom client can keep those of a session. */
import { expect, it, onTestFinished } from "vitest";
import { type Client, createNodeClient, streamPages } from "../../src/index.ts";
import { openSite, type TestSite, urlset } from "../support/test-site.ts";

const quick = { useKnownPaths: false, useHomepageLinks: false } as const;

/** A site that answers 403 without its session cookie. Its robots.txt sets the cookie. */
function openMembersSite(): Promise<TestSite> {
  return openSite((base) => ({
    "/robots.txt": {
      headers: { "set-cookie": "session=7; Path=/; HttpOnly" },
      body: `Sitemap: ${base}/members.xml\n`,
    },
    "/members.xml": ({ headers }) =>
      headers.cookie === "session=7" ? { body: urlset([`${base}/members`]) } : { status: 403 },
  }));
}

async function pagesOf(site: TestSite, client?: Client): Promise<string[]> {
  const urls: string[] = [];
  const options = { ...quick, ...(client !== undefined && { client }) };
  for await (const { url } of streamPages(site.url, options)) urls.push(url);
  return urls;
}

it("are not kept", async () => {
  const site = await openMembersSite();
  expect(await pagesOf(site)).toEqual([]);
  expect(site.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
});

it("of a session are kept by a client that wraps the client of Node", async () => {
  const site = await openMembersSite();
  const node = createNodeClient({ homepage: site.url });
  onTestFinished(() => node.close());
  let cookie: string | undefined;
  const send: Client = async (request) => {
    const headers = cookie === undefined ? request.headers : { ...request.headers, cookie };
    const response = await node({ ...request, headers });
    cookie ??= response.headers["set-cookie"]?.split(";")[0];
    return response;
  };
  const client = Object.assign(send, { wraps: node });
  expect(await pagesOf(site, client)).toEqual([`${site.url}/members`]);
  expect(site.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, "session=7"]);
});
