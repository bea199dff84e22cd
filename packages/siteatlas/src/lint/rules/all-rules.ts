/** The table of all lint rules. docs/lint-rules.md is generated from it. */
import type { LintRule } from "../rule.ts";
import { dateRules } from "./dates.ts";
import { duplicateRules } from "./duplicates.ts";
import { historyRules } from "./history.ts";
import { issuesOfDocuments } from "./issues/issues-of-documents.ts";
import { issuesOfEntries } from "./issues/issues-of-entries.ts";
import { issuesOfSites } from "./issues/issues-of-sites.ts";
import { languageRules } from "./languages.ts";
import { mediaRules } from "./media.ts";
import { newsRules } from "./news.ts";
import { pageRules } from "./pages.ts";
import { responseRules } from "./responses.ts";
import { robotsRules } from "./robots.ts";
import { sizeRules } from "./sizes.ts";
import { tagRules } from "./tags.ts";
import { treeRules } from "./tree.ts";
import { urlRules } from "./urls.ts";

/** All rules for documents, sorted by id. */
export const lintRules: readonly LintRule[] = [
  ...issuesOfDocuments,
  ...issuesOfEntries,
  ...issuesOfSites,
  ...sizeRules,
  ...urlRules,
  ...duplicateRules,
  ...dateRules,
  ...newsRules,
  ...mediaRules,
  ...languageRules,
  ...treeRules,
  ...robotsRules,
  ...responseRules,
  ...tagRules,
  ...pageRules,
  ...historyRules,
].sort((a, b) => (a.id < b.id ? -1 : 1));
