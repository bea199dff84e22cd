/**
 * Several variants of an attack as one case: robots.txt lists a sitemap for each variant, with its expected outcome.
 */
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import { type CaseWalkOptions, type Context, type HostileCase, outcomeOf, type Walked } from "./case.ts";
import { httpResponse, type RawBehaviour } from "./raw-server.ts";

interface Variant {
  /** Also serves its path with a query, which only a redirect uses. */
  readonly behave: RawBehaviour;
  readonly wanted: Partial<WalkedSitemap>;
  /** Path of the sitemap; by default its number. */
  readonly path?: string;
  readonly check?: (context: Context, sitemap: WalkedSitemap, walked: Walked) => unknown;
}

export type Variants = Readonly<Record<string, Variant>>;

/** `serve` and `run` of a case with these variants on one server. */
export function variantsOf(
  variants: Variants,
  options: CaseWalkOptions = {},
): Pick<Required<HostileCase>, "serve" | "run"> {
  const entries = Object.entries(variants);
  const paths = entries.map(([, { path }], at) => path ?? `/${at}`);
  return {
    async serve(stage) {
      const behave: RawBehaviour = (socket, request) => {
        const entry = entries[paths.indexOf(request.path.replace(/\?.*/, ""))];
        if (entry === undefined) socket.write(httpResponse("", {}, "404 Not Found"));
        else entry[1].behave(socket, request);
      };
      return { url: await stage.raw(behave, { sitemaps: paths }) };
    },
    async run(context) {
      const walked = await context.walk(context.url(), options);
      const outcomes = entries.map(([name, { wanted, check }], at) => {
        const sitemap = walked.sitemap(paths[at]!);
        context.expectSitemap(sitemap, wanted, name);
        if (sitemap !== undefined) check?.(context, sitemap, walked);
        return [name, outcomeOf(sitemap)] as const;
      });
      return summarize(outcomes);
    },
  };
}

/** Groups equal outcomes. */
function summarize(outcomes: readonly (readonly [string, string])[]): string {
  const names = new Map<string, string[]>();
  for (const [name, outcome] of outcomes) names.set(outcome, [...(names.get(outcome) ?? []), name]);
  if (names.size === 1) return `${outcomes[0]![1]} (${outcomes.length} ways)`;
  return [...names].map(([outcome, of]) => `${of.join(", ")}: ${outcome}`).join("; ");
}
