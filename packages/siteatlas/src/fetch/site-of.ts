/**
 * Which site a host belongs to: its registrable domain. Users of one platform (`a.github.io`) are sites of their
 * own, and so is an address. The list of public suffixes takes time to load, so that only those load it who
 * meet a second host.
 */

export type SiteOf = (hostname: string) => string;

let loading: Promise<SiteOf> | undefined;
/** Once it was loaded. */
let loaded: SiteOf | undefined;

export function loadSiteOf(): Promise<SiteOf> {
  loading ??= load();
  return loading;
}

async function load(): Promise<SiteOf> {
  const { getDomain } = await import("tldts");
  loaded = (hostname) => getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
  return loaded;
}

export function loadedSiteOf(): SiteOf | undefined {
  return loaded;
}
