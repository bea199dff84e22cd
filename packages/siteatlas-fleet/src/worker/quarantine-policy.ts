/**
 * Decides what follows from a crash of a walker process, and when to quarantine a site.
 *
 * A crash of a shared process does not show which of its sites caused it. So all of them become suspects, and each is
 * visited again in a process of its own. A suspect that crashes this process is the cause: it is quarantined, and
 * the other suspects of the crash are cleared.
 *
 * As long as the cause is unknown, a visit that finishes alone does not clear a suspect, because a site may crash only
 * every other visit. Its next visits also run alone. Then it returns to shared processes, and is the only suspect in
 * each. If one of them crashes, more visits run alone. The third crash quarantines the site: it crashes only in company.
 * A suspect that finishes its probation is cleared.
 *
 * The suspicion is written before the lease ends. If the worker dies before, the claim counts as unfinished (`begun`),
 * which also makes the site a suspect.
 */
import type { ClaimedSite } from "../database/frontier.ts";
import type { WalkerCrash } from "../processes/visit-runner.ts";

/** Maximum number of claims in a row that were neither committed nor released, because the worker died each time. */
const MAX_UNFINISHED_VISITS = 5;
const MAX_CRASHES = 3;
/** After the first crash 4 visits run alone, after the second one 16. */
const ALONE_FACTOR = 4;
/** Number of visits in shared processes at the end of the probation. */
const SHARED_PROBATION = 16;

export type Suspicion = Pick<ClaimedSite, "begun" | "suspicions" | "probation">;

export function neverEnds(unfinishedVisits: number): boolean {
  return unfinishedVisits >= MAX_UNFINISHED_VISITS;
}

/** Whether a visit must run in a process of its own. */
export function mustBeAlone({ begun, probation }: Suspicion): boolean {
  return begun > 0 || probation > SHARED_PROBATION;
}

/** Whether to quarantine a site after this crash. */
export function provesGuilt({ wasAlone }: WalkerCrash, { begun, suspicions }: Suspicion): boolean {
  return (wasAlone && (begun > 0 || suspicions > 0)) || suspicions + 1 >= MAX_CRASHES;
}

/** Returns the suspicion of a site that is not quarantined after a crash. */
export function suspicionAfter({ suspicions }: Suspicion): Pick<Suspicion, "suspicions" | "probation"> {
  return { suspicions: suspicions + 1, probation: SHARED_PROBATION + ALONE_FACTOR ** (suspicions + 1) };
}
