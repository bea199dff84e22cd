/**
 * Decides what happens after a crash of a walker process, and when to quarantine a site.
 *
 * A crash of a shared process does not show which of its sites caused it. So all of them become suspects, and each is
 * visited again in a process of its own. A suspect that crashes this process is the cause, and is quarantined. Two such
 * sites may have shared the process. So the other suspects of the crash are cleared after two visits in a process of
 * their own, which also find a site that crashes at every other visit.
 *
 * As long as the cause is unknown, one good visit does not clear a suspect, because a site may crash only every other
 * visit. So each suspect is on probation. First, several visits run in a process of their own. Then its visits run in
 * shared processes again, but with no other suspect. If such a process crashes, the probation starts again and is
 * longer. The third crash quarantines the site, because it may crash only together with other sites. A suspect that
 * finishes its probation is cleared.
 *
 * The suspicion is stored before the lease ends. If the worker dies before that, the claim counts as unfinished
 * (`begun`), which also makes the site a suspect.
 */
import type { ClaimedSite } from "../database/frontier.ts";
import type { WalkerCrash } from "../processes/visit-runner.ts";

/**
 * A site is quarantined after this many claims in a row that were neither committed nor released, because the worker
 * died each time.
 */
const MAX_UNFINISHED_VISITS = 5;
const MAX_CRASHES = 3;
/**
 * After the first crash, the next 4 visits run in a process of their own; after the second crash, the next 16 visits.
 */
const ALONE_FACTOR = 4;
/** After these visits, the suspect is in shared processes until only `SHORT_PROBATION` visits are left. */
const SHARED_PROBATION = 16;

/** Number of visits that are left of the probation of a suspect when the cause of its crash is found. They run alone. */
export const SHORT_PROBATION = 2;

export type Suspicion = Pick<ClaimedSite, "begun" | "suspicions" | "probation">;

export function neverEnds(unfinishedVisits: number): boolean {
  return unfinishedVisits >= MAX_UNFINISHED_VISITS;
}

/** Whether a visit must run in a process of its own. */
export function mustBeAlone({ begun, probation }: Suspicion): boolean {
  const isShort = probation > 0 && probation <= SHORT_PROBATION;
  return begun > 0 || isShort || probation > SHARED_PROBATION;
}

/** Whether this crash proves that the site is the cause, so that it is quarantined. */
export function provesGuilt({ wasAlone }: WalkerCrash, { begun, suspicions }: Suspicion): boolean {
  return (wasAlone && (begun > 0 || suspicions > 0)) || suspicions + 1 >= MAX_CRASHES;
}

/** The suspicion of a site after a crash that does not prove that the site is the cause. */
export function suspicionAfter({ suspicions }: Suspicion): Pick<Suspicion, "suspicions" | "probation"> {
  return { suspicions: suspicions + 1, probation: SHARED_PROBATION + ALONE_FACTOR ** (suspicions + 1) };
}
