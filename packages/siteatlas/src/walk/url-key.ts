/**
 * Returns a key for a URL. URLs that cause the same request have the same key: the case of percent escapes and a final
 * dot of the host are ignored (sec-U10). `url` must be normalized by `URL`: to save time, it is not parsed again.
 */
export function urlKey(url: string): string {
  const key = url.replace(/^(https?:\/\/[^/]+)\.(?=[:/])/, "$1");
  return key.includes("%") ? key.replace(/%[\da-f]{2}/gi, (hex) => hex.toUpperCase()) : key;
}
