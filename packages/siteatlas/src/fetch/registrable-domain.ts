/**
 * Finds the site that a host belongs to: its registrable domain. Each user of a shared platform (`a.github.io`) and
 * each IP address is a site of its own. The public suffix list is slow to load, so it is loaded only when a second
 * host appears.
 */

export type SiteOf = (hostname: string) => string;

let loading: Promise<SiteOf> | undefined;
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

/** The function that `loadSiteOf` loads. Undefined until it is loaded. */
export function loadedSiteOf(): SiteOf | undefined {
  return loaded;
}
