/**
 * Finds the site that a host belongs to: its registrable domain. Each user of a shared platform (`a.github.io`) and
 * each IP address is a separate site. The public suffix list is slow to load. So it is loaded only when the site of a
 * second host must be known.
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

/** The function that `loadSiteOf` loads. Undefined until this function is loaded. */
export function loadedSiteOf(): SiteOf | undefined {
  return loaded;
}
