/** Reads webhook requests as a receiver would: repeated deliveries are recognized by their id. */
import { readdirSync } from "node:fs";
import { expect } from "vitest";

interface DeliveredChange {
  readonly kind: string;
  readonly url: string;
}

interface DeliveryBody {
  readonly kind: "changes" | "failure";
  readonly id: string;
  readonly run: string;
  readonly sequence: number;
  readonly isLast: boolean;
  readonly site: string;
  readonly changes: readonly DeliveredChange[];
}

export interface Received {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

/** The pages of each site after all deliveries, each applied once. Fails if a delivery is missing or out of order. */
export function replay(received: readonly Received[]): Map<string, Set<string>> {
  const bodies = new Map<string, string>();
  const pages = new Map<string, Set<string>>();
  const last = new Map<string, DeliveryBody>();
  const idOfChange = new Map<string, string>();
  for (const { id, body: text } of received) {
    if (bodies.has(id)) {
      expect(bodies.get(id)).toBe(text);
      continue;
    }
    bodies.set(id, text);
    const body = JSON.parse(text) as DeliveryBody;
    expect(body.id).toBe(id);
    const before = last.get(body.site);
    last.set(body.site, body);
    // The runs of a site are not mixed, and each is complete before the next one.
    if (before === undefined || before.isLast) expect(body.sequence).toBe(1);
    else expect([body.run, body.sequence]).toEqual([before.run, before.sequence + 1]);
    const own = pages.get(body.site) ?? new Set();
    pages.set(body.site, own);
    for (const { kind, url } of body.changes) {
      if (kind === "added") own.add(url);
      else if (kind === "removed") own.delete(url);
      else continue;
      const change = `${kind} ${url}`;
      // Each page is added and removed at most once in these tests. A second id would be a change that came twice.
      expect([change, idOfChange.get(change) ?? id]).toEqual([change, id]);
      idOfChange.set(change, id);
    }
  }
  return pages;
}

export function isSame(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): boolean {
  return a !== undefined && a.size === b.size && [...a].every((one) => b.has(one));
}

export class Random {
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  next(): number {
    this.#seed = (Math.imul(this.#seed, 1_103_515_245) + 12_345) >>> 0;
    return this.#seed / 2 ** 32;
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Names of the files in a folder. A process that runs may delete the folder at any moment. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
