/**
 * What a site is called: its host as in a URL, its registrable domain, its shard. Hosts of one domain are in one
 * shard, so that one lease and one queue know all of them.
 */
import { getDomain } from "tldts";

export interface SiteName {
  /** Lower case, punycode, with a port that is not the scheme's own: `example.com`, `127.0.0.5:8080`. */
  readonly host: string;
  /** The registrable domain; users of one platform (`a.github.io`) have one each, and so has an address. */
  readonly domain: string;
  readonly shard: number;
  /** Over plain http. */
  readonly isPlain: boolean;
}

/** Longer names are none of the domain name system, and would be too long for a file's. */
const MAX_HOST = 200;

/** A host or the URL of a homepage; undefined for what is neither. */
export function readSite(text: string, shards: number): SiteName | undefined {
  const line = text.trim();
  const url = URL.parse?.(withScheme(line)) ?? parseUrl(withScheme(line));
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  if (url.hostname === "" || url.username !== "" || url.password !== "") return undefined;
  if (url.host.length > MAX_HOST) return undefined;
  const host = url.host.replace(/\.(?=:|$)/, "");
  const domain = domainOf(url.hostname);
  return { host, domain, shard: shardOf(domain, shards), isPlain: url.protocol === "http:" };
}

function withScheme(line: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(line) ? line : `https://${line}`;
}

/** Node 20 has no `URL.parse`. */
function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

export function domainOf(hostname: string): string {
  const name = hostname.replace(/\.$/, "");
  return getDomain(name, { allowPrivateDomains: true }) ?? name;
}

export function homepageOf({ host, isPlain }: Pick<SiteName, "host" | "isPlain">): string {
  return `${isPlain ? "http" : "https"}://${host}/`;
}

/** FNV-1a with the final mix of murmur3. Before you change this: it says in which queue and partition a site is. */
export function shardOf(domain: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < domain.length; at++) hash = Math.imul(hash ^ domain.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % shards;
}

/** BullMQ's own keys use colons: an id must have none. */
export function jobIdOf(host: string): string {
  return host.replaceAll(":", "!");
}

export function hostOfJob(jobId: string): string {
  return jobId.replaceAll("!", ":");
}
