/**
 * The names of a site: its host as in a URL, its registrable domain, and its shard. All hosts of a domain are in the
 * same shard. So they share one queue and one lease.
 */
import { getDomain } from "tldts";

export interface SiteName {
  /** The host in lower case and punycode, with the port unless it is the default: `example.com`, `127.0.0.5:8080`. */
  readonly host: string;
  /**
   * The registrable domain, such as `example.com`. On a platform such as `github.io`, each user has a domain:
   * `a.github.io`. The domain of an IP address is the address.
   */
  readonly domain: string;
  readonly shard: number;
  /** Whether the site is fetched over plain http. */
  readonly isPlain: boolean;
}

/**
 * Maximum length of a host. DNS allows 253 characters. But the name of a part file contains the host, the epoch and an
 * extension, and file systems limit its length.
 */
const MAX_HOST = 200;
/**
 * Matches a host with an optional port: a DNS name (also with `_`, which some hosts use), an IPv4 address, or an IPv6
 * address in brackets. URLs also allow hosts such as `.` or `a.example!8080`, but DNS does not have such names.
 */
const HOST = /^(?:[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** Parses a host or the URL of a homepage. Returns undefined if the text is neither. */
export function readSite(text: string, shards: number): SiteName | undefined {
  const line = text.trim();
  const href = /^[a-z][a-z0-9+.-]*:\/\//i.test(line) ? line : `https://${line}`;
  const url = URL.canParse(href) ? new URL(href) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  const host = url.host.replace(/\.(?=:|$)/, "");
  if (host.length > MAX_HOST || !HOST.test(host)) return undefined;
  const domain = domainOf(url.hostname);
  return { host, domain, shard: shardOf(domain, shards), isPlain: url.protocol === "http:" };
}

export function domainOf(hostname: string): string {
  const name = hostname.replace(/\.$/, "");
  return getDomain(name, { allowPrivateDomains: true }) ?? name;
}

export function homepageOf({ host, isPlain }: Pick<SiteName, "host" | "isPlain">): string {
  return `${isPlain ? "http" : "https"}://${host}/`;
}

/** The shard of a domain. */
export function shardOf(domain: string, shards: number): number {
  return hash(domain) % shards;
}

/** A hash of a host, from -2³¹ to 2³¹ - 1. The table `part` has the hashes of all hosts in a file. */
export function hostHash(host: string): number {
  return hash(host) | 0;
}

/**
 * FNV-1a with the final mix of murmur3. Do not change this hash: stored sites would be in the wrong queue and
 * partition, and `remove` would not find the files that have rows of a site.
 */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/**
 * The job id of a host. BullMQ separates its keys with colons and does not allow them in an id, so a colon becomes `!`.
 * `!` and `%` are escaped, so that different hosts have different ids. Names of part files also contain this id.
 */
export function jobIdOf(host: string): string {
  return host.replaceAll("%", "%25").replaceAll("!", "%21").replaceAll(":", "!");
}

export function hostOfJob(jobId: string): string {
  return jobId.replaceAll("!", ":").replaceAll("%21", "!").replaceAll("%25", "%");
}
