/** The table of all rules about checked pages. docs/lint-rules.md is generated from it. */
import type { PageRule } from "../page-rule.ts";
import { contentRules } from "./content.ts";
import { indexingRules } from "./indexing.ts";
import { languageRules } from "./languages.ts";
import { redirectRules } from "./redirects.ts";
import { responseRules } from "./responses.ts";

/** All rules for pages, sorted by id. */
export const pageRules: readonly PageRule[] = [
  ...responseRules,
  ...redirectRules,
  ...indexingRules,
  ...contentRules,
  ...languageRules,
].sort((a, b) => (a.id < b.id ? -1 : 1));
