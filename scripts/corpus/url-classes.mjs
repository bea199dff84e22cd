/** Classes of differences between the URLs of siteatlas and those of an independent reader. */

/** @typedef {readonly [cls: string | undefined, detail: string]} Difference */

/**
 * @typedef {object} Reading
 * @property {string} name of the document
 * @property {string} text of the document
 * @property {readonly string[]} ours
 * @property {readonly string[]} theirs
 * @property {readonly string[]} codes of our issues, each once
 */

/**
 * @typedef {object} Finding
 * @property {string} url
 * @property {boolean} isOurs whether only siteatlas has this URL; otherwise only the other reader has it
 * @property {string} text
 * @property {readonly string[]} codes
 */

/**
 * Each class: why siteatlas is right to differ, and how to recognize it.
 * @type {readonly (readonly [cls: string, isMeant: (finding: Finding) => boolean])[]}
 */
const CLASSES = [
  ["not an http URL", ({ url, isOurs }) => !isOurs && !/^https?:/.test(url)],
  ["inside a comment", ({ url, isOurs, text }) => !isOurs && isInComment(new URL(url).pathname, text)],
  ["an HTML page", ({ isOurs, codes }) => !isOurs && codes.includes("content.html")],
  ["feedburner:origLink instead of the link", ({ text }) => /<feedburner:origLink/i.test(text)],
  ["the id of an Atom entry without a link", ({ url, isOurs, text }) => isOurs && isTextOf("id", url, text)],
  ["the text of a link", ({ url, isOurs, text }) => isOurs && isTextOf("link", url, text)],
  ["a URL without its <loc>", ({ isOurs, codes }) => isOurs && codes.includes("entry.missing-loc")],
  ["a host without its scheme", ({ codes }) => codes.includes("url.schemeless")],
  ["two schemes", ({ codes }) => codes.includes("url.double-scheme")],
  ["a space in the URL", ({ codes }) => codes.includes("url.space")],
  ["a Sitemap line without its host", ({ codes }) => codes.includes("robots.relative-sitemap")],
  ["a misspelled key", ({ isOurs, codes }) => isOurs && codes.includes("robots.key-typo")],
  ["a line without its colon", ({ isOurs, codes }) => isOurs && codes.includes("robots.missing-colon")],
  ["a URL alone on its line", ({ isOurs, codes }) => isOurs && codes.includes("robots.bare-url")],
];

/** @param {string} path @param {string} text */
function isInComment(path, text) {
  return text.includes(path) && !text.replace(/<!--.*?-->/gs, "").includes(path);
}

/** @param {string} name @param {string} url @param {string} text */
function isTextOf(name, url, text) {
  const found = text.matchAll(
    new RegExp(`<(?:\\w+:)?${name}(?:\\s[^>]*)?>(\\s*<!\\[CDATA\\[.*?\\]\\]>|[^<]*)\\s*<`, "gis"),
  );
  return Array.from(found).some(([, inner = ""]) => {
    const written = inner
      .replace(/<!\[CDATA\[|\]\]>/g, "")
      .replaceAll("&amp;", "&")
      .trim();
    return URL.canParse(written) && new URL(written).href === url;
  });
}

/** @param {Reading} reading @returns {Difference[]} */
export function urlDifferences({ name, text, ours, theirs, codes }) {
  const [our, their] = [new Set(ours), new Set(theirs)];
  const findings = [
    ...[...their].filter((url) => !our.has(url)).map((url) => ({ url, isOurs: false })),
    ...[...our].filter((url) => !their.has(url)).map((url) => ({ url, isOurs: true })),
  ];
  return findings.map(({ url, isOurs }) => [
    CLASSES.find(([, isMeant]) => isMeant({ url, isOurs, text, codes }))?.[0],
    `${name}: only ${isOurs ? "siteatlas" : "the other reader"} has ${url} (${codes.join(", ")})`,
  ]);
}
