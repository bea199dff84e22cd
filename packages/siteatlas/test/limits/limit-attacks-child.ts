/**
 * Runs one attack in a process of its own, as a case of the hostile suite: its server is another process, and the
 * memory is measured from a process that has walked an ordinary site. Usage: node --expose-gc limit-attacks-child.mjs
 * client sec-NAME. Prints a CaseResult as JSON.
 */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  allPages,
  createNodeClient,
  sitemapTreeForHomepage,
  streamPages,
  syncSite,
  type WalkOptions,
} from "../../src/index.ts";
import type { HostileCase } from "../hostile/case.ts";
import { main } from "../hostile/client.ts";
import { ATTACKS, type Attack, MAX_RSS_MIB } from "./limit-attacks.ts";

function caseOf([name, attack]: [string, Attack]): HostileCase {
  const { site, serve, pages: least = 0, code, hasForeignHosts, maxRssMiB: rssMiB = MAX_RSS_MIB } = attack;
  return {
    id: `sec-${name}`,
    server: site,
    expected: `at most ${rssMiB} MiB`,
    // How long the event loop is blocked is a matter of the hostile suite, not of this test.
    bounds: { rssMiB, blockedMs: Number.POSITIVE_INFINITY },
    serve,
    async run(context) {
      const codes = new Set<string>();
      const client = hasForeignHosts && createNodeClient({ allowPrivateNetworks: true });
      const pages = await read(attack, context.url(), {
        ...(client && { client }),
        onEvent: (event) => {
          if (event.kind === "issue") codes.add(event.issue.code);
        },
      });
      if (client) await client.close();
      context.expect(pages >= least, `${pages} pages instead of ${least}`);
      if (code !== undefined) context.expect(codes.has(code), `no ${code} among ${[...codes]}`);
      const limits = [...codes].filter((each) => each.startsWith("limit."));
      return [`${pages} pages`, ...limits].join(", ");
    },
  };
}

/** Reads a site with the default limits and drops its pages. Returns how many there are. */
async function read({ reads }: Attack, url: string, options: WalkOptions): Promise<number> {
  let pages = 0;
  if (reads === "tree") {
    for (const _ of allPages(await sitemapTreeForHomepage(url, options))) pages++;
  } else if (reads === "sync") {
    const snapshot = join(tmpdir(), "snapshot.gz");
    for await (const change of syncSite(url, { ...options, snapshot })) {
      if (change.kind === "summary") pages = change.pageCount;
    }
    rmSync(snapshot, { force: true });
  } else {
    for await (const _ of streamPages(url, options)) pages++;
  }
  return pages;
}

await main(Object.entries(ATTACKS).map(caseOf));
