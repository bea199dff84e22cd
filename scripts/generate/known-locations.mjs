/** Generates docs/known-locations.md from the table of known locations. */

/** @typedef {import("../../packages/siteatlas/src/discover/known-paths.ts").KnownPath} KnownPath */

const introduction = `<!-- Generated from packages/siteatlas/src/discover/known-paths.ts by \`npm run generate\`. Do not edit. -->

# Known locations

The paths that siteatlas tries on a site, in this order: [How a site is read](process.md#the-known-locations). The usual
ones are tried on every site, the others with \`knownPaths: "thorough"\`.

The share says how many hosts name this path of their own host in robots.txt. It was measured on 2,173 well-known hosts
whose robots.txt has a Sitemap line. So it is an estimate of how many sitemaps the path would find on hosts whose
robots.txt has none. Feeds are rarely named in robots.txt. A path without a share is there because a system is
documented to use it.
`;

/** @param {readonly KnownPath[]} table */
export function knownLocationsPage(table) {
  const section = (/** @type {string} */ title, /** @type {KnownPath["set"]} */ set) =>
    [
      `## ${title}`,
      "",
      "| path | share of hosts | used by |",
      "|---|---|---|",
      ...table.filter((row) => row.set === set).map(tableRow),
      "",
    ].join("\n");
  return `${introduction}\n${section("Usual", "usual")}\n${section("Thorough", "thorough")}`;
}

/** @param {KnownPath} row */
function tableRow({ path, share, source }) {
  const percent = share === 0 ? "" : `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`;
  return `| \`${path}\` | ${percent} | ${source} |`;
}
