/** A walk whose events go to the commands of siteatlas and to the rules of lint, for `lint` and for `report --lint`. */
import type { WalkStart } from "../../../discover/site-start.ts";
import type { Finding } from "../../../lint/finding.ts";
import { type LintSetup, withClient } from "../../../lint/lint-site.ts";
import { eventsOf } from "../../../walk/events/event-reporter.ts";
import { checkWalk } from "../../../walk/option-rules.ts";
import type { WalkOptions } from "../../../walk/options.ts";
import { clientFor, walkInBatches } from "../../../walk/walk-sitemaps.ts";
import { startOf } from "../../config/target.ts";
import type { createVisit, WalkSitesOptions } from "../../walk/walk-sites.ts";

type Visit = ReturnType<typeof createVisit>;

/** The setup of the rules, and the function that receives their findings. */
export interface Linting {
  readonly setup: LintSetup;
  readonly add: (finding: Finding) => void;
}

/** The option `walkOne` of `walkSites`. */
export function lintedWalk(linting: Linting): NonNullable<WalkSitesOptions["walkOne"]> {
  return async (target, options, visit) => {
    const start = startOf(target);
    const { client, close } = clientFor(checkWalk("lint", start, options), options);
    try {
      await lintWalk(linting, start, withClient(options, linting.setup.recorder.record(client)), visit);
    } finally {
      await close();
    }
    return undefined;
  };
}

/** Walks one site, counts its events, and passes them to the rules. */
export async function lintWalk(
  { setup: { run }, add }: Linting,
  start: WalkStart,
  options: WalkOptions,
  visit: Visit,
): Promise<void> {
  for await (const batch of walkInBatches(start, options)) {
    options.signal?.throwIfAborted();
    for (const step of batch) {
      for (const event of eventsOf(step)) void visit(event);
      if (step.kind === "pages") run.pages(step.pages, step.sitemapUrl);
      else if (step.kind === "issue") run.issue(step.issue);
      else for (const finding of await run.sitemap(step.sitemap)) add(finding);
    }
  }
  for (const finding of await run.end()) add(finding);
}
