/** Visits of sites that write their rows into packs, without a walk: each site has one sitemap with one page. */
import type { WalkedSitemap } from "siteatlas";
import { toRecord } from "siteatlas/output";
import { type Frontier, type LegRequest, type LegResult, type ObjectStore, readSite } from "siteatlas-fleet";
import { expect } from "vitest";
import { CHANGE_COLUMNS, PAGE_COLUMNS, SITEMAP_COLUMNS } from "../../src/dataset/datasets.ts";
import { Packer } from "../../src/dataset/packer.ts";
import { rowText } from "../../src/dataset/row-text.ts";

export const DAY = "2026-11-15";
export const NEXT = { waitSeconds: 0, quiet: 0, failures: 0 } as const;

interface VisitFacts {
  readonly visitedAt?: Date | undefined;
  readonly day?: string;
  /** The path of the page. */
  readonly path?: string;
}

export class PackedVisits {
  readonly #frontier: Frontier;
  readonly #store: ObjectStore;
  readonly #folder: string;
  readonly #shards: number;

  constructor(given: { frontier: Frontier; store: ObjectStore; folder: string; shards: number }) {
    this.#frontier = given.frontier;
    this.#store = given.store;
    this.#folder = given.folder;
    this.#shards = given.shards;
  }

  async claim(host: string): Promise<LegRequest> {
    const site = readSite(host, this.#shards)!;
    await this.#frontier.addSites([site]);
    const claimed = await this.#frontier.claim(site);
    if (claimed.verdict !== "claimed") throw new Error(`It is ${claimed.verdict}`);
    return {
      ...{ ...claimed, ...site, began: claimed.began.toISOString() },
      ...{ homepage: `https://${host}/`, done: 0, failed: [] },
    };
  }

  /** Visits these sites, and writes their rows into one pack. */
  async visit(hosts: readonly string[], facts: VisitFacts = {}): Promise<void> {
    const packs = new Packer({
      ...{ frontier: this.#frontier, store: this.#store, folder: this.#folder, everyMs: 3_600_000 },
    });
    const requests = await Promise.all(hosts.map((host) => this.claim(host)));
    const verdicts = requests.map((request) =>
      packs.commit({ request, result: visitResult(request.host, facts), next: NEXT }),
    );
    packs.flush();
    for (const verdict of await Promise.all(verdicts)) expect(verdict).toBe("accepted");
  }
}

export function visitResult(
  host: string,
  { visitedAt = new Date(), day = DAY, path = "/page" }: VisitFacts = {},
): LegResult {
  const url = `https://${host}/a.xml`;
  const visited = { host, visitedAt };
  const sitemap = { url, outcome: "found", kind: "pages", level: 1 } as unknown as WalkedSitemap;
  const page = { url: `https://${host}${path}` };
  const change = { kind: "removed", url: page.url, page, sitemaps: [] } as never;
  const texts = {
    pages: `[${rowText(PAGE_COLUMNS, { ...visited, page: toRecord(page, url) })}]`,
    sitemaps: `[${rowText(SITEMAP_COLUMNS, { ...visited, sitemap })}]`,
    changes: `[${rowText(CHANGE_COLUMNS, { ...visited, change })}]`,
  };
  return {
    ...{ outcome: "found", isOver: true, parts: [], unpacked: { day, texts }, snapshot: "data:c21hbGw=" },
    sitemaps: [{ url, outcome: "found", kind: "pages", pageCount: 1, hasPages: true }],
    ...{
      gone: [],
      pageCount: 1,
      sitemapCount: 1,
      requests: 3,
      bytes: 100,
      pages: 1,
      changes: 0,
      requestMs: 5,
    },
  };
}
