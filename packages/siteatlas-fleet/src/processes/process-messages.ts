/** Messages between a worker and its walker processes. */
import type { LegRequest, LegResult } from "../model/visit.ts";
import type { WalkerSettings } from "../model/visit-settings.ts";
import type { Address } from "./name-lookup.ts";

export type ToWalker =
  | { readonly kind: "settings"; readonly settings: WalkerSettings }
  | {
      readonly kind: "walk";
      readonly request: LegRequest;
      readonly until: string;
      readonly addresses: readonly Address[];
    }
  | { readonly kind: "stop"; readonly names: readonly string[] }
  | { readonly kind: "hold"; readonly hosts: readonly string[]; readonly until: string }
  | { readonly kind: "cancel"; readonly host: string }
  | StoreAnswer
  /** Asks for a sign of life. */
  | { readonly kind: "ping" }
  /** Ends the process when its visits in progress are finished. */
  | { readonly kind: "end" };

/** Asks the worker to move a local file into the store, or to copy an object of the store into a local file. */
export interface StoreCall {
  readonly kind: "store";
  readonly id: number;
  readonly action: "put" | "get";
  readonly key: string;
  readonly file: string;
}

export interface StoreAnswer {
  readonly kind: "stored";
  readonly id: number;
  readonly error?: StoreFailure;
}

export interface StoreFailure {
  /** Why the call failed. `missing`: the store does not have the object. `invalid`: a retry would also fail. */
  readonly kind: "missing" | "invalid" | "failed";
  readonly message: string;
}

export type FromWalker =
  | StoreCall
  | { readonly kind: "ready" }
  /** The answer to `ping`. */
  | { readonly kind: "alive" }
  /** The walker process could not start its visitor, so it ends. */
  | { readonly kind: "unfit"; readonly message: string }
  | { readonly kind: "walked"; readonly host: string; readonly heapBytes: number; readonly result: LegResult }
  | {
      readonly kind: "failed";
      readonly host: string;
      readonly heapBytes: number;
      readonly message: string;
      readonly code?: string;
    }
  | { readonly kind: "paused"; readonly host: string; readonly domain: string; readonly ms: number };
