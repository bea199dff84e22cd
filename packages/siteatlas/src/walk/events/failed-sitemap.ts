import { isAbsent } from "../../model/http-status.ts";
import { isGuess, type WalkedSitemap } from "./events.ts";

/**
 * Whether pages may be missing because this sitemap failed. These cases are not failures: a known location without a
 * sitemap, a missing robots.txt, and an index that is listed below itself, because it is read at its first place.
 */
export function isFailure({ outcome, source, http, code }: WalkedSitemap): boolean {
  if (outcome !== "failed" || isGuess(source)) return false;
  if (source === "robots" && isAbsent(http?.status)) return false;
  return code === undefined || !code.startsWith("index.");
}
