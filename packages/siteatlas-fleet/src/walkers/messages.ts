/** What a worker and its walking processes say to each other. */
import type { LegRequest, LegResult } from "../leg.ts";
import type { WalkerSettings } from "../settings.ts";

export type ToWalker =
  | { readonly kind: "settings"; readonly settings: WalkerSettings }
  | { readonly kind: "walk"; readonly request: LegRequest; readonly until: string }
  | { readonly kind: "stop"; readonly names: readonly string[] }
  | { readonly kind: "hold"; readonly hosts: readonly string[]; readonly until: string }
  | { readonly kind: "cancel"; readonly host: string }
  /** Nobody comes back: it ends when its legs have. */
  | { readonly kind: "end" };

export type FromWalker =
  | { readonly kind: "ready" }
  /** It ends: it cannot walk at all. */
  | { readonly kind: "unfit"; readonly message: string }
  | { readonly kind: "walked"; readonly host: string; readonly result: LegResult }
  | { readonly kind: "failed"; readonly host: string; readonly message: string; readonly code?: string }
  | { readonly kind: "paused"; readonly host: string; readonly domain: string; readonly ms: number };
