/** An error page that repeats the headers of the request does not bring them into events and messages. */
import { expect, it } from "vitest";
import { walkSitemaps } from "../../src/index.ts";
import { openSite } from "../support/test-site.ts";

it("the error page in an event has none of the credentials that were sent", async () => {
  const site = await openSite({
    "/robots.txt": ({ headers }) => ({
      status: 500,
      body: `login of maria with S3CRET failed: ${JSON.stringify(headers)}`,
    }),
  });
  const pages: string[] = [];
  const options = {
    auth: "maria:S3CRET",
    headers: { "x-team": "K3YS" },
    useKnownPaths: false,
    limits: { retries: 0 },
  } as const;
  for await (const event of walkSitemaps(site.url, options)) {
    if (event.kind === "sitemap" && event.sitemap.errorPage) pages.push(event.sitemap.errorPage);
  }
  expect(pages).toHaveLength(1);
  expect(pages[0]).toContain("login of *** with *** failed");
  for (const secret of ["S3CRET", "maria", "K3YS", Buffer.from("maria:S3CRET").toString("base64")]) {
    expect(pages[0]).not.toContain(secret);
  }
});
