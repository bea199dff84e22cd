/**
 * What is generated from package.json: model/generated/version.ts.
 *
 * @param {string} version
 * @returns {string} TypeScript
 */
export function versionConstant(version) {
  return `// Generated from package.json by \`npm run generate\`. Do not edit.

/** The version of the package. A constant, because bundlers and other runtimes cannot read package.json. */
export const VERSION = ${JSON.stringify(version)};
`;
}
