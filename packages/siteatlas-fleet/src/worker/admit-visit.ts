/** Decides whether a visit may start now: the limits per address of all workers together. */
import type { Address, NameLookup } from "../processes/name-lookup.ts";
import type { AddressLimits, VisitTicket } from "../queue/address-limits.ts";

export interface Admission extends VisitTicket {
  /** The addresses of the host. Walker processes need not look them up again. */
  readonly addresses: readonly Address[];
}

export type AdmitVisit = (host: string) => Promise<Admission>;

/**
 * Admits visits by the addresses of their host. A name that cannot be looked up is admitted, because the visit reports
 * what is wrong with it.
 */
export function admitByAddress(names: NameLookup, limits: AddressLimits): AdmitVisit {
  return async (host) => {
    const addresses = await names.resolve(new URL(`http://${host}/`).hostname).catch(() => []);
    const four = addresses.filter(({ family }) => family === 4);
    // A host with both kinds is reached by IPv4 or by IPv6: count it once.
    const counted = (four.length > 0 ? four : addresses).map(({ address }) => address);
    const ticket = await limits.take(counted);
    return { ...ticket, addresses };
  };
}
