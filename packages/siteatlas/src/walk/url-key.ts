/**
 * URLs that mean the same request have one key: percent escapes in any case, a host with a final dot (sec-U10).
 * They come as `URL` writes them, and are not parsed again: an index may list 50,000.
 */
export function urlKey(url: string): string {
  const key = url.replace(/^(https?:\/\/[^/]+)\.(?=[:/])/, "$1");
  return key.includes("%") ? key.replace(/%[\da-f]{2}/gi, (hex) => hex.toUpperCase()) : key;
}
