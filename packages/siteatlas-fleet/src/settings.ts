/** What a fleet needs to know, as the command line and the environment give it. */
import type { WalkLimits } from "siteatlas";

/** How sites are visited. */
export interface VisitRules {
  /** Local files on their way. */
  readonly folder: string;
  readonly userAgent: string;
  /** Requests at once to one site. @default 2 */
  readonly concurrency?: number;
  /** From one request to the next. @default 0 */
  readonly delayMs?: number;
  /** @default true */
  readonly respectRobots?: boolean;
  /** Whether known locations are tried, see `useKnownPaths` of siteatlas. @default true */
  readonly guess?: boolean | "when-empty";
  /** @default "follow" */
  readonly crossHost?: "follow" | "same-site" | "none";
  /** Bounds of a visit; that of `sitemaps` is for all its legs together. */
  readonly limits?: WalkLimits;
  /** About how long a leg is. @default 60_000 */
  readonly legMs?: number;
}

/** What a walking process is told by its worker. */
export interface WalkerSettings extends VisitRules {
  /** A folder or an s3 URL: where parts and snapshots are. */
  readonly store: string;
  /** A process whose event loop does not turn for so long is ended. @default 20_000 */
  readonly stuckMs?: number;
  /** Addresses that are not public and may be connected to, see `createNodeClient`. */
  readonly allow?: readonly string[];
  readonly proxy?: string;
  /** A module that makes the visits, in place of ours: its default export takes these settings and gives a `VisitLeg`. */
  readonly visitor?: string;
}

/** `siteatlas-fleet/0 (+https://example.com/bot)`: whoever finds it in a log can ask. Undefined for what is no contact. */
export function userAgentOf(contact: string, version: string): string | undefined {
  if (!URL.canParse(contact)) return undefined;
  const { protocol, href } = new URL(contact);
  return ["http:", "https:", "mailto:"].includes(protocol)
    ? `siteatlas-fleet/${version} (+${href})`
    : undefined;
}
