/**
 * The names of the small sites, and where they lead. Each has an address of its own among those that are asked
 * at once: siteatlas gives one address four requests at a time, whatever names lead to it.
 */
const ADDRESSES = 400;

/** All names have the same length. */
export const hostOf = (site, port) => `www.site-${String(site).padStart(5, "0")}.test:${port}`;

const address = (number) => `127.0.${1 + Math.floor(number / 200)}.${1 + (number % 200)}`;

export const addresses = Array.from({ length: ADDRESSES }, (_, number) => address(number));

/** In place of DNS. */
export function lookupSite(name, options, callback) {
  const site = Number(/^www\.site-(\d+)\.test$/.exec(name)?.[1]);
  const found = address(site % ADDRESSES);
  if (options.all) callback(null, [{ address: found, family: 4 }]);
  else callback(null, found, 4);
}
