/** What a fleet needs to know, as the command line and the environment give it. */
import type { WalkLimits } from "siteatlas";

/** What a walking process is told by its worker. */
export interface WalkerSettings {
  /** A folder or an s3 URL: where parts and snapshots are. */
  readonly store: string;
  /** Local files on their way. */
  readonly folder: string;
  readonly userAgent: string;
  readonly concurrency?: number;
  readonly delayMs?: number;
  readonly respectRobots?: boolean;
  /** See `useKnownPaths` of siteatlas. */
  readonly guess?: boolean | "when-empty";
  readonly crossHost?: "follow" | "same-site" | "none";
  readonly limits?: WalkLimits;
  readonly legMs?: number;
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
