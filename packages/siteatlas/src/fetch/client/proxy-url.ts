/** Checks the URL of a proxy. It may contain a password, so messages never contain the URL. */

export function isProxyUrl(value: unknown): value is string | URL {
  if (typeof value !== "string" && !(value instanceof URL)) return false;
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/**
 * Matches a URL whose password contains a character that ends the host. In `http://user:p/ss@proxy:3128`, the host
 * would be `user`. In `http://user:p@ss/word@proxy:3128`, it would be `ss`, a part of the password.
 */
const RAW_PASSWORD = /^[^/]*\/\/[^/?#]*[/?#].*@/s;

/** Says why the URL of a proxy is not valid. Returns undefined for a valid URL. */
export function proxyFault(value: string | URL): string | undefined {
  if (RAW_PASSWORD.test(String(value))) {
    return "must be an http or https URL. In its password, write / as %2F, ? as %3F, # as %23, @ as %40 and % as %25";
  }
  return isProxyUrl(value) ? undefined : "must be an http or https URL";
}
