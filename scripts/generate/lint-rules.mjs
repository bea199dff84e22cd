/** docs/lint-rules.md, generated from the table of lint rules. */

/** @typedef {import("../../packages/siteatlas/src/lint/rule.ts").LintRule} LintRule */

const introduction = (
  /** @type {number} */ count,
) => `<!-- Generated from packages/siteatlas/src/lint/rules/ by \`npm run generate\`. Do not edit. -->

# Lint rules

\`siteatlas lint\` has ${count} rules. [Lint a site](lint.md) explains how to use them.

- **error**: a specification forbids it, or data is lost.
- **warning**: search engines ignore or distrust it.
- **info**: worth knowing. Lint never fails because of it.
- **off**: the rule reports nothing unless you turn it on, such as with \`--rule url.file=info\`.
`;

/**
 * @param {readonly LintRule[]} rules
 * @returns {string} Markdown
 */
export function lintRulesPage(rules) {
  /** @type {Map<string, LintRule[]>} */
  const groups = new Map();
  for (const rule of rules) groups.set(groupOf(rule), [...(groups.get(groupOf(rule)) ?? []), rule]);
  const sections = [...groups].map(([group, list]) => `## ${group}\n\n${list.map(ruleText).join("\n")}`);
  return `${introduction(rules.length)}\n${sections.join("\n")}`;
}

/** @param {LintRule} rule */
function groupOf({ id }) {
  return id.slice(0, id.indexOf("."));
}

/** @param {LintRule} rule */
function ruleText({ id, severity, isOff, message, why, fix, source }) {
  const level = isOff ? `off (${severity})` : severity;
  return `### ${id}\n\n**${level}**: ${plain(message)}. ${plain(why)}\n\nFix: ${plain(fix)} [Source](${source})\n`;
}

/** @param {string} text */
function plain(text) {
  return text.replace(/[<*_[\]]/g, "\\$&");
}
