/** Writes notes about requests to stderr: a proxy from the environment, --insecure, and pauses. */
import { environmentProxy, type ProxyFor } from "../../fetch/client/proxy.ts";
import type { WalkOptions } from "../../walk/options.ts";
import type { Target } from "../config/target.ts";
import type { Reporter } from "../messages/reporter.ts";
import type { RunCounts } from "../messages/run-counts.ts";
import { roughDuration } from "../terminal/format-text.ts";

export class NetworkNotes {
  readonly #reporter: Reporter;
  readonly #options: Pick<WalkOptions, "proxy" | "insecure" | "auth">;
  readonly #proxyFor: ProxyFor | undefined;
  readonly #said: Set<string> = new Set();

  constructor(reporter: Reporter, options: Pick<WalkOptions, "proxy" | "insecure" | "auth">) {
    this.#reporter = reporter;
    this.#options = options;
    this.#proxyFor = options.proxy === "environment" ? environmentProxy(process.env) : undefined;
  }

  /** Call this before the first request to a site. Writes each note only once per run. */
  add({ name, url, auth }: Target): void {
    if (auth !== undefined && this.#options.auth !== undefined) {
      this.#once(`${name} credentials`, () =>
        this.#reporter.warn(`the credentials in the URL of ${name} are used, not those of --auth`),
      );
    }
    if (this.#options.insecure) {
      const hostname = new URL(url).hostname;
      this.#once(hostname, () =>
        this.#reporter.warn(
          `the certificate of ${hostname} is not verified (--insecure)`,
          `Anyone between this machine and ${name} can read and change everything, including passwords.`,
          true,
        ),
      );
    }
  }

  /**
   * Call this before each request. A proxy may be used only for some hosts: a direct site may list sitemaps on a host that
   * needs the proxy.
   */
  addRequest(url: string): void {
    const proxy = this.#proxyFor?.(new URL(url));
    if (proxy === undefined) return;
    const { variable = "", url: address } = proxy;
    this.#once(variable, () =>
      this.#reporter.say(
        0,
        `Using the proxy ${address.origin} (${variable}). Connect directly with --no-proxy.`,
      ),
    );
  }

  #once(key: string, say: () => void): void {
    if (this.#said.has(key)) return;
    this.#said.add(key);
    say();
  }
}

/** Shortest pause that is reported. */
const MIN_PAUSE_MS = 1000;

/**
 * Reports how long a host gets no requests because it sent Retry-After: once per host, and again if a later pause is
 * longer. The progress lines show the remaining time of every pause.
 */
export function notePauses(
  reporter: Reporter,
  runCounts: Pick<RunCounts, "pause">,
): NonNullable<WalkOptions["onPause"]> {
  const longest = new Map<string, number>();
  return ({ url, status, ms, askedMs }) => {
    const { host } = new URL(url);
    runCounts.pause(host, ms);
    const isNews = ms > Math.max(MIN_PAUSE_MS - 1, longest.get(host) ?? 0);
    longest.set(host, Math.max(ms, longest.get(host) ?? 0));
    const isShortened = askedMs > ms;
    const asked = isShortened ? ` of ${roughDuration(askedMs)}` : "";
    const why = isShortened ? "--max-retry-after" : "Retry-After";
    const text = `${host} answered ${status} and asked for a pause${asked}. Waiting ${roughDuration(ms)} (${why})`;
    reporter.say(isNews ? 0 : 2, text);
  };
}
