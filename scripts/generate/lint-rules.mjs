/** docs/lint-rules.md, generated from the tables of rules. */

/** @typedef {import("../../packages/siteatlas/src/lint/rule.ts").RuleText} RuleText */

const introduction = (
  /** @type {number} */ count,
  /** @type {number} */ pageCount,
) => `<!-- Generated from packages/siteatlas/src/lint/rules/ and page-check/rules/ by \`npm run generate\`. Do not edit. -->

# Lint rules

\`siteatlas lint\` has ${count} rules for sitemaps and robots.txt. \`siteatlas check\` has ${pageCount} [rules for pages](#rules-for-pages). [Lint a site](lint.md) and [Check the pages of a site](check.md) explain how to use them.

- **error**: a specification forbids it, or data is lost.
- **warning**: search engines ignore or distrust it.
- **info**: worth knowing. It never fails a build.
- **off**: the rule reports nothing unless you turn it on, such as with \`--rule url.file=info\`.
`;

/**
 * @param {readonly RuleText[]} rules rules of lint
 * @param {readonly RuleText[]} pageRules rules of check
 * @returns {string} Markdown
 */
export function lintRulesPage(rules, pageRules) {
  /** @type {Map<string, RuleText[]>} */
  const groups = new Map();
  for (const rule of rules) groups.set(groupOf(rule), [...(groups.get(groupOf(rule)) ?? []), rule]);
  const sections = [...groups].map(([group, list]) => `## ${group}\n\n${list.map(ruleText).join("\n")}`);
  const pages = `## Rules for pages\n\n${pageRules.map(ruleText).join("\n")}`;
  return `${introduction(rules.length, pageRules.length)}\n${sections.join("\n")}\n${pages}`;
}

/** @param {RuleText} rule */
function groupOf({ id }) {
  return id.slice(0, id.indexOf("."));
}

/** @param {RuleText} rule */
function ruleText({ id, severity, isOff, message, why, fix, source }) {
  const level = isOff ? `off (${severity})` : severity;
  return `### ${id}\n\n**${level}**: ${plain(message)}. ${plain(why)}\n\nFix: ${plain(fix)} [Source](${source})\n`;
}

/** @param {string} text */
function plain(text) {
  return text.replace(/[<*_[\]]/g, "\\$&");
}
