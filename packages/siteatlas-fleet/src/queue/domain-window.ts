/**
 * Limits how many hosts of one registrable domain are in a queue at a time. They are visited one after the other, so
 * more of them would only take the places of other domains: a domain with 60,000 hosts would fill a whole queue.
 *
 * A window belongs to one pass of the scheduler over the due sites. The first hosts of a domain are admitted, the
 * others wait here until a host of their domain has left the queue. If too many hosts wait, the rest comes with the next
 * pass.
 */
import type { DueSite } from "../database/frontier.ts";

/** Maximum number of waiting hosts, per domain and in all. Each takes about 100 bytes. */
const MAX_WAITING_PER_DOMAIN = 1000;
const MAX_WAITING = 100_000;

export class DomainWindow {
  readonly #most: number;
  /** Hosts that were put into the queue, by domain. Some may have left it again. */
  readonly #fed: Map<string, string[]> = new Map();
  readonly #waiting: Map<string, string[]> = new Map();
  #waitingCount = 0;

  /** @param most maximum number of hosts of one domain in the queue */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether a due site may be put into the queue now. If not, it waits. */
  admit({ host, domain, isLeased }: Pick<DueSite, "host" | "domain" | "isLeased">): boolean {
    const fed = this.#fed.get(domain);
    if (!isLeased && (fed?.length ?? 0) < this.#most) {
      if (fed === undefined) this.#fed.set(domain, [host]);
      else fed.push(host);
      return true;
    }
    const waiting = this.#waiting.get(domain) ?? [];
    if (waiting.length < MAX_WAITING_PER_DOMAIN && this.#waitingCount < MAX_WAITING) {
      waiting.push(host);
      this.#waiting.set(domain, waiting);
      this.#waitingCount++;
    }
    return false;
  }

  /**
   * Returns the first waiting hosts of some domains, at most `most` hosts in all, and of each domain those that were
   * put into the queue before. The next call returns other domains.
   */
  candidates(most: number): { domain: string; fed: readonly string[]; hosts: readonly string[] }[] {
    const found: { domain: string; fed: readonly string[]; hosts: readonly string[] }[] = [];
    let count = 0;
    for (const [domain, waiting] of this.#waiting) {
      if (count >= most) break;
      const hosts = waiting.slice(0, this.#most);
      count += hosts.length;
      found.push({ domain, fed: this.#fed.get(domain) ?? [], hosts });
    }
    for (const { domain } of found) {
      const waiting = this.#waiting.get(domain)!;
      this.#waiting.delete(domain);
      this.#waiting.set(domain, waiting);
    }
    return found;
  }

  /**
   * Fills the places of a domain.
   *
   * @param queued those hosts of the domain that are still in the queue
   * @param due those hosts among the candidates that are due and may be visited
   * @param kept those hosts among the candidates that must wait longer. All others are forgotten.
   * @returns the hosts to put into the queue
   */
  refill(
    domain: string,
    { queued, due, kept }: Readonly<Record<"queued" | "due" | "kept", readonly string[]>>,
  ): string[] {
    const waiting = this.#waiting.get(domain) ?? [];
    const rest = waiting.slice(this.#most);
    const admitted = due.slice(0, Math.max(0, this.#most - queued.length));
    const left = [...due.slice(admitted.length), ...kept, ...rest];
    this.#waitingCount += left.length - waiting.length;
    if (left.length === 0) this.#waiting.delete(domain);
    else this.#waiting.set(domain, left);
    this.#fed.set(domain, [...queued, ...admitted]);
    return admitted;
  }
}
