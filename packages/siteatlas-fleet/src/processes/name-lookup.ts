/**
 * Looks up host names, for walker processes and for the limits per address.
 *
 * Node's own lookup (`getaddrinfo`) has four threads per process. A name whose servers are silent holds a thread for
 * seconds, so a few dead domains delay all other visits. This lookup asks the name servers itself, without threads, and
 * remembers answers, also that a name does not exist or that its servers failed.
 *
 * Like `getaddrinfo` it reads the hosts file, once. It does not append search domains: names of sites are complete.
 */
import { lookup as systemLookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIP, type LookupFunction } from "node:net";

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface NameLookupOptions {
  /** Addresses of name servers, with a port if it is not 53. @default those of the operating system */
  readonly servers?: readonly string[] | undefined;
  /** Returns the time in milliseconds. @default performance.now */
  readonly now?: (() => number) | undefined;
  /** Content of the hosts file. @default /etc/hosts */
  readonly hosts?: string | undefined;
}

/** The value of `servers` that selects `getaddrinfo`, without a cache. */
const SYSTEM_LOOKUP = "system";

/** Time limit of the first attempt of a query. The second attempt has twice as long. */
const TIMEOUT_MS = 2000;
const TRIES = 2;
/** Limits of the time for which an answer is kept. The name server says how long it is valid. */
const MIN_TTL_MS = 5000;
const MAX_TTL_MS = 300_000;
/** How long a name is known not to exist, and how long its servers are known to fail (RFC 2308, RFC 9520). */
const ABSENT_MS = 300_000;
const FAILED_MS = 30_000;
/** Maximum number of names that are remembered. The oldest is forgotten first. */
const MAX_NAMES = 20_000;

interface Known {
  readonly until: number;
  readonly answer: readonly Address[] | Error;
}

export class NameLookup {
  readonly #resolver: Resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  readonly #known: Map<string, Known> = new Map();
  readonly #running: Map<string, Promise<readonly Address[]>> = new Map();
  readonly #hosts: ReadonlyMap<string, readonly Address[]>;
  readonly #isSystem: boolean;
  readonly #now: () => number;

  /** @throws {Error} if a server is not an IP address */
  constructor({ servers, hosts = readHosts(), now = () => performance.now() }: NameLookupOptions = {}) {
    this.#isSystem = servers?.[0] === SYSTEM_LOOKUP;
    if (servers !== undefined && !this.#isSystem) this.#resolver.setServers(servers);
    this.#hosts = parseHosts(hosts);
    this.#now = now;
  }

  /** The lookup in the form that sockets need. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    if (this.#isSystem) return systemLookup(hostname, options, callback as never);
    this.resolve(hostname).then(
      (all) => {
        const fit = all.filter(({ family }) => !options.family || options.family === family);
        if (fit.length === 0) callback(failure("ENOTFOUND", hostname), []);
        else if (options.all) callback(null, [...fit]);
        else callback(null, fit[0]!.address, fit[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  /**
   * Returns the addresses of a name, IPv4 first.
   *
   * @throws {Error} with the code `ENOTFOUND` if the name does not exist, or `EAI_AGAIN` if its servers failed
   */
  async resolve(hostname: string): Promise<readonly Address[]> {
    const name = hostname
      .toLowerCase()
      .replace(/\.$/, "")
      .replace(/^\[(.*)\]$/, "$1");
    if (isIP(name) !== 0) return [{ address: name, family: isIP(name) }];
    const own = this.#hosts.get(name);
    if (own !== undefined) return own;
    const known = this.#known.get(name);
    if (known !== undefined && known.until > this.#now()) {
      if (known.answer instanceof Error) throw known.answer;
      return known.answer;
    }
    // Several visits may need the same name at the same time.
    const running = this.#running.get(name) ?? this.#ask(name).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  /** Remembers addresses that another process has looked up. */
  learn(hostname: string, addresses: readonly Address[]): void {
    this.#remember(hostname.toLowerCase(), addresses, MIN_TTL_MS);
  }

  async #ask(name: string): Promise<readonly Address[]> {
    if (this.#isSystem) return systemAddresses(name);
    const [four, six] = await Promise.allSettled([
      this.#resolver.resolve4(name, { ttl: true }),
      this.#resolver.resolve6(name, { ttl: true }),
    ]);
    const records = [
      ...(four.status === "fulfilled" ? four.value.map((record) => ({ ...record, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((record) => ({ ...record, family: 6 })) : []),
    ];
    if (records.length > 0) {
      const addresses = records.map(({ address, family }) => ({ address, family }));
      const ttlMs = 1000 * Math.min(...records.map(({ ttl }) => ttl));
      this.#remember(name, addresses, Math.max(MIN_TTL_MS, Math.min(MAX_TTL_MS, ttlMs)));
      return addresses;
    }
    const codes = [four, six].map((result) => (result.status === "rejected" ? result.reason.code : ""));
    const isAbsent = codes.every((code) => code === "ENOTFOUND" || code === "ENODATA");
    const error = failure(isAbsent ? "ENOTFOUND" : "EAI_AGAIN", name);
    this.#remember(name, error, isAbsent ? ABSENT_MS : FAILED_MS);
    throw error;
  }

  #remember(name: string, answer: Known["answer"], ms: number): void {
    this.#known.delete(name);
    this.#known.set(name, { answer, until: this.#now() + ms });
    if (this.#known.size > MAX_NAMES) this.#known.delete(this.#known.keys().next().value!);
  }
}

function failure(code: "ENOTFOUND" | "EAI_AGAIN", hostname: string): Error {
  return Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), {
    ...{ code, syscall: "getaddrinfo", hostname },
  });
}

function systemAddresses(name: string): Promise<readonly Address[]> {
  return new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

function readHosts(): string {
  try {
    return readFileSync("/etc/hosts", "utf8");
  } catch {
    return "";
  }
}

function parseHosts(text: string): Map<string, Address[]> {
  const hosts = new Map<string, Address[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((text) => text.toLowerCase())) {
      const known = hosts.get(name) ?? [];
      hosts.set(name, [...known, { address, family }]);
    }
  }
  return hosts;
}
