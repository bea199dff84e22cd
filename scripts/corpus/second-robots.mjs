/**
 * A second reader of robots.txt, to compare ours with. Written from RFC 9309 and from Google's documentation of
 * robots.txt, with tables and regular expressions. It repairs nothing except what both documents ask for.
 */

/** @typedef {{ allow: boolean, path: string }} Rule */
/** @typedef {{ agents: string[], rules: Rule[] }} Group */
/** @typedef {{ groups: Group[], sitemaps: string[] }} SecondRobots */

/** Keys, without regard to case. Google's documentation lists these four. @type {readonly (readonly [RegExp, string])[]} */
const KEYS = [
  [/^user-agent$/i, "agent"],
  [/^allow$/i, "allow"],
  [/^disallow$/i, "disallow"],
  [/^sitemap$/i, "sitemap"],
];

/**
 * Deviations from the two documents that siteatlas has on purpose. Each is a class of differences: it explains one if
 * this reader, with the deviation, has the verdict of siteatlas.
 *
 * @typedef {object} Deviations
 * @property {boolean} [misspelledKeys] `User Agent`, `Dissallow` and others
 * @property {boolean} [missingColons] `Disallow /a`
 * @property {boolean} [indexFiles] `Allow: /a/index.html` also allows `/a/`, as Google's matcher does
 * @property {boolean} [invisibleCharacters] a zero-width space around a value does not belong to it
 */

/** @type {typeof KEYS} */
const MISSPELLED_KEYS = [
  [/^(use[rg]|ser)[- ]?agent$/i, "agent"],
  [/^d[ei]?(s+a|as)ll?[ao]w$/i, "disallow"],
];

/** Section 2.5: a parser may stop after 500 KiB, as Google does. */
const MAX_BYTES = 500 * 1024;

/** @param {string} text @param {Deviations} [deviations] @returns {SecondRobots} */
export function readRobots(text, { misspelledKeys, missingColons, invisibleCharacters } = {}) {
  const keys = misspelledKeys ? [...KEYS, ...MISSPELLED_KEYS] : KEYS;
  const record = missingColons ? /^\s*([^:]*?)(?:\s*:\s*|\s+)(\S*)\s*$/s : /^\s*([^:]*?)\s*:\s*(.*?)\s*$/s;
  /** @type {SecondRobots} */
  const robots = { groups: [], sitemaps: [] };
  let isNaming = false;
  for (const line of text
    .replace(/^\ufeff/, "")
    .slice(0, MAX_BYTES)
    .split(/\r\n|\r|\n/)) {
    const visible = invisibleCharacters ? line.replace(/\p{Cf}/gu, "") : line;
    const [, key = "", value = ""] = record.exec(visible.replace(/#.*/s, "")) ?? [];
    const kind = keys.find(([spelling]) => spelling.test(key))?.[1];
    const group = robots.groups.at(-1);
    if (kind === "sitemap") {
      if (value !== "") robots.sitemaps.push(value);
    } else if (kind === "agent") {
      if (isNaming && group) group.agents.push(value);
      else robots.groups.push({ agents: [value], rules: [] });
      isNaming = true;
    } else if (kind !== undefined) {
      isNaming = false;
      group?.rules.push({ allow: kind === "allow", path: value });
    }
  }
  return robots;
}

/**
 * The rules of a product token: those of all groups that name it (section 2.2.1), otherwise those for `*`.
 * @param {SecondRobots} robots @param {string} agent @returns {Rule[]}
 */
export function rulesFor({ groups }, agent) {
  const of = (/** @type {(name: string) => boolean} */ isMeant) =>
    groups.filter(({ agents }) => agents.some(isMeant));
  const own = of((name) => /^[a-z_-]*/i.exec(name)?.[0].toLowerCase() === agent.toLowerCase());
  return (own.length > 0 ? own : of((name) => /^\*(?:\s|$)/.test(name))).flatMap(({ rules }) => rules);
}

/**
 * Section 2.2.2: the longest match decides, and Allow wins if two are equally long. An empty rule matches nothing.
 * @param {readonly Rule[]} rules
 * @param {Deviations} [deviations]
 * @returns {(url: URL) => boolean}
 */
export function createVerdict(rules, { indexFiles } = {}) {
  const folders = rules.flatMap(({ allow, path }) => {
    const folder = /^.*\/(?=index\.htm)/s.exec(path)?.[0];
    return indexFiles && allow && folder ? [{ allow, path: `${folder}$` }] : [];
  });
  const compiled = [...rules, ...folders]
    .filter(({ path }) => path !== "")
    .map(({ allow, path }) => ({
      allow,
      length: normalize(path).length,
      start: normalize(path.replace(/[*$].*/s, "")),
      expression: expressionOf(path),
    }))
    .sort((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow));
  return ({ href, origin, pathname }) => {
    if (pathname === "/robots.txt") return true;
    const path = normalize(href.slice(origin.length).replace(/#.*/s, ""));
    return (
      compiled.find(({ start, expression }) => path.startsWith(start) && expression.test(path))?.allow ?? true
    );
  };
}

/** Section 2.2.3: `*` is any text, `$` at the end is the end. @param {string} path */
function expressionOf(path) {
  const isAnchored = path.endsWith("$");
  const parts = (isAnchored ? path.slice(0, -1) : path).split(/\*+/);
  const source = parts.map((part) => normalize(part).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join(".*?");
  return new RegExp(`^${source}${isAnchored ? "$" : ""}`, "s");
}

/**
 * Section 2.2.2: unreserved characters are compared unescaped, octets outside ASCII escaped, hexadecimal digits in one
 * case.
 * @param {string} text
 */
function normalize(text) {
  return text
    .replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (character) => encodeURIComponent(character))
    .replace(/%[0-9a-f]{2}/gi, (escaped) => {
      const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
    });
}
